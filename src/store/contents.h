// The list of an object's files, with their hashes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/disk.h"

namespace metamorph::store {

struct ContentFile {
    std::string sha256, path;  // relative
    std::int64_t bytes = 0;
};

// Of all files below `folder`. Errors: system (also: names with line feeds).
Result<std::vector<ContentFile>> describe_contents(Disk& disk, const std::filesystem::path& folder);

std::string print_contents(const std::vector<ContentFile>& files);

// The inverse of print_contents. Errors: system.
Result<std::vector<ContentFile>> parse_contents(std::string_view text, const std::filesystem::path& where);

}  // namespace metamorph::store
