#include "pipeline/project_folder.h"

#include <set>
#include <sstream>

#include <fmt/format.h>

#include "util/file.h"

namespace metamorph::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_manifest = ".metamorph-files";
constexpr std::int64_t k_manifest_bytes_max = 16 << 20;

// A path out of a manifest is only believed if it stays below the folder.
bool is_inside(const fs::path& relative) {
    if (relative.empty() || relative.is_absolute()) {
        return false;
    }
    for (const fs::path& part : relative) {
        if (part == "..") {
            return false;
        }
    }
    return true;
}

Result<std::set<std::string>> read_manifest(const fs::path& folder) {
    std::set<std::string> files;
    std::error_code error;
    if (!fs::exists(folder / k_manifest, error)) {
        if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
            return fail_with_hint(ErrorCode::options, folder.string(), "this is a file, not a folder",
                                  "name another with -o");
        }
        if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
            return fail_with_hint(ErrorCode::options, folder.string(),
                                  "this folder holds something that Metamorph did not write",
                                  "name an empty or a new folder with -o");
        }
        return files;
    }
    MM_TRY(const std::vector<std::byte> text, read_file(folder / k_manifest, k_manifest_bytes_max));
    std::istringstream lines(std::string(reinterpret_cast<const char*>(text.data()), text.size()));
    for (std::string line; std::getline(lines, line);) {
        if (is_inside(line)) {
            files.insert(line);
        }
    }
    return files;
}

}  // namespace

Result<WriteCounts> write_project(const fs::path& folder, const std::map<std::string, std::string>& files) {
    MM_TRY(const std::set<std::string> before, read_manifest(folder));
    WriteCounts counts;
    std::string manifest;
    for (const auto& [path, contents] : files) {
        manifest += path + "\n";
    }
    // The union first: whatever interrupts us, each file of ours stays known.
    std::string both = manifest;
    for (const std::string& path : before) {
        if (files.count(path) == 0) {
            both += path + "\n";
        }
    }
    MM_CHECK(write_file_if_changed(folder / k_manifest, both));
    for (const auto& [path, contents] : files) {
        MM_TRY(const WriteOutcome outcome, write_file_if_changed(folder / path, contents));
        (outcome == WriteOutcome::written ? counts.written : counts.unchanged) += 1;
    }
    std::error_code error;
    for (const std::string& path : before) {
        if (files.count(path) == 0 && fs::remove(folder / path, error)) {
            counts.removed += 1;
        }
    }
    MM_CHECK(write_file_if_changed(folder / k_manifest, manifest));
    return counts;
}

}  // namespace metamorph::pipeline
