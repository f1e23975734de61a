#include "adopt/outputs.h"

#include <optional>

#include <fmt/format.h>

namespace metamorph::adopt {
namespace {

struct Accesses {
    IntervalSet reads, writes, must_writes;
    bool is_read_exactly = true;
};

Accesses accesses_of(const cfront::CodeModel& model, const cfront::Step& step, int parameter) {
    Accesses all;
    for (const cfront::Access& access : step.accesses) {
        const cfront::Object& object = model.entry.objects[static_cast<std::size_t>(access.object)];
        if (object.kind == cfront::ObjectKind::entry_parameter && object.parameter == parameter) {
            all.reads.add(access.reads);
            all.writes.add(access.writes);
            all.must_writes.add(access.must_writes);
            all.is_read_exactly = all.is_read_exactly && access.read_reason.empty();
        }
    }
    return all;
}

}  // namespace

Result<std::vector<ClearedOutput>> outputs_to_clear(const cfront::CodeModel& model,
                                                    const std::vector<OutputParameter>& outputs,
                                                    const std::string& where) {
    std::vector<ClearedOutput> found;
    for (const OutputParameter& output : outputs) {
        IntervalSet unwritten(0, output.bytes), untouched = unwritten;
        bool is_read_early = false;
        std::optional<std::size_t> first;
        for (std::size_t s = 0; s < model.entry.steps.size(); ++s) {
            const Accesses all = accesses_of(model, model.entry.steps[s], output.parameter);
            if (all.is_read_exactly && all.writes.empty() && untouched.intersects(all.reads)) {
                return fail_with_hint(ErrorCode::model, where,
                                      fmt::format("the entry reads its output '{}' before it writes it", output.name),
                                      "what must keep its value between inferences belongs into a variable");
            }
            is_read_early = is_read_early || unwritten.intersects(all.reads);
            unwritten.subtract(all.must_writes);
            untouched.subtract(all.writes);
            if (!first && (!all.reads.empty() || !all.writes.empty())) {
                first = s;
            }
        }
        if (is_read_early || !unwritten.empty()) {
            found.push_back({output.parameter, static_cast<int>(first.value_or(0)), output.bytes});
        }
    }
    return found;
}

}  // namespace metamorph::adopt
