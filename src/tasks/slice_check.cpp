// Whether slices are independent, by the bytes that the front end found for each: linear in their number, since
// disjoint writes have a union from which a slice's own are taken away again.
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "tasks/slices.h"

namespace metamorph::tasks {
namespace {

using cfront::ObjectId;
using cfront::Step;

using Written = std::map<ObjectId, IntervalSet>;

tl::unexpected<Error> dependent(const cfront::CodeModel& model, const Step& step, const cfront::Access& access,
                                const IntervalSet& bytes, const std::string& what, const std::string& reason) {
    return fail_with_hint(
        ErrorCode::model, fmt::format("{}:{}", step.location.file, step.location.line),
        fmt::format("'{}' cannot be a slice: it {} bytes {} of '{}', which another slice writes{}", step.text, what,
                    bytes.print(), model.entry.objects[static_cast<std::size_t>(access.object)].name,
                    reason.empty() ? "" : fmt::format(" (as far as can be seen: {})", reason)),
        "only a layer can be sliced whose slices write bytes of their own and read none of one another's");
}

Status check_layer(const cfront::CodeModel& model, std::size_t first, std::size_t end) {
    Written written;
    for (std::size_t s = first; s < end; ++s) {
        const Step& step = model.entry.steps[s];
        Written own;
        for (const cfront::Access& access : step.accesses) {
            const IntervalSet common = access.writes.intersected(written[access.object]);
            if (!common.empty()) {
                return dependent(model, step, access, common, "writes", access.write_reason);
            }
            own[access.object].add(access.writes);
        }
        for (const auto& [object, bytes] : own) {
            written[object].add(bytes);
        }
    }
    for (std::size_t s = first; s < end; ++s) {
        const Step& step = model.entry.steps[s];
        Written of_others = written;
        for (const cfront::Access& access : step.accesses) {
            of_others[access.object].subtract(access.writes);
        }
        for (const cfront::Access& access : step.accesses) {
            const IntervalSet common = access.reads.intersected(of_others[access.object]);
            if (!common.empty()) {
                return dependent(model, step, access, common, "reads", access.read_reason);
            }
        }
    }
    return {};
}

}  // namespace

Status check_slices(const cfront::CodeModel& model, const std::vector<int>& slices) {
    const auto steps = static_cast<std::size_t>(std::accumulate(slices.begin(), slices.end(), 0));
    if (steps != model.entry.steps.size()) {
        return fail(ErrorCode::internal, model.entry.function, "the sliced entry has {} steps, {} are expected",
                    model.entry.steps.size(), steps);
    }
    std::size_t step = 0;
    for (const int count : slices) {
        const std::size_t end = step + static_cast<std::size_t>(count);
        if (count > 1) {
            MM_CHECK(check_layer(model, step, end));
        }
        step = end;
    }
    return {};
}

void mark_slices(Chain& chain, const std::vector<int>& slices) {
    std::size_t step = 1;  // behind take_input
    for (std::size_t layer = 0; layer < slices.size(); ++layer) {
        for (int i = 0; i < slices[layer]; ++i, ++step) {
            ChainStep& labelled = chain.steps[step];
            const auto& arguments = chain.model->entry.steps[static_cast<std::size_t>(labelled.entry_step)].arguments;
            if (slices[layer] > 1) {
                labelled.sliced_layer = static_cast<int>(layer);
                labelled.part = fmt::format("[{}, {})", arguments[arguments.size() - 2].text, arguments.back().text);
            }
        }
    }
}

}  // namespace metamorph::tasks
