// What an interrupt (SIGINT, SIGTERM, SIGHUP) must not leave behind: running children, scratch folders.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "util/result.h"

namespace metamorph {

// From now on SIGINT, SIGTERM and SIGHUP kill all registered children, remove all scratch folders, and then end this
// process as they would have done. Call once, from main.
void clean_up_on_interrupt();

// For the life of the object, an interrupt kills the process group `group`.
class RegisteredChild {
public:
    explicit RegisteredChild(pid_t group);
    RegisteredChild(const RegisteredChild&) = delete;
    RegisteredChild& operator=(const RegisteredChild&) = delete;
    ~RegisteredChild() { release(); }
    void release();

private:
    int m_slot = -1;
};

// A folder of our own below the temporary folder, removed with all that is in it: at the end of the object's life, and
// by an interrupt.
class ScratchFolder {
public:
    // Errors: system.
    static Result<ScratchFolder> make(const std::string& name);
    ScratchFolder(ScratchFolder&& other) noexcept
        : m_path(std::exchange(other.m_path, {})), m_slot(std::exchange(other.m_slot, -1)) {}
    ScratchFolder& operator=(ScratchFolder&& other) noexcept {
        std::swap(m_path, other.m_path);
        std::swap(m_slot, other.m_slot);
        return *this;
    }
    ~ScratchFolder();
    const std::filesystem::path& path() const { return m_path; }
    // It stays where it is: what is in it is named to the user.
    void keep();

private:
    ScratchFolder(std::filesystem::path path, int slot) : m_path(std::move(path)), m_slot(slot) {}
    std::filesystem::path m_path;
    int m_slot = -1;
};

// For the life of the object the first interrupt is only noted, for work that wants to keep what it has; a second one
// acts at once. One such object at a time.
class HeldInterrupt {
public:
    HeldInterrupt();
    HeldInterrupt(const HeldInterrupt&) = delete;
    HeldInterrupt& operator=(const HeldInterrupt&) = delete;
    ~HeldInterrupt();
    bool is_due() const;
    void act() const;  // as the interrupt would have; returns if there was none
};

}  // namespace metamorph
