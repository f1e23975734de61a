// Folders that hold generated files.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "util/result.h"

namespace metamorph::pipeline {

// Writes files below `folder`, relative path → contents, making folders as needed. Nothing else is touched.
Status write_files(const std::filesystem::path& folder, const std::map<std::string, std::string>& files);

struct WriteCounts {
    int written = 0, unchanged = 0, removed = 0;
};

// Makes `folder` hold exactly this project: files that did not change are not rewritten (builds stay warm), files that
// an earlier project of ours left there and this one lacks are removed; the list is kept in `.metamorph-files`. Files
// of the user's own stay. Errors: options (the folder holds something, and not a project of ours), system.
Result<WriteCounts> write_project(const std::filesystem::path& folder, const std::map<std::string, std::string>& files);

// A folder of our own below the temporary folder, removed with all that is in it.
class ScratchFolder {
public:
    static Result<ScratchFolder> make(const std::string& name);
    ScratchFolder(ScratchFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    ScratchFolder& operator=(ScratchFolder&& other) noexcept {
        std::swap(m_path, other.m_path);
        return *this;
    }
    ~ScratchFolder();
    const std::filesystem::path& path() const { return m_path; }

private:
    explicit ScratchFolder(std::filesystem::path path) : m_path(std::move(path)) {}
    std::filesystem::path m_path;
};

}  // namespace metamorph::pipeline
