// The files from which a library is built, wherever they come from, and patterns of their paths.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace metamorph::libraries {

struct SourceTree {
    std::string origin;              // for messages: a folder, "Metamorph's own runtime"
    std::string version;             // of a third party's; may be empty
    std::vector<std::string> paths;  // relative, with '/', sorted
    std::function<Result<std::string>(const std::string&)> read;
};

// All files below a folder, but for those below .git. Errors: options (no such folder), system (too many).
Result<SourceTree> tree_of_folder(const std::filesystem::path& folder, const std::string& where);

SourceTree tree_of_files(std::map<std::string, std::string> files, const std::string& origin);

// '*' and '?' stand for anything but '/', "**" for any number of folders: "**/*.c", "kernels/**".
bool matches(std::string_view pattern, std::string_view path);

}  // namespace metamorph::libraries
