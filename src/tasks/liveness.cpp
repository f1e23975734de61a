#include "tasks/liveness.h"

#include <algorithm>
#include <map>
#include <set>

namespace metamorph::tasks {
namespace {

using cfront::ObjectId;
using cfront::ObjectKind;

// What one task does to one segment.
struct TaskTouch {
    bool exposed = false;  // reads the value that was there when the task began
    bool wrote = false;
    bool defined = false;                  // certainly overwrites all of it
    int first_read = -1, last_write = -1;  // steps; first_read only if exposed
};

std::vector<Segment> cut_segments(const Chain& chain) {
    std::map<ObjectId, std::set<std::int64_t>> borders;
    const auto add = [&](ObjectId id, const IntervalSet& set) {
        for (const Interval& i : set.intervals()) {
            borders[id].insert({i.begin, i.end});
        }
    };
    for (const ChainStep& step : chain.steps) {
        for (const ChainAccess& a : step.accesses) {
            for (const IntervalSet* set : {&a.reads, &a.read_back, &a.writes, &a.must_writes, &a.written_once}) {
                add(a.object, *set);
            }
        }
    }
    std::vector<Segment> segments;
    for (const auto& [id, at] : borders) {
        for (auto i = at.begin(); std::next(i) != at.end(); ++i) {
            segments.push_back({id, {*i, *std::next(i)}, {}, false});
        }
    }
    return segments;
}

void record_touches(const Chain& chain, std::vector<Segment>& segments) {
    const auto touch_range = [&](const ChainAccess& a, int step, const IntervalSet& set, bool Touch::* flag) {
        for (const Interval& i : set.intervals()) {
            auto s = std::lower_bound(segments.begin(), segments.end(), std::pair(a.object, i.begin),
                                      [](const Segment& segment, const std::pair<ObjectId, std::int64_t>& key) {
                                          return std::pair(segment.object, segment.bytes.begin) < key;
                                      });
            for (; s != segments.end() && s->object == a.object && s->bytes.begin < i.end; ++s) {
                if (s->touches.empty() || s->touches.back().step != step) {
                    s->touches.push_back({step, false, false, false, false});
                }
                s->touches.back().*flag = true;
            }
        }
    };
    for (std::size_t step = 0; step < chain.steps.size(); ++step) {
        for (const ChainAccess& a : chain.steps[step].accesses) {
            touch_range(a, static_cast<int>(step), a.reads_from_before(), &Touch::read);
            touch_range(a, static_cast<int>(step), a.writes, &Touch::write);
            touch_range(a, static_cast<int>(step), a.must_writes, &Touch::must);
            touch_range(a, static_cast<int>(step), a.written_once, &Touch::once);
        }
    }
    std::erase_if(segments, [](const Segment& s) { return s.touches.empty(); });
}

std::vector<TaskTouch> by_task(const Chain& chain, const Segment& segment) {
    std::vector<TaskTouch> tasks(static_cast<std::size_t>(chain.tasks()));
    for (const Touch& touch : segment.touches) {
        TaskTouch& task = tasks[static_cast<std::size_t>(chain.task_of_step[static_cast<std::size_t>(touch.step)])];
        if (touch.read && !task.defined && !task.exposed) {
            task.exposed = true;
            task.first_read = touch.step;
        }
        if (touch.write) {
            task.wrote = true;
            task.defined = task.defined || touch.must;
            task.last_write = touch.step;
        }
    }
    return tasks;
}

// live[t]: the value at the end of task t is needed later. Cyclic for variables, which outlive the inference.
std::vector<bool> live_out(const std::vector<TaskTouch>& tasks, bool cyclic) {
    std::vector<bool> live(tasks.size(), false);
    for (int round = 0; round < (cyclic ? 2 : 1); ++round) {
        for (std::size_t t = tasks.size(); t-- > 0;) {
            const std::size_t next = t + 1 < tasks.size() ? t + 1 : 0;
            if (t + 1 == tasks.size() && !cyclic) {
                continue;
            }
            live[t] = tasks[next].exposed || (live[next] && !tasks[next].defined);
        }
    }
    return live;
}

bool needs_old_value(const TaskTouch& task, bool live_after) {
    return task.exposed || (task.wrote && !task.defined && live_after);
}

void add_generations(int index, const std::vector<TaskTouch>& tasks, const std::vector<bool>& live, Liveness& found) {
    for (std::size_t def = 0; def < tasks.size(); ++def) {
        if (!tasks[def].wrote || !live[def]) {
            continue;
        }
        Generation generation{index, static_cast<int>(def), tasks[def].last_write, {}};
        for (std::size_t use = def + 1; use < tasks.size(); ++use) {
            if (needs_old_value(tasks[use], live[use])) {
                generation.use_tasks.push_back(static_cast<int>(use));
            }
            if (tasks[use].wrote) {
                break;
            }
        }
        found.crossing_bytes += found.bytes(generation);
        found.generations.push_back(std::move(generation));
    }
}

void add_state(int index, const std::vector<TaskTouch>& tasks, Liveness& found) {
    StateUse state{index, {}, {}};
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        // A task that changes only part of a state must carry the rest over, since the whole segment goes to the other
        // copy.
        if (tasks[t].exposed || (tasks[t].wrote && !tasks[t].defined)) {
            state.read_tasks.push_back(static_cast<int>(t));
        }
        if (tasks[t].wrote) {
            state.write_tasks.push_back(static_cast<int>(t));
            found.crossing_bytes += found.segments[static_cast<std::size_t>(index)].bytes.bytes();
        }
    }
    found.states.push_back(std::move(state));
}

// `arrives[t]`: the bytes at the start of task t hold something that an earlier task left.
void add_write_after_reads(const Segment& segment, const std::vector<TaskTouch>& tasks,
                           const std::vector<bool>& arrives, Liveness& found) {
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const TaskTouch& task = tasks[t];
        if (!task.exposed || !arrives[t] || task.last_write < task.first_read) {
            continue;
        }
        WriteAfterRead war{static_cast<int>(t),
                           segment.object,
                           {segment.bytes.begin, segment.bytes.end},
                           task.first_read,
                           task.last_write};
        for (WriteAfterRead& known : found.write_after_reads) {
            if (known.task == war.task && known.object == war.object && known.read_step == war.read_step &&
                known.write_step == war.write_step) {
                known.bytes.add(war.bytes);
                war.task = -1;
            }
        }
        if (war.task >= 0) {
            found.write_after_reads.push_back(std::move(war));
        }
    }
}

}  // namespace

