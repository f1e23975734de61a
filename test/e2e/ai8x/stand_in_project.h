// The stand-in generator, run on a small network: split into three parts, or whole.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "util/file.h"
#include "util/process.h"

namespace metamorph {

inline const std::filesystem::path k_ai8x = std::filesystem::path(METAMORPH_SOURCE_DIR) / "frameworks" / "ai8x";
inline const std::filesystem::path k_networks =
    std::filesystem::path(METAMORPH_SOURCE_DIR) / "test" / "e2e" / "ai8x" / "network";

inline ProcessOutcome stand_in(const std::filesystem::path& folder, const std::string& prefix,
                               const std::vector<std::string>& flags) {
    ProcessRequest request;
    request.argv = {"python3",           (k_ai8x / "stand_in" / "ai8xize.py").string(),
                    "--test-dir",        folder.string(),
                    "--prefix",          prefix,
                    "--checkpoint-file", (k_networks / "five_layers.json").string(),
                    "--config-file",     (k_networks / "five_layers.yaml").string(),
                    "--device",          "MAX78000"};
    request.argv.insert(request.argv.end(), flags.begin(), flags.end());
    return run_process(request).value();
}

inline std::string text_of(const std::filesystem::path& path) {
    const auto bytes = read_file(path, 16 << 20);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : std::string();
}

}  // namespace metamorph
