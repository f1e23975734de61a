// POSIX behind the Disk. Locks are flock's: the kernel frees them when their process dies, however it dies, so there is
// no stale lock. A lock file may be removed by its holder: whoever waited for it then sees that the name leads
// elsewhere and tries again. Rejected: files whose existence is the lock (a killed owner leaves them), fcntl locks (any
// close of the file by the process frees them).
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "store/disk.h"
#include "util/file.h"

namespace metamorph::store {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_file_bytes_max = std::int64_t{1} << 32;

tl::unexpected<Error> failure(const fs::path& path, std::string_view verb, int error) {
    return fail(ErrorCode::system, path.string(), "cannot {} {}: {}", verb, path.string(), std::strerror(error));
}

class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    Descriptor(Descriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() { close(); }
    int get() const { return m_fd; }
    bool is_open() const { return m_fd >= 0; }
    bool close() {
        const int fd = std::exchange(m_fd, -1);
        return fd < 0 || ::close(fd) == 0;
    }

private:
    int m_fd;
};

class FileLock : public Lock {
public:
    FileLock(Descriptor file, fs::path removed) : m_file(std::move(file)), m_removed(std::move(removed)) {}
    ~FileLock() override {
        if (!m_removed.empty()) {
            ::unlink(m_removed.c_str());  // while it is held
        }
    }

private:
    Descriptor m_file;
    fs::path m_removed;
};

Status write_with(const fs::path& path, std::string_view contents, int flags) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666));
    if (!file.is_open()) {
        return failure(path, "write", errno);
    }
    while (!contents.empty()) {
        const ssize_t n = ::write(file.get(), contents.data(), contents.size());
        if (n < 0 && errno != EINTR) {
            return failure(path, "write", errno);
        }
        contents.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
    return file.close() ? Status{} : failure(path, "write", errno);
}

Status sync(const fs::path& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open() || ::fsync(file.get()) != 0) {
        return failure(path, "make durable", errno);
    }
    return {};
}

// Calls visit(path, is_folder) for all below `folder`, contents before their folders. Links are not followed.
template <typename Visit>
Status for_all_below(const fs::path& folder, const Visit& visit) {
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error) {
        return failure(folder, "read", error.value());
    }
    std::vector<fs::path> paths;
    for (; entries != fs::directory_iterator(); entries.increment(error)) {
        paths.push_back(entries->path());
    }
    if (error) {
        return failure(folder, "read", error.value());
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
        const fs::file_status status = fs::symlink_status(path, error);
        if (fs::is_directory(status)) {
            MM_CHECK(for_all_below(path, visit));
        }
        MM_CHECK(visit(path, status));
    }
    return {};
}

class RealDisk : public Disk {
public:
    bool exists(const fs::path& path) override {
        struct stat status{};
        return ::lstat(path.c_str(), &status) == 0;
    }

