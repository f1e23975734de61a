// A woven project on disk, with what it says of itself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/device.h"
#include "util/result.h"
#include "weave/weave.h"

namespace metamorph::pipeline {

struct WovenFolder {
    std::filesystem::path folder;  // absolute
    weave::WovenSummary summary;
    std::optional<app::Device> device;  // nothing: woven for this host
    std::string explanation;            // if it was woven just now
};

// Errors: options (no woven project), model (its files are damaged).
Result<WovenFolder> read_woven_folder(const std::filesystem::path& folder);

}  // namespace metamorph::pipeline
