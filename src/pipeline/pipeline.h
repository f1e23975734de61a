// The ordered flow, a stage a function: model → Graph → plain C → CodeModel → Chain → TaskPlan → woven project. Read
// this first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "cfront/front_end.h"
#include "generate/foreign_code.h"
#include "generate/generator.h"
#include "graph/graph.h"
#include "parts/merge.h"
#include "tasks/chain.h"
#include "tasks/partition.h"
#include "tasks/slices.h"
#include "tasks/task_plan.h"
#include "util/result.h"
#include "weave/weave.h"

namespace metamorph::pipeline {

struct Model {
    graph::Graph graph;
    std::string file_name;  // without folder
    std::string sha256;     // of the file, lower-case hex
};
Result<Model> import_model(const std::filesystem::path& path);

// `prefix` empty: made from the file's name.
Result<generate::GeneratedCode> generate_code(const Model& model, const std::string& prefix);

// How many slices each layer becomes; a 1 each where there is no request. Errors: options.
Result<std::vector<int>> choose_slices(const generate::GeneratedCode& code,
                                       const std::vector<tasks::SliceRequest>& requests);

// Parses the generated C in a scratch folder; with a step a slice where layers have several (empty: none has).
// `target`: what code of another generator is read for; ours is the same everywhere.
Result<cfront::CodeModel> read_code(const generate::GeneratedCode& code, const std::vector<int>& slices = {},
                                    const cfront::Target& target = {});

// What a stage found, as text, for --dump-after.
enum class Stage { import, generate, cfront, tasks, weave };
using Dump = std::function<void(Stage, const std::string&)>;

struct WeaveRequest {
    std::filesystem::path model;
    std::string prefix;  // empty: made from the model's name
    tasks::Split split;
    tasks::NvmMode mode = tasks::NvmMode::mapped;                            // of a device: as its NVM is attached
    Dump dump;                                                               // may be empty
    const app::Device* device = nullptr;                                     // not owned; nullptr: this host
    std::int64_t sram_bytes_max = std::numeric_limits<std::int64_t>::max();  // of SRAM images; a device may have less
    std::vector<tasks::SliceRequest> slices = {};
    std::string generator_options = {};  // as on a command line, with a space in front, for the banner; may be empty
};

// Everything that the stages found. The chain points into the code model, and the input of the weaver into both, so
// these live behind pointers and the whole can be moved.
struct Woven {
    Model model;
    generate::GeneratedCode code;
    std::unique_ptr<cfront::CodeModel> code_model;
    std::unique_ptr<tasks::Chain> chain;
    std::unique_ptr<tasks::TaskPlan> plan;
    weave::WovenProject project;
    std::string explanation;
};
Result<Woven> weave_model(const WeaveRequest& request);

// The same with code of another generator; `request.model` only names it.
Result<Woven> weave_foreign(const generate::ForeignCode& code, const WeaveRequest& request);

// The same with the parts of a network for the MAX78000, which `request.split` has cut already: a task a part. Errors
// also: options (slices, or a device: there is no accelerator in the emulator).
Result<Woven> weave_parts(const parts::MergedCode& merged, const WeaveRequest& request);

}  // namespace metamorph::pipeline
