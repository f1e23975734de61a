// The chain of tasks that an inference becomes: the entry's steps, framed by two steps of the runtime's own (take the
// input, hand over the output), cut into tasks. Everything in tasks/ speaks in chain steps and tasks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "util/result.h"

namespace metamorph::tasks {

// What the caller of the inference entry means by each of its parameters, in order. Comes from the generator.
enum class Role { input, output, arena };

// Access of a chain step to one object, as in cfront, with const objects left out.
struct ChainAccess {
    cfront::ObjectId object = -1;
    int argument = -1;  // of the entry's step; -1: the callee names the object itself; 0.. for take and hand over, too
    IntervalSet reads, writes, must_writes, written_once;
    std::string reason;  // why it is wider than exact; empty where exact
    IntervalSet read_back = {};

    IntervalSet reads_from_before() const;  // of reads, those whose value may be older than the step
};

struct ChainStep {
    enum class Kind { take_input, call, hand_over } kind = Kind::call;
    int entry_step = -1;    // into EntryModel::steps, for calls
    std::string name;       // the callee, "take_input" or "hand_over"
    int sliced_layer = -1;  // of a slice: the layer that it is a part of; what an argument points to moves with that of
                            // the other slices, as it would if the layer were whole
    std::string part;       // of a slice: its rounds, "[0, 4)"; else empty
    std::vector<ChainAccess> accesses;
    std::string label() const { return part.empty() ? name : name + " " + part; }
};

struct ConstantStep {
    bool is_moved = false;  // it runs in the tasks that need its result
    std::string text;       // where it runs, and why
};

struct Chain {
    const cfront::CodeModel* model = nullptr;  // not owned; outlives the chain
    std::vector<Role> roles;                   // a parameter of the entry each
    std::vector<cfront::ObjectId> inputs, outputs;
    std::vector<ChainStep> steps;
    std::vector<int> task_of_step;  // a task a step; ascending; take_input is task 0, hand_over the last
    std::map<int, ConstantStep> constant_steps = {};  // by entry step, of those that depend on no input (recompute.h)
    int tasks() const { return steps.empty() ? 0 : task_of_step.back() + 1; }
    const cfront::Object& object(cfront::ObjectId id) const {
        return model->entry.objects[static_cast<std::size_t>(id)];
    }
};

// Frames the entry's steps and cuts them: `layers` gives the number of entry steps of each task and must sum up to
// their number. Errors: model (an input or output whose extent is unknown; roles that do not fit the parameters),
// options (sum).
Result<Chain> make_chain(const cfront::CodeModel& model, const std::vector<Role>& roles,
                         const std::vector<int>& layers);

}  // namespace metamorph::tasks
