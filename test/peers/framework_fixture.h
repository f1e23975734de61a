// For tests of the generators of frameworks/: a fixture that skips where one cannot be had, and the digits as they want
// them.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "generate/driver/driver.h"
#include "peers/installed_framework.h"
#include "util/file.h"
#include "util/process.h"

namespace metamorph {

namespace fs = std::filesystem;

inline const fs::path k_digits = fs::path(METAMORPH_SOURCE_DIR) / "models/digits";
inline constexpr std::size_t k_images = 360, k_pixels = 64, k_header_bytes = 28;

inline std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

inline generate::ForeignCode generated(const std::string& name, const fs::path& model,
                                       std::vector<std::pair<std::string, std::string>> options = {}) {
    generate::DriverRequest request;
    request.model = model;
    request.prefix = "net";
    request.options = std::move(options);
    const auto code = generate::run_generator(app::find_framework(name).value(), request);
    EXPECT_TRUE(code.has_value()) << describe(code.error());
    return code ? *code : generate::ForeignCode{};
}

inline ProcessOutcome run(std::vector<std::string> argv, const std::string& input = {}) {
    ProcessRequest request;
    request.argv = std::move(argv);
    request.input = input;
    request.timeout = std::chrono::minutes(5);
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome && outcome->succeeded()) << fmt::format("{}", fmt::join(request.argv, " ")) << "\n"
                                                 << (outcome ? outcome->errors : describe(outcome.error()));
    return outcome ? *outcome : ProcessOutcome{};
}

struct Digits {
    std::string floats;  // k_images × k_pixels float32 in 0..1
    std::string bytes;   // the same as int8
    std::string labels;
};

inline Digits digits() {
    const auto bytes = read_file(k_digits / "digits_heldout.bin", 1 << 20).value();
    const auto* data = reinterpret_cast<const signed char*>(bytes.data()) + k_header_bytes;
    Digits result;
    result.bytes.assign(reinterpret_cast<const char*>(data), k_images * k_pixels);
    for (std::size_t i = 0; i < k_images * k_pixels; ++i) {
        const float pixel = std::round(static_cast<float>(data[i] + 128) * 16.0F / 255.0F) / 16.0F;
        result.floats.append(reinterpret_cast<const char*>(&pixel), sizeof pixel);
    }
    result.labels.assign(reinterpret_cast<const char*>(data) + k_images * k_pixels, k_images);
    return result;
}

class FrameworkPeer : public testing::Test {
protected:
    void need(const std::string& name) {
        const std::string why = test::make_ready(app::find_framework(name).value());
        if (!why.empty()) {
            GTEST_SKIP() << name << " from PyPI is not to be had: " << why;
        }
    }
};

}  // namespace metamorph
