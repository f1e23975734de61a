// A signal handler may neither lock nor allocate, so all that it needs stands in fixed tables. Folders are removed by
// rm(1) in a child, as no function that walks a tree may be called from a handler; fork and exec may. Where a table is
// full, the parent-death signal still ends a child; a scratch folder stays.
#include "util/interrupt.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace metamorph {
namespace {

namespace fs = std::filesystem;

constexpr int k_children_max = 512;
std::array<std::atomic<pid_t>, k_children_max> g_children{};

struct FolderSlot {
    std::atomic<int> state{0};  // 0: free, 1: being filled, 2: `path` is to be removed
    std::array<char, PATH_MAX> path{};
};
constexpr int k_folders_max = 64;
std::array<FolderSlot, k_folders_max> g_folders{};

std::atomic<bool> g_is_held{false};
std::atomic<int> g_held_signal{0};  // 0: none has come

void remove_folders() {
    for (const FolderSlot& folder : g_folders) {
        if (folder.state.load() != 2) {
            continue;
        }
        const pid_t child = ::fork();
        if (child == 0) {
            ::execl("/bin/rm", "rm", "-rf", "--", folder.path.data(), static_cast<char*>(nullptr));
            ::_exit(127);
        }
        while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

void clean_up(int signal_number) {
    int none = 0;
    if (g_is_held.load() && g_held_signal.compare_exchange_strong(none, signal_number)) {
        return;
    }
    for (const std::atomic<pid_t>& child : g_children) {
        if (const pid_t group = child.load(); group > 0) {
            ::kill(-group, SIGKILL);
        }
    }
    remove_folders();
    ::signal(signal_number, SIG_DFL);
    ::raise(signal_number);
}

int register_folder(const std::string& path) {
    for (int slot = 0; path.size() < PATH_MAX && slot < k_folders_max; ++slot) {
        FolderSlot& folder = g_folders[static_cast<std::size_t>(slot)];
        int is_free = 0;
        if (folder.state.compare_exchange_strong(is_free, 1)) {
            std::memcpy(folder.path.data(), path.c_str(), path.size() + 1);
            folder.state.store(2);
            return slot;
        }
    }
    return -1;
}

void forget_folder(int& slot) {
    if (slot >= 0) {
        g_folders[static_cast<std::size_t>(slot)].state.store(0);
        slot = -1;
    }
}

}  // namespace

void clean_up_on_interrupt() {
    for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
        ::signal(signal_number, clean_up);
    }
}

HeldInterrupt::HeldInterrupt() {
    g_held_signal.store(0);
    g_is_held.store(true);
}

HeldInterrupt::~HeldInterrupt() {
    g_is_held.store(false);
}

bool HeldInterrupt::is_due() const {
    return g_held_signal.load() != 0;
}

void HeldInterrupt::act() const {
    if (const int signal_number = g_held_signal.load(); signal_number != 0) {
        clean_up(signal_number);
    }
}

RegisteredChild::RegisteredChild(pid_t group) {
    for (int slot = 0; slot < k_children_max; ++slot) {
        pid_t is_free = 0;
        if (g_children[static_cast<std::size_t>(slot)].compare_exchange_strong(is_free, group)) {
            m_slot = slot;
            return;
        }
    }
}

void RegisteredChild::release() {
    if (m_slot >= 0) {
        g_children[static_cast<std::size_t>(m_slot)].store(0);
        m_slot = -1;
    }
}

Result<ScratchFolder> ScratchFolder::make(const std::string& name) {
    std::error_code error;
    const fs::path base = fs::temp_directory_path(error);
    if (error) {
        return fail(ErrorCode::system, "TMPDIR", "there is no temporary folder: {}", error.message());
    }
    std::string pattern = (base / (name + "-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr) {
        return fail(ErrorCode::system, base.string(), "no temporary folder can be made: {}", std::strerror(errno));
    }
    return ScratchFolder(pattern, register_folder(pattern));
}

void ScratchFolder::keep() {
    forget_folder(m_slot);
    m_path.clear();
}

ScratchFolder::~ScratchFolder() {
    if (!m_path.empty()) {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    forget_folder(m_slot);
}

}  // namespace metamorph
