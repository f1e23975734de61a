#include "pipeline/inputs.h"

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
