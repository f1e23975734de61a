#include "tasks/classify.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace metamorph::tasks {
namespace {

using cfront::CodeModel;
using cfront::ObjectId;

// Bytes an object has that depend on an input, followed through the chain. A step that reads one of them taints all it
// writes.
std::vector<bool> depends_on_input(const Chain& chain) {
    std::map<ObjectId, IntervalSet> tainted;
    std::vector<bool> depends;
    for (const ChainStep& step : chain.steps) {
        bool is_tainted = step.kind == ChainStep::Kind::take_input;
        for (const ChainAccess& a : step.accesses) {
            is_tainted = is_tainted || tainted[a.object].intersects(a.reads_from_before());
        }
        for (const ChainAccess& a : step.accesses) {
            if (is_tainted) {
                tainted[a.object].add(a.writes);
            } else {
                tainted[a.object].subtract(a.must_writes);
            }
        }
        depends.push_back(is_tainted);
    }
    return depends;
}

// Steps whose writes reach a later step (the hand-over is one).
std::vector<bool> feeds_later_step(const Chain& chain) {
    std::map<ObjectId, IntervalSet> wanted;
    std::vector<bool> feeds(chain.steps.size(), false);
    for (std::size_t s = chain.steps.size(); s-- > 0;) {
        for (const ChainAccess& a : chain.steps[s].accesses) {
            feeds[s] = feeds[s] || wanted[a.object].intersects(a.writes);
        }
        for (const ChainAccess& a : chain.steps[s].accesses) {
            wanted[a.object].subtract(a.must_writes);
        }
        for (const ChainAccess& a : chain.steps[s].accesses) {
            wanted[a.object].add(a.reads_from_before());
        }
    }
    return feeds;
}

void reach(const CodeModel& model, const std::string& name, std::set<std::string>& reached) {
    const cfront::Function* function = model.function(name);
    if (function == nullptr || !reached.insert(name).second) {
        return;
    }
    for (const std::string& callee : function->calls) {
        reach(model, callee, reached);
    }
}

// Of the slices of one layer, the last; `step` itself where it is no slice.
std::size_t last_slice(const Chain& chain, std::size_t step) {
    std::size_t last = step;
    while (chain.steps[step].sliced_layer >= 0 && last + 1 < chain.steps.size() &&
           chain.steps[last + 1].sliced_layer == chain.steps[step].sliced_layer) {
        ++last;
    }
    return last;
}

std::string place_of(const Chain& chain, std::size_t first, std::size_t last) {
    const int step = chain.steps[first].entry_step;
    const int task = chain.task_of_step[first];
    return first == last ? fmt::format("step {}, task {}", step, task)
                         : fmt::format("{} slices: steps {} to {}, tasks {} to {}", last - first + 1, step,
                                       chain.steps[last].entry_step, task, chain.task_of_step[last]);
}

}  // namespace

const char* name_of(FunctionClass function_class) {
    switch (function_class) {
        case FunctionClass::entry:
            return "entry";
        case FunctionClass::per_task:
            return "per task";
        case FunctionClass::once_at_start:
            return "once, at the start";
        case FunctionClass::recomputed:
            return "where it is needed";
        case FunctionClass::once_at_end:
            return "once, at the end";
        case FunctionClass::helper:
            return "helper";
        case FunctionClass::unused:
            return "unused";
    }
    return "?";
}

std::vector<Classified> classify(const Chain& chain) {
    const CodeModel& model = *chain.model;
    const std::vector<bool> depends = depends_on_input(chain);
    const std::vector<bool> feeds = feeds_later_step(chain);
    std::map<std::string, Classified> steps;
    for (std::size_t s = 0; s < chain.steps.size(); ++s) {
        const ChainStep& step = chain.steps[s];
        if (step.kind != ChainStep::Kind::call) {
            continue;
        }
        const std::size_t last = last_slice(chain, s);
        Classified found{step.name, FunctionClass::per_task, place_of(chain, s, last)};
        const auto any = [&](const std::vector<bool>& of_step) {
            return std::any_of(of_step.begin() + static_cast<std::ptrdiff_t>(s),
                               of_step.begin() + static_cast<std::ptrdiff_t>(last) + 1, [](bool it) { return it; });
        };
        if (any(feeds) && !any(depends)) {
            found.function_class = FunctionClass::once_at_start;
            found.reason += ": depends on no input";
            if (const auto choice = chain.constant_steps.find(step.entry_step); choice != chain.constant_steps.end()) {
                found.reason += "; " + choice->second.text;
                found.function_class = choice->second.is_moved ? FunctionClass::recomputed : found.function_class;
            }
        } else if (!any(feeds)) {
            found.function_class = FunctionClass::once_at_end;
            found.reason += ": nothing after it needs what it writes";
        }
        const auto [known, is_new] = steps.try_emplace(step.name, found);
        if (!is_new) {  // one function, several steps: what any of them needs
            known->second.reason += fmt::format("; {}", found.reason);
            if (found.function_class != known->second.function_class) {
                known->second.function_class = FunctionClass::per_task;
            }
        }
        s = last;
    }
    std::set<std::string> reached;
    for (const auto& [name, step] : steps) {
        reach(model, name, reached);
    }
    std::vector<Classified> all;
    for (const cfront::Function& function : model.functions) {
        if (!function.is_defined) {
            continue;
        }
        if (function.name == model.entry.function) {
            all.push_back({function.name, FunctionClass::entry, "replaced by the tasks"});
        } else if (const auto step = steps.find(function.name); step != steps.end()) {
            all.push_back(step->second);
        } else if (reached.count(function.name) != 0) {
            all.push_back({function.name, FunctionClass::helper, "called by steps"});
        } else {
            all.push_back({function.name, FunctionClass::unused, "not reached from the entry"});
        }
    }
    return all;
}

}  // namespace metamorph::tasks
