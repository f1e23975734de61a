// Labelled inputs as one small binary file (layout: models/digits/README.md), for accuracy as the generated C itself
// computes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace metamorph::verify {

// Images of equal shape, already quantised to the network's int8 input: image i is `images[i * image_bytes() ...]`,
// row-major, height x width x channels.
struct Dataset {
    std::uint32_t count = 0, height = 0, width = 0, channels = 0, classes = 0;
    std::vector<std::int8_t> images;
    std::vector<std::uint8_t> labels;  // count of them, each < classes
    std::size_t image_bytes() const { return std::size_t{height} * width * channels; }
};

// Errors: options (file missing), model (not such a file, truncated, labels out of range).
Result<Dataset> read_dataset(const std::filesystem::path& path);
Result<Dataset> parse_dataset(std::string_view bytes, const std::string& name);

// One image as text, two characters a pixel, one line a row; brightness from the pixel's place in [-128, 127].
std::string draw_image(const Dataset& dataset, std::uint32_t index);

}  // namespace metamorph::verify
