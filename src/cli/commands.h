// What a command line asks for, as plain data, and who does it. The parser fills these structs with values that are
// checked (ranges, contradictions, files that exist); main.cpp says which functions carry them out; tests put fakes
// there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/matrix_options.h"
#include "cli/shared_options.h"
#include "util/result.h"

namespace metamorph::cli {

enum class Nvm { mapped, bus, both };
const char* name_of(Nvm nvm);

// Stages whose result --dump-after shows, in their order.
enum class Stage { import, generate, cfront, tasks, weave };

// Which generator makes the C, and what it is told.
struct GeneratorOptions {
    struct Parameter {  // of the inference entry
        std::string name, role;
        std::optional<std::uint64_t> number;  // bytes; of the role "constant" its value
    };
    std::string name = "native";  // or of a framework, or the path of a description
    std::vector<std::pair<std::string, std::string>> options;
    std::string entry;  // empty: as the description says
    std::vector<Parameter> parameters;
    std::vector<std::filesystem::path> include_dirs;
    std::vector<std::string> defines;
    std::optional<std::uint64_t> seconds_max;  // nothing: as the description says

    bool is_native() const { return name == "native"; }
};

struct InspectOptions : CommonOptions {
    std::filesystem::path model;  // an existing file, as in all commands; of other generators than native also a folder
    GeneratorOptions generator;
    std::string prefix;
};

struct GenerateOptions : CommonOptions {
    std::filesystem::path model;
    std::filesystem::path output;  // a folder, or a path where nothing is yet
    std::string prefix;            // a C identifier; empty: made from the model's name
    GeneratorOptions generator;
};

struct WeaveOptions : CommonOptions {
    std::filesystem::path model;
    std::filesystem::path output;
    std::string prefix;
    std::string tasks = "layer";      // "whole", "layer", "3,3,3" (layers per task) or "4" (a number of tasks)
    std::vector<std::string> slices;  // "3=4", "conv2d_03_relu=4", "auto:4096B", "auto:50000MACs"
    Nvm nvm = Nvm::mapped;            // never `both`
    std::string device;               // a name or the path of a description; empty: this host. Then nvm means nothing
    bool explain = false;
    std::optional<Stage> dump_after;
    GeneratorOptions generator;
};

// Where to cut: nowhere, at `count` places spread evenly, or everywhere.
struct Cuts {
    enum class Kind { none, some, every } kind = Kind::every;
    std::uint64_t count = 0;  // of kind some, at least 1
    friend bool operator==(const Cuts&, const Cuts&) = default;
};

inline constexpr std::uint64_t k_default_seed = 1;

// Of run and verify: what is woven, and what it runs on.
struct ExecutionOptions : CommonOptions {
    std::filesystem::path model;  // a model file; if is_woven, the folder of a woven project
    bool is_woven = false;  // then prefix, tasks, slices, generator and explain have their defaults and mean nothing
    std::string prefix;
    std::string tasks = "layer";
    std::vector<std::string> slices;
    GeneratorOptions generator;
    bool explain = false;
    int inferences = 1;
    std::filesystem::path inputs;       // raw bytes, one inference after another; empty: random ones
    std::optional<std::uint64_t> seed;  // of random inputs; nothing: k_default_seed
    int jobs = 1;
    std::filesystem::path keep;  // where projects and builds stay; empty: they are removed
    std::string replay;          // id of a failure; empty: none
};

struct RunOptions : ExecutionOptions {
    Nvm nvm = Nvm::both;  // of a model that is not woven; with replay never `both`
    Cuts cuts;
    std::optional<std::uint64_t> cut_budget_seconds;
    Cuts second_cuts{Cuts::Kind::some, 1};  // during the recovery of each first cut
    std::filesystem::path dataset;          // labelled inputs; empty: none. Never together with `inputs`
    std::optional<Stage> dump_after;        // never where is_woven
};

struct VerifyOptions : ExecutionOptions {
    std::vector<std::string> devices;  // names or paths of descriptions; empty: all that come with Metamorph, or, where
                                       // is_woven, the project's own
    std::string toolchain;             // "gcc" or "clang"; empty: the device's first
    int depth = 0;                     // cuts in a row; 0: any number
    bool merges = true;                // false: one cut after the other is really run
    std::uint64_t cuts_max = 0;        // of those, first cuts at most; 0: all
    std::filesystem::path gdb;         // never without replay
    std::filesystem::path resume;      // state of an interrupted run; empty: none
};

struct CompareOptions : CommonOptions {
    struct Candidate {
        std::string generator;  // native, or as GeneratorOptions::name
        std::vector<std::pair<std::string, std::string>> options;
    };
    std::vector<std::filesystem::path> models;  // one at least; existing files
    std::vector<Candidate> candidates;          // two at least, none twice
    std::string device = "cortex-m4-mapped";    // as WeaveOptions, never empty
    std::string toolchain;
    std::string tasks = "layer";
    int inferences = 1;
    std::filesystem::path dataset;      // labelled inputs; empty: random ones
    std::optional<std::uint64_t> seed;  // of those
    bool proves = false;
    int jobs = 1;
    std::filesystem::path keep;
};

struct DevicesOptions : CommonOptions {
    std::optional<std::string> device;  // a name or the path of a description; nothing: all are listed
};

struct FrameworksOptions : CommonOptions {
    std::optional<std::string> framework;  // a name or the path of a description; nothing: all are listed
    std::filesystem::path model;           // with it: print the command for it; never without framework
    std::string prefix;
    GeneratorOptions generator;  // of it options, the rest has its defaults
};

struct LibsOptions : CommonOptions {
    enum class Action { list, build, why, explain, path, verify, gc } action = Action::list;
    std::string name, other;        // a library, or the starts of keys; as the action wants them
    bool all = false;               // build: every library; then no name
    std::filesystem::path project;  // build, with `all`: what the runs of this project need instead; empty: none
    bool rebuild_check = false;
    std::string device = "host", toolchain;  // toolchain: empty for the device's first
    std::vector<std::string> features;
    std::optional<std::uint64_t> bytes;  // gc; nothing: the store's own limit
    int jobs = 1;
};

struct DoctorOptions : CommonOptions {
    std::string install;  // a framework, as FrameworksOptions; empty: only look
};

// The functions behind the commands. Each prints its own result on standard output and returns the exit status (0, or
// that of ErrorCode::check_failed where the work was done and its result is wrong); an Error is printed by the caller.
struct Commands {
    std::function<Result<int>(const InspectOptions&)> inspect;
    std::function<Result<int>(const GenerateOptions&)> generate;
    std::function<Result<int>(const WeaveOptions&)> weave;
    std::function<Result<int>(const RunOptions&)> run;
    std::function<Result<int>(const VerifyOptions&)> verify;
    std::function<Result<int>(const CompareOptions&)> compare;
    std::function<Result<int>(const DevicesOptions&)> devices;
    std::function<Result<int>(const FrameworksOptions&)> frameworks;
    std::function<Result<int>(const LibsOptions&)> libs;
    std::function<Result<int>(const DoctorOptions&)> doctor;
    std::function<Result<int>(const InitOptions&)> init;
    std::function<Result<int>(const MatrixOptions&)> matrix;
    std::function<Result<int>(const ReportOptions&)> report;
    std::function<Result<int>(const WhyOptions&)> why;

    std::vector<std::string> device_names;     // of those that come with Metamorph, for completion
    std::vector<std::string> framework_names;  // the same
};

}  // namespace metamorph::cli
