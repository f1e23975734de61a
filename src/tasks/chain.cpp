#include "tasks/chain.h"

#include <numeric>

namespace metamorph::tasks {
namespace {

using cfront::CodeModel;
using cfront::EntryModel;
using cfront::ObjectId;
using cfront::ObjectKind;

ChainStep call_step(const EntryModel& entry, int index) {
    const cfront::Step& step = entry.steps[static_cast<std::size_t>(index)];
    ChainStep chain_step{ChainStep::Kind::call, index, step.callee, -1, "", {}};
    for (const cfront::Access& access : step.accesses) {
        if (entry.objects[static_cast<std::size_t>(access.object)].is_const && access.writes.empty()) {
            continue;
        }
        std::string reason = access.write_reason.empty() ? access.read_reason : access.write_reason;
        chain_step.accesses.push_back({access.object, access.argument, access.reads, access.writes, access.must_writes,
                                       access.written_once, std::move(reason), access.read_back});
    }
    return chain_step;
}

// The runtime's own steps: the input is written once and whole, the output is read whole.
ChainStep frame_step(const Chain& chain, ChainStep::Kind kind) {
    const bool taking = kind == ChainStep::Kind::take_input;
    ChainStep step{kind, -1, taking ? "take_input" : "hand_over", -1, "", {}};
    int argument = 0;
    for (ObjectId id : taking ? chain.inputs : chain.outputs) {
        const IntervalSet all(0, *chain.object(id).bytes);
        ChainAccess access{id, argument++, {}, {}, {}, {}, {}};
        if (taking) {
            access.writes = access.must_writes = access.written_once = all;
        } else {
            access.reads = all;
        }
        step.accesses.push_back(std::move(access));
    }
    return step;
}

Status check_roles(const CodeModel& model, Chain& chain) {
    for (std::size_t id = 0; id < model.entry.objects.size(); ++id) {
        const cfront::Object& object = model.entry.objects[id];
        if (object.kind == ObjectKind::entry_local) {
            return fail_with_hint(ErrorCode::model, model.entry.function,
                                  fmt::format("local '{}' of {} is shared by its calls; tasks cannot share a local",
                                              object.name, model.entry.function),
                                  "make it a global variable or a part of the arena");
        }
        if (object.kind != ObjectKind::entry_parameter) {
            continue;
        }
        if (object.parameter < 0 || static_cast<std::size_t>(object.parameter) >= chain.roles.size()) {
            return fail(ErrorCode::model, model.entry.function,
                        "parameter '{}' of {} has no role (input, output or arena)", object.name, model.entry.function);
        }
        const Role role = chain.roles[static_cast<std::size_t>(object.parameter)];
        if (role != Role::arena) {
            if (!object.bytes) {
                return fail(ErrorCode::model, model.entry.function,
                            "the extent of parameter '{}' of {} is not known; declare it with its extent, as in "
                            "'const int8_t {}[static 490]'",
                            object.name, model.entry.function, object.name);
            }
            (role == Role::input ? chain.inputs : chain.outputs).push_back(static_cast<ObjectId>(id));
        }
    }
    if (chain.outputs.empty()) {
        return fail(ErrorCode::model, model.entry.function, "{} has no output parameter", model.entry.function);
    }
    return {};
}

}  // namespace

IntervalSet ChainAccess::reads_from_before() const {
    IntervalSet bytes = reads;
    bytes.subtract(read_back);
    return bytes;
}

Result<Chain> make_chain(const CodeModel& model, const std::vector<Role>& roles, const std::vector<int>& layers) {
    const int count = static_cast<int>(model.entry.steps.size());
    const int sum = std::accumulate(layers.begin(), layers.end(), 0);
    if (sum != count) {
        return fail(ErrorCode::options, "--tasks",
                    "the layers per task sum up to {}, but {} has {} layers (steps of generated code)", sum,
                    model.entry.function, count);
    }
    Chain chain;
    chain.model = &model;
    chain.roles = roles;
    MM_CHECK(check_roles(model, chain));
    chain.steps.push_back(frame_step(chain, ChainStep::Kind::take_input));
    chain.task_of_step.push_back(0);
    int next = 0;
    for (std::size_t task = 0; task < layers.size(); ++task) {
        for (int i = 0; i < layers[task]; ++i) {
            chain.steps.push_back(call_step(model.entry, next++));
            chain.task_of_step.push_back(static_cast<int>(task) + 1);
        }
    }
    chain.steps.push_back(frame_step(chain, ChainStep::Kind::hand_over));
    chain.task_of_step.push_back(static_cast<int>(layers.size()) + 1);
    return chain;
}

}  // namespace metamorph::tasks
