#include "emu/worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

namespace metamorph::emu {
namespace {

constexpr std::uint32_t k_answer_bytes_max = 1U << 30;
constexpr int k_launches_max = 3;

std::string reason() {
    return std::error_code(errno, std::generic_category()).message();
}

template <typename T>
std::string packed(const T& value) {
    Writer writer;
    writer(value);
    return writer.take();
}

// For the life of the object, writing into a pipe that nobody reads any more is an error of write(), not the end of
// this process. SIGPIPE goes to the thread that writes; ignoring it would be inherited by all that we start.
class WithoutSigpipe {
public:
    WithoutSigpipe() {
        ::sigemptyset(&m_pipe);
        ::sigaddset(&m_pipe, SIGPIPE);
        ::pthread_sigmask(SIG_BLOCK, &m_pipe, &m_before);
    }
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;
    ~WithoutSigpipe() {
        const timespec at_once{};
        while (::sigtimedwait(&m_pipe, nullptr, &at_once) < 0 && errno == EINTR) {
        }
        ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }

private:
    sigset_t m_pipe{}, m_before{};
};

}  // namespace

// A child process and the two pipes to it. Killed and waited for at the end of its life.
struct Worker::Process {
    pid_t pid = -1;
    int to = -1, from = -1;
    std::unique_ptr<RegisteredChild> registered;

