// One part's project as the MAX78000's generator wrote it, read and understood: what each of its functions is for, what
// its program does in which order, what it loads, sets up and leaves.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cfront/outline.h"
#include "parts/transfer_runs.h"
#include "util/result.h"

namespace metamorph::parts {

struct PartProject {
    std::string name;                          // "part_0"
    std::map<std::string, std::string> files;  // *.c and *.h of its folder
};

enum class PartClass {
    per_task,      // a part's own: what it does depends on the layers of the part
    every_task,    // an aid of every part
    once_at_end,   // works on the network's output
    known_answer,  // the sample input and the known-answer test, which buffers replace
    program,       // main and what only it calls: the tasks replace it
};
const char* name_of(PartClass part_class);

struct PartFunction {
    cfront::Function facts;
    std::string source;  // "cnn.c"
    std::string text;    // its definition
    PartClass part_class = PartClass::per_task;
};

struct PartVariable {
    cfront::Variable facts;
    std::string source, text;
};

// What stands in load_input: so many words of an array, to an address.
struct InputCopy {
    std::uint32_t address = 0, words = 0;
    std::string array;
};

struct PartSource {
    std::string name;
    std::map<std::string, PartFunction> functions;  // by name
    std::map<std::string, PartVariable> variables;
    std::map<std::string, std::string> macros;  // of its own headers
    std::vector<std::string> includes;          // of cnn.c, that are not its own: "mxc.h"
    std::vector<std::string> boot;              // statements of main before the accelerator is enabled, once a boot
    std::string enable;                         // "cnn_enable(…)", as main calls it
    std::vector<std::string> boost;             // of main: turning a supply on, and off again; may be empty
    bool has_softmax = false;
    std::string output_array;       // that cnn_unload fills, in main.c
    std::int64_t output_words = 0;  // of it
    KnownWords loaded, stored;      // by load_input and by the known-answer test
    std::vector<InputCopy> copies;  // of load_input
    std::uint64_t setup_sum = 0;    // accelerator_setup.h
};

// `stubs`: headers for the vendor's, path → contents. Errors: model, with file and line: C that does not parse, a
// function, a variable, a call or a statement that is not known to the merge, a missing file; toolchain; system.
Result<PartSource> read_part(const PartProject& project, const std::map<std::string, std::string>& stubs);

}  // namespace metamorph::parts
