// Runtime libraries of the real world: this machine's store, compilers and source trees.
#pragma once

#include <memory>

#include "build/command_runner.h"
#include "libraries/library_for.h"
#include "libraries/provide.h"
#include "store/store.h"
#include "util/interrupt.h"
#include "util/result.h"

namespace metamorph::cli {

// Where the sources of a library are on this machine: Metamorph's own runtime, folders, Python modules.
libraries::FindTree trees();

// The store and the libraries of this process, for all its threads: one is opened, and lives as long as anything that
// it gave is used (until then nothing of that is collected). With METAMORPH_STORE=off the store is a folder of this
// process alone, which goes with it.
class OpenLibraries {
public:
    // Errors: options (a description is wrong), system (no place for the store).
    static Result<std::unique_ptr<OpenLibraries>> open();

    libraries::Libraries& libraries() { return *m_libraries; }
    store::Store& store() { return *m_store; }
    store::Disk& disk() { return *m_disk; }
    build::CommandRunner& runner() { return m_runner; }

private:
    OpenLibraries() = default;
    std::optional<ScratchFolder> m_own;
    std::unique_ptr<store::Disk> m_disk;
    std::unique_ptr<store::Clock> m_clock;
    std::unique_ptr<store::Store> m_store;
    build::ProcessRunner m_runner;
    std::unique_ptr<libraries::Libraries> m_libraries;
};

}  // namespace metamorph::cli
