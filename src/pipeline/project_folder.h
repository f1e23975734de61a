// Folders that hold generated files.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "util/result.h"

namespace metamorph::pipeline {

struct WriteCounts {
    int written = 0, unchanged = 0, removed = 0;
};

// Makes `folder` hold exactly this project: files that did not change are not rewritten (builds stay warm), files that
// an earlier project of ours left there and this one lacks are removed; the list is kept in `.metamorph-files`. Files
// of the user's own stay. Errors: options (the folder holds something, and not a project of ours), system.
Result<WriteCounts> write_project(const std::filesystem::path& folder, const std::map<std::string, std::string>& files);

}  // namespace metamorph::pipeline
