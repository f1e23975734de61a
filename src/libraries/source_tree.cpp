#include "libraries/source_tree.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "util/file.h"

namespace metamorph::libraries {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_files_max = 200'000;
constexpr std::int64_t k_file_bytes_max = std::int64_t{64} << 20;

}  // namespace

Result<SourceTree> tree_of_folder(const fs::path& folder, const std::string& where) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        return fail_with_hint(ErrorCode::options, where, fmt::format("there is no folder {}", folder.string()),
                              "'source.path' is absolute, or relative to the description");
    }
    SourceTree tree;
    tree.origin = folder.string();
    fs::recursive_directory_iterator entries(folder, error);
    for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
        if (entries->is_directory(error)) {
            if (entries->path().filename() == ".git") {
                entries.disable_recursion_pending();
            }
        } else if (entries->is_regular_file(error)) {
            tree.paths.push_back(entries->path().lexically_relative(folder).generic_string());
        }
        if (tree.paths.size() > k_files_max) {
            return fail(ErrorCode::system, folder.string(), "{} holds more than {} files", folder.string(),
                        k_files_max);
        }
    }
    if (error) {
        return fail(ErrorCode::system, folder.string(), "cannot read {}: {}", folder.string(), error.message());
    }
    std::sort(tree.paths.begin(), tree.paths.end());
    tree.read = [folder](const std::string& path) -> Result<std::string> {
        MM_TRY(const std::vector<std::byte> bytes, read_file(folder / path, k_file_bytes_max));
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    return tree;
}

SourceTree tree_of_files(std::map<std::string, std::string> files, const std::string& origin) {
    SourceTree tree;
    tree.origin = origin;
    for (const auto& [path, contents] : files) {
        tree.paths.push_back(path);
    }
    const auto shared = std::make_shared<const std::map<std::string, std::string>>(std::move(files));
    tree.read = [shared, origin](const std::string& path) -> Result<std::string> {
        const auto found = shared->find(path);
        return found == shared->end() ? Result<std::string>(fail(ErrorCode::system, path, "{} has no {}", origin, path))
                                      : found->second;
    };
    return tree;
}

bool matches(std::string_view pattern, std::string_view path) {
    if (pattern.empty()) {
        return path.empty();
    }
    if (pattern.starts_with("**")) {
        std::string_view rest = pattern.substr(2);
        const bool is_folders = rest.starts_with("/");  // "**/x": also without any folder
        rest = is_folders ? rest.substr(1) : rest;
        for (std::size_t at = 0; at <= path.size(); ++at) {
            const bool is_start = !is_folders || at == 0 || path[at - 1] == '/';
            if (is_start && matches(rest, path.substr(at))) {
                return true;
            }
        }
        return false;
    }
    if (pattern.front() == '*') {
        for (std::size_t at = 0;; ++at) {
            if (matches(pattern.substr(1), path.substr(at))) {
                return true;
            }
            if (at == path.size() || path[at] == '/') {
                return false;
            }
        }
    }
    if (path.empty() || (pattern.front() != path.front() && (pattern.front() != '?' || path.front() == '/'))) {
        return false;
    }
    return matches(pattern.substr(1), path.substr(1));
}

}  // namespace metamorph::libraries
