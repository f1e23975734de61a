// Which bytes of which object one call of the entry reads and writes.
#pragma once

#include <optional>
#include <vector>

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "cfront/code_model.h"
#include "cfront/entry_objects.h"
#include "cfront/front_end.h"

namespace metamorph::cfront {

// What an argument of the call is, in the intermediate code.
struct BoundArgument {
    llvm::Value* constant = nullptr;  // passed as it is: a number, a null pointer, an address in constant memory
    ObjectId object = -1;             // else the address object + offset
    std::int64_t offset = 0;
};

struct StepFindings {
    std::vector<Access> accesses;
    std::optional<OuterLoop> outer_loop;  // where it is asked for
    std::string escape, heap_escape;      // as of Step, as is:
    std::vector<Opaque> opaque;
};

// `arguments`: one for each of the call's. The module is as before afterwards.
StepFindings analyse_step(llvm::Module& module, const llvm::CallBase& call, const std::vector<BoundArgument>& arguments,
                          EntryObjects& objects, OuterLoops outer_loops);

}  // namespace metamorph::cfront
