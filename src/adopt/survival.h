// What adopted code does that a power failure would take away or repeat, and that nothing woven could save: refused, so
// that nothing is woven that looks right and is not. And what could not be looked into: told.
#pragma once

#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "cfront/entry_source.h"
#include "util/result.h"

namespace metamorph::adopt {

// The flat entry's model, the generator's entry that its steps come from, and the file that the steps are in.
struct AdoptedModel {
    const cfront::CodeModel* model = nullptr;  // not owned, nor is the source
    const cfront::EntrySource* source = nullptr;
    std::string steps_file;  // "adopted/net_steps.c": places in it are told as those of the statements that are there
};

// Errors: model. A call through a pointer that is not known; a function without a definition, unless it is known to
// keep nothing; memory from malloc that is kept; a variable that is volatile, thread-local, defined nowhere, or that
// only a function fills that the entry does not call; a function that runs before main.
Status check_survival(const AdoptedModel& adopted);

// "net.c:12" of the first malloc in a step, "" where there is none: what has no heap cannot run it.
std::string place_of_allocation(const AdoptedModel& adopted);

// A line each, none twice: steps in which something counts as reading and writing everything, with file, line and
// reason.
std::vector<std::string> opaque_notes(const AdoptedModel& adopted);

}  // namespace metamorph::adopt
