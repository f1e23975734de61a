// A call of the entry as a function of its own: everything that it calls inlined, its constant arguments folded in, its
// address arguments as opaque parameters. So the sizes that a call passes decide what is found for that call.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "cfront/code_model.h"

namespace metamorph::cfront {

struct StepFunction {
    llvm::Function* code = nullptr;  // ours: the caller erases it from the module
    std::vector<int> argument_of;    // by parameter of `code`: the argument of the call that it stands for
    std::vector<Opaque> opaque;      // why it cannot be analysed; empty if it can
};

// `constants`: by argument of the call; null where it is an address and becomes a parameter. `is_somewhere`: by
// argument, whether its address is certainly not null.
StepFunction make_step_function(llvm::Module& module, const llvm::CallBase& call,
                                const std::vector<llvm::Value*>& constants, const std::vector<bool>& is_somewhere);

}  // namespace metamorph::cfront
