#include "verify/dataset.h"

#include <algorithm>
#include <cstring>

#include "util/file.h"

namespace metamorph::verify {
namespace {

constexpr std::size_t k_header_bytes = 28;
constexpr std::uint32_t k_version = 1;
constexpr std::uint32_t k_extent_max = 4096;
constexpr std::uint32_t k_count_max = 1U << 20;
constexpr std::int64_t k_file_bytes_max = 256 << 20;

std::uint32_t word(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    return value;
}

Status check_extents(const Dataset& d, const std::string& name) {
    for (std::uint32_t extent : {d.height, d.width, d.channels, d.classes}) {
        if (extent < 1 || extent > k_extent_max) {
            return fail(ErrorCode::model, name, "an extent of the data set is {}; it must be 1 to {}", extent,
                        k_extent_max);
        }
    }
    if (d.count < 1 || d.count > k_count_max || d.classes > 256) {
        return fail(ErrorCode::model, name,
                    "the data set has {} images of {} classes; supported are 1 to {} of at most 256", d.count,
                    d.classes, k_count_max);
    }
    return {};
}

}  // namespace

Result<Dataset> parse_dataset(const std::string_view bytes, const std::string& name) {
    if (bytes.size() < k_header_bytes || bytes.substr(0, 4) != "MMDS") {
        return fail_with_hint(ErrorCode::model, name, "this is not a data set: it does not begin with MMDS",
                              "the layout is described in models/digits/README.md");
    }
    if (word(bytes, 4) != k_version) {
        return fail(ErrorCode::model, name, "the data set has version {}; this program reads version {}",
                    word(bytes, 4), k_version);
    }
    Dataset d{word(bytes, 8), word(bytes, 12), word(bytes, 16), word(bytes, 20), word(bytes, 24), {}, {}};
    MM_CHECK(check_extents(d, name));
    const std::uint64_t image_bytes = std::uint64_t{d.count} * d.image_bytes();
    const std::uint64_t wanted = k_header_bytes + image_bytes + d.count;
    if (image_bytes > std::uint64_t{k_file_bytes_max} || bytes.size() != wanted) {
        return fail(ErrorCode::model, name, "the data set has {} bytes; {} images of {}x{}x{} need {}", bytes.size(),
                    d.count, d.height, d.width, d.channels, wanted);
    }
    d.images.resize(image_bytes);
    std::memcpy(d.images.data(), bytes.data() + k_header_bytes, image_bytes);
    d.labels.assign(bytes.end() - static_cast<std::ptrdiff_t>(d.count), bytes.end());
    const auto bad =
        std::find_if(d.labels.begin(), d.labels.end(), [&](std::uint8_t label) { return label >= d.classes; });
    if (bad != d.labels.end()) {
        return fail(ErrorCode::model, name, "label {} of the data set is {}, but it has {} classes",
                    bad - d.labels.begin(), *bad, d.classes);
    }
    return d;
}

Result<Dataset> read_dataset(const std::filesystem::path& path) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_file_bytes_max));
    return parse_dataset({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.filename().string());
}

std::string draw_image(const Dataset& dataset, std::uint32_t index) {
    static constexpr const char* k_shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
    std::string text;
    const std::int8_t* pixel = dataset.images.data() + index * dataset.image_bytes();
    for (std::uint32_t row = 0; row < dataset.height; ++row) {
        for (std::uint32_t column = 0; column < dataset.width; ++column) {
            text += k_shades[std::min(4, (static_cast<int>(*pixel) + 128) * 5 / 256)];
            pixel += dataset.channels;
        }
        text += "\n";
    }
    return text;
}

}  // namespace metamorph::verify
