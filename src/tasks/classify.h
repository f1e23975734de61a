// What each function of the generated C is for, found from what it reads and writes, not from its name.
#pragma once

#include <string>
#include <vector>

#include "tasks/chain.h"

namespace metamorph::tasks {

enum class FunctionClass {
    entry,          // the inference entry, which the tasks replace
    per_task,       // tailored to a task: works on data that flows from the input to the output
    once_at_start,  // a step that depends on no input: prepares what later steps read
    recomputed,     // such a step that runs in the tasks that need its result, not in one of its own
    once_at_end,    // a step whose results no later step reads and that are not the output: looks at the result
    helper,         // called by steps, not a step itself
    unused          // not reached from the entry
};
const char* name_of(FunctionClass function_class);

struct Classified {
    std::string function;
    FunctionClass function_class = FunctionClass::unused;
    std::string reason;
};

// Every defined function of the model, in its order.
std::vector<Classified> classify(const Chain& chain);

}  // namespace metamorph::tasks
