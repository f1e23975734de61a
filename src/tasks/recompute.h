// Steps that depend on no input (weights that are turned into floats, say): each is either written to NVM in every
// inference, where the entry has it, or run again in the tasks that need its result, whichever costs less.
#pragma once

#include "tasks/chain.h"

namespace metamorph::tasks {

// The chain with such steps moved; a task that has no step left is no task any more. Each step's choice, with the
// figures that it rests on, is in Chain::constant_steps.
Chain recompute_constants(const Chain& chain);

}  // namespace metamorph::tasks