    Process() = default;
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() {
        for (const int fd : {to, from}) {
            if (fd >= 0) {
                ::close(fd);
            }
        }
        if (pid > 0) {
            ::kill(pid, SIGKILL);
            registered.reset();
            while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
    }

    bool write_all(const char* at, std::size_t bytes) const {
        const WithoutSigpipe quiet;
        while (bytes > 0) {
            const ssize_t written = ::write(to, at, bytes);
            if (written < 0 && errno == EINTR) {
                continue;
            }
            if (written <= 0) {
                return false;
            }
            at += written;
            bytes -= static_cast<std::size_t>(written);
        }
        return true;
    }
    bool read_all(char* at, std::size_t bytes) const {
        while (bytes > 0) {
            const ssize_t got = ::read(from, at, bytes);
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got <= 0) {
                return false;
            }
            at += got;
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }
};

Result<std::filesystem::path> find_worker() {
    namespace fs = std::filesystem;
    std::error_code error;
    if (const char* named = std::getenv("METAMORPH_EMU"); named != nullptr && *named != '\0') {
        if (::access(named, X_OK) == 0) {
            return fs::path(named);
        }
        return fail_with_hint(
            ErrorCode::toolchain, "METAMORPH_EMU", fmt::format("'{}' is no program", named),
            "it is the path of the emulator, metamorph-emu; leave it unset to take the one beside metamorph");
    }
    const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path() / "metamorph-emu";
    if (!error && ::access(beside.c_str(), X_OK) == 0) {
        return beside;
    }
    return fail_with_hint(ErrorCode::toolchain, beside.string(), "the emulator, metamorph-emu, is not there",
                          "build it ('make build' does), or say where it is: METAMORPH_EMU=/path/to/metamorph-emu");
}

Worker::Worker(std::filesystem::path program, Firmware firmware)
    : m_program(std::move(program)), m_firmware(std::make_unique<Firmware>(std::move(firmware))) {}

Worker::Worker(Worker&& other) noexcept = default;
Worker& Worker::operator=(Worker&& other) noexcept = default;
Worker::~Worker() = default;

pid_t Worker::pid() const {
    return m_process ? m_process->pid : -1;
}

Result<Worker> Worker::start(const std::filesystem::path& program, Firmware firmware) {
    Worker worker(program, std::move(firmware));
    MM_CHECK(worker.launch());
    return worker;
}

// One that is killed while it starts is started again, as one that is killed later.
Status Worker::launch() {
    Status status = launch_once();
    for (int i = 1; i < k_launches_max && !status && status.error().code == ErrorCode::system; ++i) {
        ++m_restarts;
        status = launch_once();
    }
    return status;
}

Status Worker::launch_once() {
    m_process.reset();
    auto process = std::make_unique<Process>();
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
        return fail(ErrorCode::system, m_program.string(), "no pipe to the emulator: {}", reason());
    }
    const std::string path = m_program.string();
    const pid_t parent = ::getpid();
    process->pid = ::fork();
    if (process->pid == 0) {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent || ::dup2(in[0], STDIN_FILENO) < 0 || ::dup2(out[1], STDOUT_FILENO) < 0) {
            ::_exit(127);
        }
        const char* const argv[] = {path.c_str(), nullptr};
        ::execv(path.c_str(), const_cast<char* const*>(argv));
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    process->to = in[1];
    process->from = out[0];
    if (process->pid < 0) {
        return fail(ErrorCode::system, path, "the emulator cannot be started: {}", reason());
    }
    process->registered = std::make_unique<RegisteredChild>(process->pid);
    m_process = std::move(process);
    Writer request;
    request(std::string(METAMORPH_WIRE_ID));
    request(*m_firmware);
    const Result<std::string> loaded = exchange(Frame::load, request.take());
    if (!loaded && loaded.error().code == ErrorCode::internal) {
        return fail_with_hint(ErrorCode::toolchain, path,
                              "this emulator belongs to another build of metamorph: " + loaded.error().message,
                              "use the one that was built with it: leave METAMORPH_EMU unset, or build anew");
    }
    MM_CHECK(loaded);
    if (m_recorded) {
        MM_CHECK(exchange(Frame::record, *m_recorded));
    }
    return {};
}

Result<std::string> Worker::exchange(Frame type, const std::string& payload) {
    const auto gone = [&] {
        return fail(ErrorCode::system, m_program.string(), "the emulator is gone: it was killed, or it crashed");
    };
    std::string header(5, '\0');
    auto bytes = static_cast<std::uint32_t>(payload.size());
    std::memcpy(header.data(), &bytes, 4);
    header[4] = static_cast<char>(type);
    if (!m_process || !m_process->write_all(header.data(), header.size()) ||
        !m_process->write_all(payload.data(), payload.size()) || !m_process->read_all(header.data(), header.size())) {
        return gone();
    }
    std::memcpy(&bytes, header.data(), 4);
    if (bytes > k_answer_bytes_max) {
        return fail(ErrorCode::internal, m_program.string(), "an answer of the emulator is too large: {} bytes", bytes);
    }
    std::string answer(bytes, '\0');
    if (!m_process->read_all(answer.data(), bytes)) {
        return gone();
    }
    if (static_cast<Frame>(header[4]) == Frame::error) {
        return fail(ErrorCode::internal, m_program.string(), "the emulator does not go on: {}", answer);
    }
    return answer;
}

Status Worker::restart() {
    ++m_restarts;
    return launch();
}

template <typename T>
Result<T> Worker::ask_for(Frame type, const std::string& payload) {
    const Result<std::string> answer = exchange(type, payload);
    if (!answer) {
        return tl::unexpected(answer.error());
    }
    try {
        T value;
        Reader reader(*answer);
        reader(value);
        reader.end();
        return value;
    } catch (const WireError& error) {
        return fail(ErrorCode::internal, m_program.string(), "an answer of the emulator is damaged: {}", error.what());
    }
}

Result<PlainRun> Worker::run_plain() {
    Result<PlainRun> run = ask_for<PlainRun>(Frame::plain, {});
    if (!run && run.error().code == ErrorCode::system) {
        MM_CHECK(restart());
        run = ask_for<PlainRun>(Frame::plain, {});
    }
    return run;
}

Result<std::vector<RawSegment>> Worker::record(const std::string& nvm) {
    const std::string request = packed(nvm);
    MM_TRY(std::vector<RawSegment> segments, ask_for<std::vector<RawSegment>>(Frame::record, request));
    m_recorded = std::make_unique<std::string>(request);
    return segments;
}

Result<std::vector<RawBoot>> Worker::boot(const std::vector<RawImage>& images, bool wants_needed) {
    Writer writer;
    writer(wants_needed);
    writer(images);
    return ask_for<std::vector<RawBoot>>(Frame::boot, writer.take());
}

Result<CutRun> Worker::run_with_cut(const std::string& nvm, const CutSpec& cut) {
    Writer writer;
    writer(nvm);
    writer(cut);
    return ask_for<CutRun>(Frame::cut, writer.take());
}

}  // namespace metamorph::emu
