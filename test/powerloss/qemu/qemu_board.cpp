#include "powerloss/qemu/qemu_board.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include <fmt/format.h>

#include "util/process.h"

namespace metamorph {
namespace {

using Core = emu::Firmware::Core;

constexpr std::chrono::seconds k_life_time_max{20};  // from one stop to the next; the longest takes a tenth of a second
constexpr std::uint32_t k_inputs = 0x00, k_sequence = 0x08, k_hand_over = 0x14, k_halt = 0x18, k_data = 0x1000;
constexpr std::uint32_t k_registers_bytes = 0x1C, k_register_bytes = 4;
enum Event : std::uint32_t { k_boot = 0, k_first_boot = 1, k_commit_done = 5 };  // mm_event_t

const char* program_of(Core core) {
    return core == Core::cortex_m4f ? "qemu-system-arm" : "qemu-system-riscv32";
}

std::vector<std::string> command_line(Core core, const std::filesystem::path& elf, int socket) {
    std::vector<std::string> line = {program_of(core), "-nodefaults", "-display", "none", "-S"};
    const std::string chardev = fmt::format("socket,id=gdb,fd={}", socket);
    line.insert(line.end(), {"-chardev", chardev, "-gdb", "chardev:gdb", "-kernel", elf.string()});
    if (core == Core::cortex_m4f) {
        line.insert(line.end(), {"-machine", "mps2-an386"});
    } else {
        line.insert(line.end(), {"-machine", "virt", "-bios", "none", "-cpu", "rv32,a=off,f=off,d=off"});
    }
    return line;
}

// Nothing that a program could take for something of value, and not the same everywhere.
std::string noise(std::uint32_t bytes) {
    std::string text(bytes, '\0');
    std::uint32_t x = 77;
    for (char& c : text) {
        x = x * 1664525U + 1013904223U;
        c = static_cast<char>(x >> 24);
    }
    return text;
}

}  // namespace

std::optional<std::string> missing_qemu(Core core) {
    if (find_program(program_of(core))) {
        return std::nullopt;
    }
    return fmt::format("{} is not installed: no second opinion", program_of(core));
}

QemuBoard::QemuBoard(const emu::Firmware& board, std::uint32_t nvm_at, const verify::FirmwareTables* tables, pid_t pid,
                     int socket)
    : m_board(board),
      m_nvm_at(nvm_at),
      m_tables(tables),
      m_pid(pid),
      m_registered(pid),
      m_gdb(socket),
      m_noise(noise(board.sram_bytes)) {}

QemuBoard::~QemuBoard() {
    ::kill(m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
    m_registered.release();
}

Result<std::unique_ptr<QemuBoard>> QemuBoard::start(const emu::Firmware& board, std::uint32_t nvm_at,
                                                    const std::filesystem::path& elf,
                                                    const verify::FirmwareTables* tables) {
    constexpr int k_socket = 3;  // in the child
    const auto program = find_program(program_of(board.core));
    int ends[2] = {-1, -1};
    if (!program) {
        return fail(ErrorCode::toolchain, program_of(board.core), "it is not installed");
    }
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail(ErrorCode::system, program->string(), "no socket: {}", std::strerror(errno));
    }
    const std::vector<std::string> line = command_line(board.core, elf, k_socket);
    std::vector<char*> argv;
    for (const std::string& word : line) {
        argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    const std::string path = program->string();
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int high = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 10);  // dup2 of 3 to 3 would leave it closed at exec
        if (::getppid() != parent || high < 0 || ::dup2(high, k_socket) < 0) {
            ::_exit(127);
        }
        ::execv(path.c_str(), argv.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    if (pid < 0) {
        ::close(ends[0]);
        return fail(ErrorCode::system, path, "it cannot be started: {}", std::strerror(errno));
    }
    std::unique_ptr<QemuBoard> started(new QemuBoard(board, nvm_at, tables, pid, ends[0]));
    MM_CHECK(started->prepare());
    return started;
}

Status QemuBoard::prepare() {
    MM_CHECK(m_gdb.begin());
    MM_CHECK(m_gdb.write_memory(m_board.inputs, m_board.input_bytes));
    MM_CHECK(m_gdb.watch_writes(m_board.io + k_hand_over, k_register_bytes));
    MM_CHECK(m_gdb.watch_writes(m_board.io + k_halt, k_register_bytes));
    return m_tables == nullptr ? Status() : m_gdb.set_breakpoint(m_tables->event_function);
}

Status QemuBoard::power_on(const std::string& nvm) {
    MM_CHECK(m_gdb.monitor("system_reset"));
    MM_CHECK(m_gdb.write_memory(m_board.sram, m_noise));
    MM_CHECK(m_gdb.write_memory(m_board.io, std::string(k_registers_bytes, '\0')));
    const auto inferences = static_cast<char>(m_board.inferences);
    MM_CHECK(m_gdb.write_memory(m_board.io + k_inputs, std::string_view(&inferences, 1)));
    return m_gdb.write_memory(m_nvm_at, nvm);
}

Result<std::string> QemuBoard::read_nvm() {
    return m_gdb.read_memory(m_nvm_at, m_nvm_bytes);
}

Result<QemuLife> QemuBoard::live(const std::string& nvm, const IsCut& is_cut) {
    m_nvm_bytes = static_cast<std::uint32_t>(nvm.size());
    MM_CHECK(power_on(nvm));
    if (is_cut) {
        MM_CHECK(m_gdb.watch_writes(m_nvm_at, m_nvm_bytes));
    }
    Result<QemuLife> life = run(is_cut);
    if (life) {
        MM_TRY(life->nvm, read_nvm());
        if (is_cut) {
            MM_CHECK(m_gdb.unwatch_writes(m_nvm_at, m_nvm_bytes));
        }
    }
    return life;
}

Result<QemuLife> QemuBoard::run(const IsCut& is_cut) {
    QemuLife life;
    bool is_place = is_cut != nullptr;  // before the first write, too
    for (;;) {
        if (is_place && is_cut) {
            MM_TRY(const bool is_over, is_cut(life));
            if (is_over) {
                life.end = QemuLife::End::cut;
                return life;
            }
        }
        MM_TRY(const GdbLink::Stop stop, m_gdb.go_on(k_life_time_max));
        if (stop.is_late) {
            life.end = QemuLife::End::endless;
            return life;
        }
        const bool is_nvm = stop.watch == m_nvm_at;
        if (!stop.watch) {
            MM_CHECK(see_event(life));
        }
        MM_CHECK(m_gdb.step_over(stop, is_nvm ? m_nvm_bytes : k_register_bytes));
        is_place = stop.watch.has_value();
        if (!is_place) {
            continue;
        }
        if (is_nvm) {
            ++life.writes;
        } else if (*stop.watch == m_board.io + k_hand_over) {
            MM_CHECK(see_output(life));
        } else {
            MM_TRY(life.halt, m_gdb.read_word(m_board.io + k_halt));
            return life;
        }
    }
}

Status QemuBoard::see_output(QemuLife& life) {
    MM_TRY(const std::uint32_t sequence, m_gdb.read_word(m_board.io + k_sequence));
    MM_TRY(const std::uint32_t index, m_gdb.read_word(m_board.io + k_sequence + 4));
    MM_TRY(const std::uint32_t bytes, m_gdb.read_word(m_board.io + k_sequence + 8));
    MM_TRY(std::string data, m_gdb.read_memory(m_board.io + k_data, bytes));
    life.outputs.push_back({sequence, index, std::move(data)});
    return {};
}

// At the first instruction of mm_port_event.
Status QemuBoard::see_event(QemuLife& life) {
    const bool is_arm = m_board.core == Core::cortex_m4f;
    MM_TRY(const std::uint32_t pc, m_gdb.read_register(is_arm ? 15 : 32));
    if (m_tables == nullptr || pc != m_tables->event_function) {
        return fail(ErrorCode::system, "QEMU", "it stopped at {:#x}, where there is no breakpoint", pc);
    }
    const unsigned first = is_arm ? 0 : 10;
    MM_TRY(const std::uint32_t event, m_gdb.read_register(first));
    if (event == k_boot) {
        MM_TRY(const std::uint32_t inference, m_gdb.read_word(m_tables->inference_at));
        MM_TRY(const std::uint32_t task, m_gdb.read_register(first + 1));
        life.resumed_at.push_back(static_cast<int>(inference * m_tables->task_functions.size() + task));
    }
    life.first_boots += event == k_first_boot ? 1 : 0;
    life.commits += event == k_commit_done ? 1 : 0;
    return {};
}

}  // namespace metamorph
