// Between fork and exec only async-signal-safe calls are made (other threads may hold any lock at the fork); so all
// that needs memory is prepared before. What fails there is told through a close-on-exec pipe.
//
// Order at the end: waitid(WNOWAIT) leaves the child a zombie, so that its number cannot be given to someone else while
// its group is killed; only then it is reaped.
#include "util/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "util/interrupt.h"

extern char** environ;

namespace metamorph {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : m_fd(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~FileDescriptor() { close(); }
    int get() const { return m_fd; }
    void close() {
        if (m_fd >= 0) {
            ::close(std::exchange(m_fd, -1));
        }
    }

private:
    int m_fd = -1;
};

std::string reason(int error) {
    return std::error_code(error, std::generic_category()).message();
}

// Takes `fd` over under a number above the standard streams', which the child will overwrite: ours may be closed.
FileDescriptor above_standard_streams(int fd) {
    if (fd < 0 || fd > STDERR_FILENO) {
        return FileDescriptor(fd);
    }
    const int higher = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    ::close(fd);
    errno = error;
    return FileDescriptor(higher);
}

Result<FileDescriptor> open_file(const fs::path& path, int flags) {
    FileDescriptor file = above_standard_streams(::open(path.c_str(), flags | O_CLOEXEC, 0666));
    if (file.get() < 0) {
        return fail(ErrorCode::system, path.string(), "the file cannot be opened: {}", reason(errno));
    }
    return file;
}

Result<FileDescriptor> anonymous_file(const std::string& contents = {}) {
    FileDescriptor file = above_standard_streams(::memfd_create("metamorph", MFD_CLOEXEC));
    if (file.get() < 0) {
        return fail(ErrorCode::system, {}, "no anonymous file: {}", reason(errno));
    }
    for (std::size_t done = 0; done < contents.size();) {
        const ssize_t written = ::write(file.get(), contents.data() + done, contents.size() - done);
        if (written < 0) {
            return fail(ErrorCode::system, {}, "the input of a program cannot be stored: {}", reason(errno));
        }
        done += static_cast<std::size_t>(written);
    }
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

std::string contents_of(const FileDescriptor& file) {
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) {
        return {};
    }
    std::string text(static_cast<std::size_t>(info.st_size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got = ::pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (got <= 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

struct Streams {
    FileDescriptor input, output, error;  // `error` is empty where it goes where output goes
};

Result<Streams> open_streams(const ProcessRequest& request) {
    Streams streams;
    if (!request.input_file.empty()) {
        MM_TRY(streams.input, open_file(request.input_file, O_RDONLY));
    } else if (request.input.empty()) {
        MM_TRY(streams.input, open_file("/dev/null", O_RDONLY));
    } else {
        MM_TRY(streams.input, anonymous_file(request.input));
    }
    constexpr int k_new_file = O_WRONLY | O_CREAT | O_TRUNC;
    if (request.output_file.empty()) {
        MM_TRY(streams.output, anonymous_file());
    } else {
        MM_TRY(streams.output, open_file(request.output_file, k_new_file));
    }
    if (request.error_file.empty()) {
        MM_TRY(streams.error, anonymous_file());
    } else if (request.error_file != request.output_file) {
        MM_TRY(streams.error, open_file(request.error_file, k_new_file));
    }
    return streams;
}

// All that the child needs, in the form system calls want it.
struct Prepared {
    std::string program;
    std::vector<char*> argv, environment;
    std::vector<std::string> variables;  // storage of `environment`
    const char* directory = nullptr;
};

Prepared prepare(const ProcessRequest& request, const fs::path& program) {
    Prepared prepared;
    prepared.program = program.string();
    for (const std::string& argument : request.argv) {
        prepared.argv.push_back(const_cast<char*>(argument.c_str()));
    }
    prepared.argv.push_back(nullptr);
    for (char** variable = environ; request.inherits_environment && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const std::string_view name = text.substr(0, text.find('='));
        bool is_replaced = false;
        for (const auto& [key, value] : request.environment) {
            is_replaced = is_replaced || key == name;
        }
        if (!is_replaced) {
            prepared.variables.emplace_back(text);
        }
    }
    for (const auto& [key, value] : request.environment) {
        prepared.variables.push_back(key + "=" + value);
    }
    for (std::string& variable : prepared.variables) {
        prepared.environment.push_back(variable.data());
    }
    prepared.environment.push_back(nullptr);
    prepared.directory = request.directory.empty() ? nullptr : request.directory.c_str();
    return prepared;
}

// Never above the limit that we have ourselves: nobody but root may raise it, and a child of a child has one of ours.
bool set_limit(__rlimit_resource resource, std::int64_t value) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) {
        return false;
    }
    limit.rlim_max = std::min(limit.rlim_max, static_cast<rlim_t>(value));
    limit.rlim_cur = limit.rlim_max;
    return ::setrlimit(resource, &limit) == 0;
}

// Runs in the child. Returns only what failed: errno, negative where the folder is at fault.
int become(const Prepared& prepared, const Streams& streams, const ProcessRequest& request, pid_t parent) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(127);  // the parent died before it could be watched
    }
    const int error = streams.error.get() >= 0 ? streams.error.get() : streams.output.get();
    if (::dup2(streams.input.get(), STDIN_FILENO) < 0 || ::dup2(streams.output.get(), STDOUT_FILENO) < 0 ||
        ::dup2(error, STDERR_FILENO) < 0) {
        return errno;
    }
    if (prepared.directory != nullptr && ::chdir(prepared.directory) != 0) {
        return -errno;
    }
    if (!set_limit(RLIMIT_CORE, 0) || !set_limit(RLIMIT_FSIZE, request.file_bytes_max) ||
        (request.memory_bytes_max > 0 && !set_limit(RLIMIT_AS, request.memory_bytes_max))) {
        return errno;
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(prepared.program.c_str(), prepared.argv.data(), prepared.environment.data());
    return errno;
}

Status start_error(int error, const ProcessRequest& request) {
    if (error < 0) {
        return fail(ErrorCode::system, request.directory.string(), "'{}' cannot be run in this folder: {}",
                    request.argv.front(), reason(-error));
    }
    return fail(error == ENOMEM || error == EMFILE ? ErrorCode::system : ErrorCode::toolchain, {},
                "'{}' cannot be executed: {}", request.argv.front(), reason(error));
}

// True if the child ended within the time. Polls its file descriptor; on kernels without such, its state.
bool wait_for_end(pid_t pid, std::chrono::milliseconds timeout, Clock::time_point start) {
    const FileDescriptor watched(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    while (true) {
        siginfo_t info{};
        const int options = WEXITED | WNOWAIT | (timeout.count() > 0 || watched.get() >= 0 ? WNOHANG : 0);
        if (::waitid(P_PID, static_cast<id_t>(pid), &info, options) == 0 && info.si_pid == pid) {
            return true;
        }
        int wait_ms = -1;
        if (timeout.count() > 0) {
            const auto left = timeout - std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
            if (left.count() <= 0) {
                return false;
            }
            wait_ms = static_cast<int>(std::min<std::int64_t>(left.count(), 3'600'000));
        }
        if (watched.get() >= 0) {
            pollfd event{watched.get(), POLLIN, 0};
            ::poll(&event, 1, wait_ms);
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
}

ProcessOutcome reap(pid_t pid, bool ended, RegisteredChild& registered) {
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);  // has no effect on a zombie; on a child that is not a group leader yet, it has
    int status = 0;
    rusage usage{};
    registered.release();
    while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    ProcessOutcome outcome;
    outcome.peak_memory_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
    if (WIFSIGNALED(status)) {
        outcome.end = ended ? ProcessOutcome::End::signalled : ProcessOutcome::End::timed_out;
        outcome.signal = WTERMSIG(status);
    } else {
        outcome.status = WEXITSTATUS(status);
    }
    return outcome;
}

}  // namespace

std::string ProcessOutcome::print() const {
    switch (end) {
        case End::exited:
            return fmt::format("exit status {}", status);
        case End::signalled:
            return fmt::format("signal {} ({})", signal, ::strsignal(signal));
        case End::timed_out:
            return "timed out";
    }
    return {};
}

std::optional<fs::path> find_program(const std::string& name) {
    const auto is_program = [](const fs::path& path) {
        std::error_code ignored;
        return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) {
        return is_program(name) ? std::optional<fs::path>(name) : std::nullopt;
    }
    const char* variable = std::getenv("PATH");
    std::string_view path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    while (!name.empty() && !path.empty()) {
        const std::size_t colon = path.find(':');
        const fs::path candidate = fs::path(path.substr(0, colon)) / name;
        if (is_program(candidate)) {
            return candidate;
        }
        path = colon == std::string_view::npos ? std::string_view{} : path.substr(colon + 1);
    }
    return std::nullopt;
}

Result<ProcessOutcome> run_process(const ProcessRequest& request) {
    if (request.argv.empty()) {
        return fail(ErrorCode::internal, {}, "a program without a name was to be run");
    }
    // Made absolute, as the child may work in another folder.
    const std::optional<fs::path> program = find_program(request.argv.front());
    if (!program) {
        return fail(ErrorCode::toolchain, {}, "there is no program '{}'", request.argv.front());
    }
    const Prepared prepared = prepare(request, fs::absolute(*program));
    MM_TRY(Streams streams, open_streams(request));
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return fail(ErrorCode::system, {}, "no pipe: {}", reason(errno));
    }
    FileDescriptor started = above_standard_streams(ends[0]), failed = above_standard_streams(ends[1]);

    const Clock::time_point start = Clock::now();
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) {
        return fail(ErrorCode::system, {}, "no process: {}", reason(errno));
    }
    if (pid == 0) {
        const int error = become(prepared, streams, request, parent);
        const ssize_t told = ::write(failed.get(), &error, sizeof error);
        ::_exit(told == sizeof error ? 127 : 126);
    }
    RegisteredChild registered(pid);
    failed.close();
    int error = 0;
    ssize_t got = 0;
    while ((got = ::read(started.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    const bool ended = wait_for_end(pid, request.timeout, start);
    ProcessOutcome outcome = reap(pid, ended, registered);
    if (got == sizeof error) {
        return tl::unexpected<Error>(start_error(error, request).error());
    }
    outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (request.output_file.empty()) {
        outcome.output = contents_of(streams.output);
    }
    if (request.error_file.empty()) {
        outcome.errors = contents_of(streams.error);
    }
    return outcome;
}

}  // namespace metamorph
