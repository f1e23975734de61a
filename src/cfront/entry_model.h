// The entry's steps: its calls, their arguments as object + offset, and what each does.
#pragma once

#include <map>
#include <string>

#include "cfront/code_model.h"
#include "cfront/front_end.h"
#include "cfront/program.h"
#include "cfront/unit_facts.h"
#include "util/result.h"

namespace metamorph::cfront {

// `variable_of_symbol`: index into `variables` by name in the linked program.
Result<EntryModel> build_entry_model(Program& program, const Function& entry, const std::string& entry_symbol,
                                     const EntryBody& body, const std::vector<Variable>& variables,
                                     const std::map<std::string, int>& variable_of_symbol, OuterLoops outer_loops);

}  // namespace metamorph::cfront
