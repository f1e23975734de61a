#include "crossing_bytes.h"

#include <map>
#include <set>
#include <tuple>

#include "util/file.h"
#include "util/interrupt.h"

namespace metamorph {
namespace {

using cfront::ObjectId;
using cfront::RecordedAccess;
using tasks::Chain;
using tasks::ChainStep;

// What a step of the chain did to each object: the runtime's own steps write the inputs and read the outputs.
std::map<ObjectId, RecordedAccess> accesses_of(const Chain& chain, const ChainStep& step,
                                               const cfront::Recording& recording) {
    std::map<ObjectId, RecordedAccess> accesses;
    if (step.kind == ChainStep::Kind::call) {
        const std::vector<RecordedAccess>& recorded = recording[static_cast<std::size_t>(step.entry_step)];
        for (std::size_t id = 0; id < recorded.size(); ++id) {
            accesses[static_cast<ObjectId>(id)] = recorded[id];
        }
        return accesses;
    }
    for (const ObjectId id : chain.inputs) {
        if (step.kind == ChainStep::Kind::take_input) {
            accesses[id].writes = IntervalSet(0, *chain.object(id).bytes);
        }
    }
    for (const ObjectId id : chain.outputs) {
        if (step.kind == ChainStep::Kind::hand_over) {
            accesses[id].reads_from_before = IntervalSet(0, *chain.object(id).bytes);
        }
    }
    return accesses;
}

using Value = std::tuple<ObjectId, std::int64_t, int>;  // object, byte, the task that left it

void add_crossing(const Chain& chain, const cfront::Recording& recording, std::set<Value>& crossing) {
    std::map<std::pair<ObjectId, std::int64_t>, int> writer;  // of each byte
    for (std::size_t s = 0; s < chain.steps.size(); ++s) {
        const int task = chain.task_of_step[s];
        for (const auto& [id, access] : accesses_of(chain, chain.steps[s], recording)) {
            for (const Interval& bytes : access.reads_from_before.intervals()) {
                for (std::int64_t at = bytes.begin; at < bytes.end; ++at) {
                    const auto left = writer.find({id, at});
                    if (left != writer.end() && left->second != task) {
                        crossing.insert({id, at, left->second});
                    }
                }
            }
            for (const Interval& bytes : access.writes.intervals()) {
                for (std::int64_t at = bytes.begin; at < bytes.end; ++at) {
                    writer[{id, at}] = task;
                }
            }
        }
    }
}

}  // namespace

Result<std::vector<cfront::Recording>> record_inferences(const pipeline::Woven& woven,
                                                         const std::vector<std::string>& inputs) {
    MM_TRY(const ScratchFolder scratch, ScratchFolder::make("metamorph-crossing"));
    const generate::AdoptedCode& adopted = *woven.code.adopted;
    MM_CHECK(write_files(scratch.path() / "generated", woven.code.files));
    MM_CHECK(write_files(scratch.path() / "adopted", adopted.files));
    cfront::FrontEndInput code;
    code.root = scratch.path();
    code.sources = adopted.app_sources;
    code.include_dirs = adopted.include_dirs;
    code.defines = adopted.defines;
    code.entry = woven.code.entry;
    std::vector<cfront::Recording> recordings;
    for (const std::string& input : inputs) {
        std::map<int, std::string> given;
        for (const ObjectId id : woven.chain->inputs) {
            given[woven.chain->object(id).parameter] = input;
        }
        MM_TRY(cfront::Recording recording, cfront::record_accesses(code, *woven.code_model, 1, given));
        recordings.push_back(std::move(recording));
    }
    return recordings;
}

std::int64_t recorded_crossing_bytes(const Chain& chain, const std::vector<cfront::Recording>& recordings) {
    std::set<Value> crossing;
    for (const cfront::Recording& recording : recordings) {
        add_crossing(chain, recording, crossing);
    }
    return static_cast<std::int64_t>(crossing.size());
}

}  // namespace metamorph
