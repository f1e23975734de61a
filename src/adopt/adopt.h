// Code that we did not write → code that can be woven: the same files, and beside them an entry that is a flat list of
// calls of steps (`adopted/PREFIX_steps.c`, which includes the source that has the generator's entry), and the oracle
// (`adopted/PREFIX_oracle.c`): the generator's own entry behind parameters of a known extent.
//
// Parameters of the new entry, in order: those of the generator's that are addresses; the value that it returns, where
// that is not always the same, as an output; whether it has returned early; the locals that its steps share.
//
// A parameter that ForeignCode does not list is an input where its target is const or nothing writes to it, and an
// output otherwise.
#pragma once

#include "cfront/front_end.h"
#include "generate/foreign_code.h"
#include "generate/generator.h"
#include "util/result.h"

namespace metamorph::adopt {

enum class Slicing { none, prepared };  // whether steps are made that do a part of their outer loop

// `target`: what the code is read for, which says how large its types are. Errors: model (C that does not parse, an
// entry that does not exist, an extent that is not known, an entry that cannot be adopted; each with file and line),
// options (a parameter that does not exist), system.
Result<generate::GeneratedCode> adopt(const generate::ForeignCode& code, const cfront::Target& target = {},
                                      Slicing slicing = Slicing::none);

}  // namespace metamorph::adopt
