// Whole files in, whole files out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace metamorph {

// The contents of a regular file of at most `bytes_max` bytes. Reads what is there, never trusting the size that the
// file system reports beyond using it as a hint. Errors: system (absent, a folder, unreadable, larger than the limit).
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, std::int64_t bytes_max);

enum class WriteOutcome { unchanged, written };

// Makes `path` hold exactly `contents`, creating its folders. A file that already does is left alone, so that build
// systems see nothing new; any other is replaced by a rename, so that a reader sees the old or the new contents and
// never a part. Errors: system.
Result<WriteOutcome> write_file_if_changed(const std::filesystem::path& path, std::string_view contents);

// Writes files below `folder`, relative path → contents, making folders as needed. Nothing else is touched.
Status write_files(const std::filesystem::path& folder, const std::map<std::string, std::string>& files);

}  // namespace metamorph
