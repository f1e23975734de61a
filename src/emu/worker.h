// One emulator process, seen from here: requests and their answers.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "emu/trace.h"
#include "emu/wire.h"
#include "util/interrupt.h"
#include "util/result.h"

namespace metamorph::emu {

// The program metamorph-emu: METAMORPH_EMU, or beside the running program. Errors: toolchain (not there).
Result<std::filesystem::path> find_worker();

// A worker that is gone (killed, crashed) can be started again and the request repeated: answers depend on nothing but
// program and recording. One thread at a time; a worker dies with the thread that started it.
class Worker {
public:
    // Errors: toolchain (no such program), system, internal (it does not take the firmware).
    static Result<Worker> start(const std::filesystem::path& program, Firmware firmware);
    Worker(Worker&& other) noexcept;
    Worker& operator=(Worker&& other) noexcept;
    ~Worker();

    // The same program and recording in a new process.
    Status restart();

    // Errors of all: system (the worker is gone), internal (it says no).
    Result<PlainRun> run_plain();
    Result<std::vector<RawSegment>> record(const std::string& nvm);
    Result<std::vector<RawBoot>> boot(const std::vector<RawImage>& images, bool wants_needed);
    Result<CutRun> run_with_cut(const std::string& nvm, const CutSpec& cut);

    pid_t pid() const;
    int restarts() const { return m_restarts; }

private:
    struct Process;
    Worker(std::filesystem::path program, Firmware firmware);
    Status launch();
    Status launch_once();
    Result<std::string> exchange(Frame type, const std::string& payload);
    template <typename T>
    Result<T> ask_for(Frame type, const std::string& payload);

    std::filesystem::path m_program;
    std::unique_ptr<Firmware> m_firmware;
    std::unique_ptr<std::string> m_recorded;  // what record was asked with; nothing: not yet
    std::unique_ptr<Process> m_process;
    int m_restarts = 0;
};

}  // namespace metamorph::emu
