// What every generator gives: files of plain C and what is known of them. Nothing here knows of tasks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "util/result.h"

namespace metamorph::generate {

// One parameter of the inference entry.
struct EntryParameter {
    enum class Role { input, output, arena };
    Role role = Role::input;
    std::string name;             // as in the C prototype
    std::int64_t bytes = 0;       // extent
    graph::TensorId tensor = -1;  // for input and output
};

// Where an operator's output lives when the operator is done: parameter `parameter` of the entry, at byte `offset`.
struct OperatorOutput {
    int operator_index = 0;  // into Graph::operators
    std::string function;    // the C function that computes it; empty where it only aliases its input (Reshape)
    int parameter = 0;       // index into GeneratedCode::parameters
    std::int64_t offset = 0, bytes = 0;
};

// A loop around all of a layer, each round of which writes bytes of its own of the output and reads none of them, so
// that the layer can be cut into slices: `function` takes the layer's arguments, and then the rounds [first, end).
struct OuterLoop {
    std::string function;
    std::int64_t rounds = 0;  // at least 2
    std::string unit;         // what a round makes: "positions", "channels"
};

// A statement of the entry, "function(arguments);", a layer as --tasks counts them.
struct EntryCall {
    int operator_index = -1;  // into Graph::operators; -1: a copy to a second output at the end
    std::string function;
    std::vector<std::string> arguments;  // C expressions
    std::optional<OuterLoop> outer_loop;
    std::string why_no_slices;  // where there is no outer loop
    std::int64_t output_bytes = 0, macs = 0;
};

// What adoption (adopt/) adds to code of another generator: an entry of ours that is a flat list of calls, and the
// generator's own one behind the same parameters. Paths are relative to a folder that has the generator's files in
// `generated/` and these in `adopted/`.
struct AdoptedCode {
    std::map<std::string, std::string> files;             // relative to `adopted/` → contents
    std::vector<std::string> app_sources, plain_sources;  // of the woven application, and of the oracle
    std::vector<std::string> stand_ins;              // read by the front end in place of what is not C, never compiled
    std::vector<std::string> archives;               // of what is not C, for the target that is woven for
    std::vector<std::string> include_dirs, defines;  // of the application
    std::vector<std::string> plain_include_dirs;     // of the oracle
    std::string plain_entry;  // calls the generator's entry; takes the first `plain_parameters` of `parameters`
    int plain_parameters = 0;
    std::int64_t plain_stack_bytes = 0;  // of the generator's entry, for its locals
    std::string allocates;               // "net.c:12" of a malloc in a step; empty: there is none
    std::string generator;               // with version
    std::vector<std::string> notes;      // what stays together and why, a line each; not those of ForeignCode
};

struct GeneratedCode {
    std::map<std::string, std::string> files;  // relative path → contents; deterministic
    std::vector<std::string> sources;          // those of `files` that are to be compiled, sorted
    std::string include_dir = ".";             // relative, to be on the include path
    std::string prefix;                        // C identifier all public names begin with: "digits_int8"
    std::string header;                        // relative path of the public header
    std::string layers_header;  // relative path of the header that declares the functions the entry calls
    std::string example;        // relative path of a program (with main) that runs inferences from standard input
    std::string entry;          // name of the entry function
    std::string entry_source;   // relative path of the file that defines it; of AdoptedCode::files where there is one
    std::vector<EntryCall> calls;            // its body, a line each, in order
    std::vector<EntryParameter> parameters;  // in the entry's order
    std::int64_t arena_bytes = 0;
    std::vector<OperatorOutput> operator_outputs;  // one an operator, in order
    std::int64_t arena_alignment = 16;
    std::optional<AdoptedCode> adopted;  // of code that is not ours
};

struct NativeOptions {
    std::string prefix;        // C identifier; empty: made from the graph's name
    std::string model_sha256;  // lower-case hex, for the banner
    std::string model_file;    // file name without folder, for the banner
    std::string command;       // the regenerating command, without absolute paths, for the banner
};

// The native generator: an int8 Graph that passes graph::verify → C11. Bit-exact with the reference kernels of
// TensorFlow Lite Micro on every operator's output. Errors: model (an operator or a type it does not write).
Result<GeneratedCode> generate_native(const graph::Graph& graph, const NativeOptions& options);

// Arena plan of a graph, also used by `inspect`: where each computed tensor lives and from which to which operator.
struct ArenaSlot {
    graph::TensorId tensor = -1;
    std::int64_t offset = 0, bytes = 0;
    int first_operator = 0, last_operator = 0;  // inclusive lifetime
};
struct ArenaPlan {
    std::vector<ArenaSlot> slots;  // tensors in the arena only: not inputs, outputs, constants or aliases
    std::int64_t bytes = 0;        // total, and the lower bound: the largest sum of sizes alive at one operator
    std::int64_t bytes_lower_bound = 0;
};
ArenaPlan plan_arena(const graph::Graph& graph);

}  // namespace metamorph::generate
