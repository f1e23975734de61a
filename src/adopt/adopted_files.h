// The text of adopted/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adopt/outputs.h"
#include "adopt/shared_arena.h"
#include "adopt/step_rounds.h"
#include "cfront/entry_source.h"
#include "generate/foreign_code.h"
#include "generate/generator.h"

namespace metamorph::adopt {

// A parameter of the entry that we write.
struct AdoptedParameter {
    std::string name, element_type;  // "const float"
    std::int64_t elements = 0, element_bytes = 1;
    generate::EntryParameter::Role role = generate::EntryParameter::Role::input;
    int foreign = -1;  // the generator's parameter that it is
};

struct AdoptedEntry {
    const generate::ForeignCode* code = nullptr;  // not owned, nor is the source
    const cfront::EntrySource* source = nullptr;
    SharedArena arena;
    std::vector<AdoptedParameter> parameters;
    int result = -1, returned = -1, locals = -1;  // into parameters; -1: there is none
    int plain_parameters = 0;                     // of them, the oracle's
    std::vector<ClearedOutput> cleared;           // what is set to 0 before each inference
    std::vector<std::string> step_names;          // "digits_step_03_conv2d"
    std::vector<StepRounds> rounds;               // a step each; empty: none is to be sliced
    std::string entry, oracle;                    // names of the functions
};

// What the flat entry calls a step with.
std::vector<std::string> arguments_of_step(const AdoptedEntry& adopted, std::size_t step);

std::string write_steps(const AdoptedEntry& adopted);
// `source`: the generator's own file with its entry.
std::string write_oracle(const AdoptedEntry& adopted, const std::string& source);

}  // namespace metamorph::adopt
