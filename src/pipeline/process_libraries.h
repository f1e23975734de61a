// Runtime libraries of the real world: this machine's store, compilers and source trees.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "build/command_runner.h"
#include "generate/driver/driver.h"
#include "libraries/library_for.h"
#include "libraries/provide.h"
#include "store/store.h"
#include "util/interrupt.h"
#include "util/result.h"

namespace metamorph::pipeline {

// Where the sources of a library are on this machine: Metamorph's own runtime, folders, Python modules.
libraries::FindTree trees();

// The store and the libraries of this process, for all its threads: one is opened, and lives as long as anything that
// it gave is used (until then nothing of that is collected). With METAMORPH_STORE=off the store is a folder of this
// process alone, which goes with it.
class OpenLibraries {
public:
    // Errors: options (a description is wrong), system (no place for the store).
    static Result<std::unique_ptr<OpenLibraries>> open();

    // The one of this process, opened when it is first asked for.
    static Result<OpenLibraries*> of_process();

    // As library_for, and remembered.
    Result<libraries::LibrarySet> get(const app::Device& device, const libraries::LibraryWish& wish);
    // Each library that `get` gave, once: as it came the first time, sorted by name and key.
    std::vector<libraries::BuiltLibrary> given() const;

    libraries::Libraries& libraries() { return *m_libraries; }
    store::Store& store() { return *m_store; }
    store::Disk& disk() { return *m_disk; }
    build::CommandRunner& runner() { return m_runner; }

private:
    OpenLibraries() = default;
    mutable std::mutex m_mutex;
    std::vector<libraries::BuiltLibrary> m_given;
    std::optional<ScratchFolder> m_own;
    std::unique_ptr<store::Disk> m_disk;
    std::unique_ptr<store::Clock> m_clock;
    std::unique_ptr<store::Store> m_store;
    build::ProcessRunner m_runner;
    std::unique_ptr<libraries::Libraries> m_libraries;
};

// Runs a framework's generator with the libraries of this process at hand. Errors: of generate::run_generator.
Result<generate::ForeignCode> generate_code(const app::Framework& framework, generate::DriverRequest request);

// What this process took from the store or built: JSON for results, and how the user is told ("tflm: built in 15.9 s").
nlohmann::ordered_json given_libraries_json();

}  // namespace metamorph::pipeline
