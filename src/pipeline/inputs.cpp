#include "pipeline/inputs.h"

#include <cstring>

#include "util/file.h"

namespace metamorph::pipeline {

constexpr std::int64_t k_input_bytes_max = 1LL << 30;

std::string random_inputs(std::uint64_t seed, std::size_t bytes) {
    std::string inputs(bytes, '\0');
    auto x = static_cast<std::uint32_t>(seed);
    for (char& byte : inputs) {
        x = x * 1664525U + 1013904223U;
        byte = static_cast<char>(x >> 24U);
    }
    return inputs;
}

std::string random_inferences(std::uint64_t seed, int inferences, std::size_t bytes_each,
                              const std::vector<std::pair<std::int64_t, std::int64_t>>& floats) {
    std::string inputs = random_inputs(seed, static_cast<std::size_t>(inferences) * bytes_each);
    for (std::size_t start = 0; start < inputs.size(); start += bytes_each) {
        for (const auto& [begin, end] : floats) {
            for (std::int64_t at = begin; at + 4 <= end; at += 4) {
                char* bytes = inputs.data() + start + at;
                std::uint32_t bits = 0;
                for (int i = 0; i < 3; ++i) {
                    bits = bits << 8U | static_cast<unsigned char>(bytes[i]);
                }
                const float value = static_cast<float>(bits) / 8388608.0F - 1.0F;
                std::memcpy(bytes, &value, sizeof value);  // targets are little-endian, as this host is
            }
        }
    }
    return inputs;
}

Result<std::string> file_inputs(const std::filesystem::path& path, int inferences, std::size_t bytes_each) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_input_bytes_max));
    const std::size_t wanted = static_cast<std::size_t>(inferences) * bytes_each;
    if (bytes.size() < wanted) {
        return fail(ErrorCode::options, path.string(), "{} bytes are too few for {} inferences of {} bytes each",
                    bytes.size(), inferences, bytes_each);
    }
    return std::string(reinterpret_cast<const char*>(bytes.data()), wanted);
}

}  // namespace metamorph::pipeline