Liveness analyse_liveness(const Chain& chain) {
    Liveness found;
    found.segments = cut_segments(chain);
    record_touches(chain, found.segments);
    for (std::size_t index = 0; index < found.segments.size(); ++index) {
        Segment& segment = found.segments[index];
        const bool outlives = chain.object(segment.object).kind == ObjectKind::variable;
        const std::vector<TaskTouch> tasks = by_task(chain, segment);
        const std::vector<bool> live = live_out(tasks, outlives);
        segment.is_state = outlives && (tasks.front().exposed || (live.front() && !tasks.front().defined)) &&
                           std::any_of(tasks.begin(), tasks.end(), [](const TaskTouch& t) { return t.wrote; });
        std::vector<bool> arrives(tasks.size(), segment.is_state);
        bool written = segment.is_state;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            arrives[t] = written;
            written = written || tasks[t].wrote;
        }
        if (segment.is_state) {
            add_state(static_cast<int>(index), tasks, found);
        } else {
            add_generations(static_cast<int>(index), tasks, live, found);
        }
        add_write_after_reads(segment, tasks, arrives, found);
    }
    return found;
}

std::vector<std::int64_t> boundary_bytes(const cfront::CodeModel& model, const std::vector<Role>& roles) {
    const std::vector<int> a_task_each(model.entry.steps.size(), 1);
    const Result<Chain> chain = make_chain(model, roles, a_task_each);
    std::vector<std::int64_t> bytes(model.entry.steps.size() + 1, 0);
    if (!chain) {
        return bytes;  // the caller meets the same error when it makes the chain it wants
    }
    const Liveness liveness = analyse_liveness(*chain);
    for (const Generation& g : liveness.generations) {
        for (int task = g.def_task; task < g.use_tasks.back(); ++task) {
            if (task >= 1 && task <= static_cast<int>(model.entry.steps.size())) {
                bytes[static_cast<std::size_t>(task - 1)] += liveness.bytes(g);
            }
        }
    }
    return bytes;
}

}  // namespace metamorph::tasks
