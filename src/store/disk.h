// The doors to the world that the store needs: a disk with locks, and a clock. Tests put fakes there that fail, stop or
// lose power at any step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace metamorph::store {

// Held while the object lives; the death of its process frees it.
class Lock {
public:
    virtual ~Lock() = default;
};

struct LockRequest {
    bool is_shared = false;
    bool waits = true;          // false: where it is taken, the answer is no lock
    bool removes_file = false;  // at its end the file is removed; never for locks that are ever shared
};

struct FileEntry {
    std::filesystem::path path;  // relative to the folder that was asked for, with '/'
    std::int64_t bytes = 0;
};

// May be used from several threads. Errors: system, with the cause.
class Disk {
public:
    virtual ~Disk() = default;

    virtual bool exists(const std::filesystem::path& path) = 0;
    // Names in a folder, sorted; none where there is no such folder.
    virtual Result<std::vector<std::string>> list(const std::filesystem::path& folder) = 0;
    // All files below a folder, sorted. An error where something is neither a file nor a folder.
    virtual Result<std::vector<FileEntry>> files_below(const std::filesystem::path& folder) = 0;
    virtual Result<std::string> read(const std::filesystem::path& path) = 0;

    virtual Status make_folders(const std::filesystem::path& path) = 0;
    // A new file, or new contents of one that may be written; not durable, not atomic.
    virtual Status write(const std::filesystem::path& path, std::string_view contents) = 0;
    virtual Status append(const std::filesystem::path& path, std::string_view contents) = 0;
    // Makes all files and folders below durable, itself included.
    virtual Status sync_tree(const std::filesystem::path& path) = 0;
    // Makes what was put into a folder, or taken from it, durable.
    virtual Status sync_folder(const std::filesystem::path& path) = 0;
    // Files below, and folders but for the topmost: a folder that is read-only cannot be moved.
    virtual Status make_read_only(const std::filesystem::path& path) = 0;
    // Atomic. An error where something is at `to`, but for an empty folder.
    virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
    // A file or a folder with all that is in it, read-only or not; no error where there is none.
    virtual Status remove(const std::filesystem::path& path) = 0;

    virtual std::optional<std::int64_t> stamp(const std::filesystem::path& path) = 0;  // seconds; nothing: no file
    // Makes an empty file where there is none.
    virtual Status set_stamp(const std::filesystem::path& path, std::int64_t seconds) = 0;

    // Makes the file where there is none. A null pointer where the lock is taken and the request does not wait.
    virtual Result<std::unique_ptr<Lock>> lock(const std::filesystem::path& path, const LockRequest& request) = 0;
};

class Clock {
public:
    virtual ~Clock() = default;
    virtual std::int64_t seconds() = 0;  // since 1970
};

std::unique_ptr<Disk> make_real_disk();
std::unique_ptr<Clock> make_real_clock();

}  // namespace metamorph::store
