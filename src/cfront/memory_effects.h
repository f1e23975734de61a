// Which globals and pointer parameters each function reads and writes, through calls too. Over-approximations.
#pragma once

#include <map>
#include <set>
#include <string>

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace metamorph::cfront {

struct Effects {
    std::set<const llvm::GlobalVariable*> reads_globals, writes_globals;
    std::set<unsigned> reads_parameters, writes_parameters;  // indices of the intermediate code's parameters
    bool calls_unknown = false;                              // through a pointer or to inline assembly
};

// For each function that has a body. What is reached through a pointer of unknown origin counts as every global that
// can be named or pointed to from elsewhere, and every pointer parameter.
std::map<const llvm::Function*, Effects> memory_effects(const llvm::Module& module);

// A call that touches no object of the program: of the mathematical library, an assumption, or one that never returns.
bool is_harmless_call(const llvm::CallBase& call);

}  // namespace metamorph::cfront
