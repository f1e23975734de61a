// CodeModel + TaskPlan → the application project: the generator's files unchanged, tasks as plain C functions, the
// tables of what each task fetches and commits, NVM, a host main, and a CMakeLists.txt that builds it with nothing of
// Metamorph installed. Deterministic: no dates, hosts or absolute paths.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/device.h"
#include "tasks/chain.h"
#include "tasks/task_plan.h"
#include "util/result.h"

namespace metamorph::weave {

struct WeaveInput {
    const tasks::Chain* chain = nullptr;  // not owned, nor is the plan
    const tasks::TaskPlan* plan = nullptr;
    const app::Device* device = nullptr;          // not owned; nullptr: this host
    std::string prefix;                           // C identifier
    std::map<std::string, std::string> files;     // the generator's, and adopted ones: path in the project → contents
    std::vector<std::string> app_sources;         // those of them that the application is made of
    std::vector<std::string> plain_sources;       // and the oracle
    std::vector<std::string> archives;            // those of them that are linked as they are
    std::vector<std::string> include_dirs;        // in the project
    std::vector<std::string> plain_include_dirs;  // of the oracle; empty: the same
    std::vector<std::string> defines;             // "NAME" or "NAME=VALUE"
    std::string plain_entry;                      // of the oracle; empty: the entry that is woven
    int plain_parameters = -1;                    // of the entry's parameters, those that it takes; -1: all
    bool needs_math = false;                      // the mathematical library is linked
    std::string declarations_header;       // of the functions that the entry calls; empty: prototypes are written out
    std::string model_file, model_sha256;  // for the banner
    std::string split;                     // as the user wrote it: "3,3"
    std::vector<std::string> slices;       // likewise: "0=4", "auto:4096B"
    std::vector<std::string> notes;        // what the user should know of code that was adopted
    std::string command;                   // regenerating command without absolute paths, for the banner
};

struct WovenProject {
    std::map<std::string, std::string> files;  // relative path → contents
    std::string app_target, plain_target;      // CMake targets: the woven application and the oracle
};

// Errors: model (a step that cannot be called from another file), options (it does not fit the device: device_fit.h).
Result<WovenProject> weave(const WeaveInput& input);

// What weave.json says of a woven project; read back by `metamorph run DIR`. Sizes in bytes, an inference each.
struct WovenSummary {
    struct Home {  // of a variable that tasks first_task to last_task write or read
        std::int64_t address = 0, bytes = 0;
        int first_task = 0, last_task = 0;
    };
    std::string prefix, model_file, model_sha256, split, mode;  // mode: "mapped" or "bus"
    std::string app_target, plain_target;
    std::int64_t input_bytes = 0, output_bytes = 0;
    std::int64_t nvm_bytes = 0, crossing_bytes = 0, commit_record_bytes = 0;
    std::vector<std::string> task_names;  // take_input and hand_over included
    std::vector<std::string> slices;      // as given to --slice
    std::vector<Home> homes;
    std::vector<bool> is_slice;  // by task: it is a part of one layer, which the plan cut into slices
    std::vector<std::pair<std::int64_t, std::int64_t>> input_floats;  // [begin, end) of an inference's input: float32
    std::vector<std::string> notes;                                   // as of WeaveInput
};
Result<WovenSummary> read_summary(const std::string& weave_json);

// What is sliced, as on the command line, with a space in front: " --slice 0=4"; empty where nothing is.
std::string slice_options(const WeaveInput& input);

// What `input` asks of NVM, as on the command line: "--nvm bus", "--device cortex-m4-spi".
std::string target_option(const WeaveInput& input);

// The classification of every function and the placement of every variable with reason and bytes, as text.
std::string explain(const WeaveInput& input);

}  // namespace metamorph::weave
