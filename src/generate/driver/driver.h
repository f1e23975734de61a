// Runs any generator that a framework description names, and takes what comes out as ForeignCode. What comes out is
// read into memory before anything else sees it: a generator that fails leaves a log, and no folder that looks like a
// result.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/framework.h"
#include "generate/driver/environment.h"
#include "generate/foreign_code.h"
#include "util/result.h"

namespace metamorph::generate {

struct DriverRequest {
    std::filesystem::path model;                               // a file, or the folder of the user's C
    std::string prefix;                                        // C identifier; empty: made from the model's name
    std::vector<std::pair<std::string, std::string>> options;  // of the framework's, as given
    std::string entry;                                         // empty: as the description says
    std::vector<ForeignParameter> parameters;                  // added to, or instead of, the description's
    std::vector<std::filesystem::path> include_dirs;           // header search paths of the user's
    std::vector<std::string> defines;                          // "NAME" or "NAME=VALUE"
    std::chrono::milliseconds timeout{0};                      // of each command; 0: as the description says
    FindArchive find_archive;  // for a framework whose code links a runtime library; empty: its commands can be shown,
                               // and not run
    std::filesystem::path library;  // of it, for this machine; empty: run_generator asks find_archive
};

// What run_generator would run, in this order, in an empty folder. The last one is the generator's own.
struct GeneratorCommand {
    std::string purpose;  // "prepare the model", "generate"
    std::vector<std::string> argv;
};
// Writes the description's scripts to their place, and runs nothing. `installation` may be one that is missing: then
// argv names what would be there. Errors: options (a format, an option or a value that it does not take, options that
// contradict each other), system.
Result<std::vector<GeneratorCommand>> plan_commands(const app::Framework& framework, const Installation& installation,
                                                    const DriverRequest& request);

// Errors: as of plan_commands; toolchain (not installed, wrong version, it failed or hung, files that it should have
// written are not there or no text); model (refused by the preparation, a hazard that is refused, no such entry).
Result<ForeignCode> run_generator(const app::Framework& framework, const DriverRequest& request);

}  // namespace metamorph::generate