    Result<std::vector<std::string>> list(const fs::path& folder) override {
        std::vector<std::string> names;
        std::error_code error;
        fs::directory_iterator entries(folder, error);
        if (error == std::errc::no_such_file_or_directory) {
            return names;
        }
        for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
            names.push_back(entries->path().filename().string());
        }
        if (error) {
            return failure(folder, "read", error.value());
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    Result<std::vector<FileEntry>> files_below(const fs::path& folder) override {
        std::vector<FileEntry> files;
        MM_CHECK(for_all_below(folder, [&](const fs::path& path, const fs::file_status& status) -> Status {
            if (fs::is_directory(status)) {
                return {};
            }
            if (!fs::is_regular_file(status)) {
                return fail(ErrorCode::system, path.string(), "{} is neither a file nor a folder", path.string());
            }
            std::error_code error;
            const auto bytes = static_cast<std::int64_t>(fs::file_size(path, error));
            files.push_back({path.lexically_relative(folder), bytes});
            return error ? Status(failure(path, "read", error.value())) : Status{};
        }));
        std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
        return files;
    }

    Result<std::string> read(const fs::path& path) override {
        MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_file_bytes_max));
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }

    Status make_folders(const fs::path& path) override {
        std::error_code error;
        fs::create_directories(path, error);
        return error ? Status(failure(path, "make folder", error.value())) : Status{};
    }

    Status write(const fs::path& path, std::string_view contents) override {
        return write_with(path, contents, O_TRUNC);
    }
    Status append(const fs::path& path, std::string_view contents) override {
        return write_with(path, contents, O_APPEND);
    }

    Status sync_tree(const fs::path& path) override {
        MM_CHECK(for_all_below(path, [](const fs::path& below, const fs::file_status&) { return sync(below); }));
        return sync(path);
    }
    Status sync_folder(const fs::path& path) override { return sync(path); }

    Status make_read_only(const fs::path& path) override {
        return for_all_below(path, [](const fs::path& below, const fs::file_status& status) -> Status {
            const mode_t executable = fs::is_directory(status) ? 0111 : 0;
            if (::chmod(below.c_str(), 0444 | executable) != 0) {
                return failure(below, "make read-only", errno);
            }
            return {};
        });
    }

    Status rename(const fs::path& from, const fs::path& to) override {
        return ::rename(from.c_str(), to.c_str()) == 0 ? Status{} : failure(from, "move to " + to.string(), errno);
    }

    Status remove(const fs::path& path) override {
        struct stat status{};
        if (::lstat(path.c_str(), &status) != 0) {
            return errno == ENOENT ? Status{} : failure(path, "remove", errno);
        }
        if (!S_ISDIR(status.st_mode)) {
            return ::unlink(path.c_str()) == 0 || errno == ENOENT ? Status{} : failure(path, "remove", errno);
        }
        ::chmod(path.c_str(), 0700);  // nothing can be taken from a folder that is read-only
        std::error_code error;
        fs::directory_iterator entries(path, error);
        std::vector<fs::path> below;
        for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
            below.push_back(entries->path());
        }
        for (const fs::path& entry : below) {
            MM_CHECK(remove(entry));
        }
        return ::rmdir(path.c_str()) == 0 || errno == ENOENT ? Status{} : failure(path, "remove", errno);
    }

    std::optional<std::int64_t> stamp(const fs::path& path) override {
        struct stat status{};
        if (::stat(path.c_str(), &status) != 0) {
            return std::nullopt;
        }
        return static_cast<std::int64_t>(status.st_mtim.tv_sec);
    }

    Status set_stamp(const fs::path& path, std::int64_t seconds) override {
        const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
        const timespec time{static_cast<time_t>(seconds), 0};
        const timespec times[2] = {time, time};
        if (!file.is_open() || ::futimens(file.get(), times) != 0) {
            return failure(path, "write", errno);
        }
        return {};
    }

    Result<std::unique_ptr<Lock>> lock(const fs::path& path, const LockRequest& request) override {
        const int operation = (request.is_shared ? LOCK_SH : LOCK_EX) | (request.waits ? 0 : LOCK_NB);
        while (true) {
            Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
            if (!file.is_open()) {
                return failure(path, "lock", errno);
            }
            while (::flock(file.get(), operation) != 0) {
                if (errno == EWOULDBLOCK) {
                    return std::unique_ptr<Lock>();
                }
                if (errno != EINTR) {
                    return failure(path, "lock", errno);
                }
            }
            struct stat ours{}, named{};
            if (::fstat(file.get(), &ours) == 0 && ::stat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
                ours.st_dev == named.st_dev) {
                return std::unique_ptr<Lock>(
                    std::make_unique<FileLock>(std::move(file), request.removes_file ? path : fs::path()));
            }
        }
    }
};

class RealClock : public Clock {
public:
    std::int64_t seconds() override {
        return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    }
};

}  // namespace

std::unique_ptr<Disk> make_real_disk() {
    return std::make_unique<RealDisk>();
}

std::unique_ptr<Clock> make_real_clock() {
    return std::make_unique<RealClock>();
}

}  // namespace metamorph::store
