// Reading and replacing files with POSIX calls. iostreams were rejected: they cannot tell why something failed. The
// temporary file sits beside its target, because a rename is atomic within one file system only; its name carries the
// process id and a counter, so that two writers of one file cannot share it.
#include "util/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace metamorph {

namespace {

namespace fs = std::filesystem;

class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return m_fd; }
    bool is_open() const { return m_fd >= 0; }
    bool close() {  // false if data that were written got lost
        const int fd = m_fd;
        m_fd = -1;
        return fd < 0 || ::close(fd) == 0;
    }

private:
    int m_fd;
};

tl::unexpected<Error> system_failure(const fs::path& path, std::string_view verb, int error) {
    return fail(ErrorCode::system, path.string(), "cannot {} {}: {}", verb, path.string(), std::strerror(error));
}

tl::unexpected<Error> too_large(const fs::path& path, std::int64_t bytes_max) {
    return fail(ErrorCode::system, path.string(), "{} is larger than the limit of {} bytes", path.string(), bytes_max);
}

bool write_all(int fd, std::string_view contents) {
    while (!contents.empty()) {
        const ssize_t n = ::write(fd, contents.data(), contents.size());
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return false;
        }
        contents.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

bool holds(const fs::path& path, std::string_view contents) {
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        static_cast<std::uint64_t>(status.st_size) != contents.size()) {
        return false;
    }
    const auto found = read_file(path, static_cast<std::int64_t>(contents.size()));
    return found && found->size() == contents.size() &&
           (contents.empty() || std::memcmp(found->data(), contents.data(), contents.size()) == 0);
}

}  // namespace

Result<std::vector<std::byte>> read_file(const fs::path& path, std::int64_t bytes_max) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.is_open()) {
        return system_failure(path, "read", errno);
    }
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0) {
        return system_failure(path, "read", errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return fail(ErrorCode::system, path.string(), "cannot read {}: it is not a regular file", path.string());
    }
    if (status.st_size > bytes_max) {
        return too_large(path, bytes_max);
    }
    // One byte more than the size, so that the end shows in the first round.
    std::vector<std::byte> contents(static_cast<std::size_t>(status.st_size) + 1);
    std::size_t size = 0;
    for (;;) {
        if (size == contents.size()) {
            contents.resize(std::max<std::size_t>(4096, contents.size() * 2));
        }
        const ssize_t n = ::read(file.get(), contents.data() + size, contents.size() - size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return system_failure(path, "read", errno);
        }
        if (n == 0) {
            break;
        }
        size += static_cast<std::size_t>(n);
        if (static_cast<std::int64_t>(size) > bytes_max) {
            return too_large(path, bytes_max);
        }
    }
    contents.resize(size);
    return contents;
}

Result<WriteOutcome> write_file_if_changed(const fs::path& path, std::string_view contents) {
    if (holds(path, contents)) {
        return WriteOutcome::unchanged;
    }
    std::error_code error;
    if (path.has_parent_path()) {
        fs::create_directories(path.parent_path(), error);
        if (error) {
            return system_failure(path.parent_path(), "create folder", error.value());
        }
    }
    static std::atomic<unsigned> counter = 0;
    fs::path temporary = path;
    temporary += fmt::format(".{}.{}.tmp", ::getpid(), counter++);
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.is_open()) {
        return system_failure(path, "write", errno);
    }
    if (!write_all(file.get(), contents) || !file.close() || ::rename(temporary.c_str(), path.c_str()) != 0) {
        const int cause = errno;
        ::unlink(temporary.c_str());
        return system_failure(path, "write", cause);
    }
    return WriteOutcome::written;
}

Status write_files(const std::filesystem::path& folder, const std::map<std::string, std::string>& files) {
    for (const auto& [path, contents] : files) {
        MM_CHECK(write_file_if_changed(folder / path, contents));
    }
    return {};
}

}  // namespace metamorph
