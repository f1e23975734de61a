// The two ways, in bytes that move, as instructions go with them and a device's energy for either is not known here:
//
//   written   its result goes to NVM once an inference, and comes from there in each task that needs it
//   again     the step runs in each of these tasks, not in one of its own: what it loads and stores, but for one of
//             them, since it runs once in any case
//
// So with one task that needs it (a weight is used by one layer) running it there is free. Rejected: once in the life
// of the device, at the first boot. It would save the step's instructions in every inference, but needs a task that
// the runtime runs only then, and NVM that is never used for anything else.
//
// A step can be moved if it reads no memory that is written in the inference, surely writes all that it writes, into
// the arena or into variables that no step before it touches (a table that is made anew in each inference), and nobody
// else writes there before the last task that needs it.
#include "tasks/recompute.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metamorph::tasks {
namespace {

using cfront::ObjectId;
using Bytes = std::map<ObjectId, IntervalSet>;

class Mover {
public:
    explicit Mover(const Chain& chain) : m_chain(chain) {}

    Chain run() {
        const bool has_slices = std::any_of(m_chain.steps.begin(), m_chain.steps.end(),
                                            [](const ChainStep& step) { return step.sliced_layer >= 0; });
        for (std::size_t s = 0; s < m_chain.steps.size() && !has_slices; ++s) {
            if (reads_nothing(m_chain.steps[s])) {
                consider(s);
            }
        }
        return rebuilt();
    }

private:
    int task_of(std::size_t step) const { return m_chain.task_of_step[step]; }

    static bool reads_nothing(const ChainStep& step) {
        return step.kind == ChainStep::Kind::call &&
               std::all_of(step.accesses.begin(), step.accesses.end(),
                           [](const ChainAccess& access) { return access.reads_from_before().empty(); });
    }

    bool is_surely_written_there(std::size_t s) const {
        const std::vector<ChainAccess>& accesses = m_chain.steps[s].accesses;
        return std::all_of(accesses.begin(), accesses.end(), [&](const ChainAccess& access) {
            const cfront::Object& object = m_chain.object(access.object);
            const bool is_parameter = object.kind == cfront::ObjectKind::entry_parameter;
            return access.writes == access.must_writes &&
                   (access.writes.empty() ||
                    (is_parameter ? m_chain.roles[static_cast<std::size_t>(object.parameter)] == Role::arena
                                  : is_untouched_before(s, access)));
        });
    }

    // By a step that finds there what an inference before has left, say.
    bool is_untouched_before(std::size_t s, const ChainAccess& access) const {
        const Bytes bytes{{access.object, access.writes}};
        return std::none_of(
            m_chain.steps.begin(), m_chain.steps.begin() + static_cast<std::ptrdiff_t>(s),
            [&](const ChainStep& step) { return touches(step, bytes, true) || touches(step, bytes, false); });
    }

    static bool touches(const ChainStep& step, const Bytes& bytes, bool is_write) {
        return std::any_of(step.accesses.begin(), step.accesses.end(), [&](const ChainAccess& access) {
            const auto of = bytes.find(access.object);
            return of != bytes.end() && of->second.intersects(is_write ? access.writes : access.reads_from_before());
        });
    }

    // The first step of each task that needs the result; nothing where another step writes over it before its last
    // reader.
    std::optional<std::vector<std::size_t>> readers_of(std::size_t step, Bytes result) const {
        std::vector<std::size_t> readers;
        bool is_overwritten = false;
        for (std::size_t s = step + 1; s < m_chain.steps.size() && !result.empty(); ++s) {
            if (touches(m_chain.steps[s], result, false)) {
                if (is_overwritten) {
                    return std::nullopt;
                }
                if (readers.empty() || task_of(readers.back()) != task_of(s)) {
                    readers.push_back(s);
                }
            }
            is_overwritten = is_overwritten || touches(m_chain.steps[s], result, true);
            for (const ChainAccess& access : m_chain.steps[s].accesses) {  // what is new is no result of the step's
                const auto of = result.find(access.object);
                if (of != result.end()) {
                    of->second.subtract(access.must_writes);
                }
            }
            std::erase_if(result, [](const auto& of) { return of.second.empty(); });
        }
        return readers;
    }

    void consider(std::size_t s) {
        const ChainStep& step = m_chain.steps[s];
        Bytes result;
        std::int64_t bytes = 0, moved = 0;
        for (const ChainAccess& access : step.accesses) {
            result[access.object].add(access.writes);
            moved += access.reads.bytes() + access.writes.bytes();
        }
        for (const auto& [object, set] : result) {
            bytes += set.bytes();
        }
        const auto readers = readers_of(s, result);
        if (readers && readers->empty()) {
            return;
        }
        ConstantStep& chosen = m_choices[step.entry_step];
        std::string& choice = chosen.text;
        if (!is_surely_written_there(s)) {
            choice = "stays where it is: what it writes is not surely written, or is not only its own";
            return;
        }
        if (!readers) {
            choice = "stays where it is: its result's bytes are used for something else before all have read it";
            return;
        }
        std::vector<int> tasks;
        for (const std::size_t reader : *readers) {
            tasks.push_back(task_of(reader));
        }
        if (tasks == std::vector<int>{task_of(s)}) {
            choice = "stays where it is: only its own task needs it";
            return;
        }
        const auto count = static_cast<std::int64_t>(tasks.size());
        const std::int64_t written = bytes * (1 + count), again = (count - 1) * moved;
        const std::string figures =
            fmt::format("{} B to NVM and {} B from there an inference, against {} B loaded and stored more", bytes,
                        bytes * count, again);
        if (again > written) {
            choice = fmt::format("stays a step of its own, as that costs less than to run it in {} tasks: {}", count,
                                 figures);
            return;
        }
        choice =
            fmt::format("run again in the {} that {} it, which costs less: {}",
                        count == 1 ? "task" : fmt::format("{} tasks", count), count == 1 ? "needs" : "need", figures);
        chosen.is_moved = true;
        m_moved.insert(s);
        for (const std::size_t reader : *readers) {
            m_before[reader].push_back(s);
        }
    }

    Chain rebuilt() const {
        Chain chain = m_chain;
        chain.steps.clear();
        chain.task_of_step.clear();
        chain.constant_steps = m_choices;
        std::map<int, int> renumbered;
        const auto add = [&](std::size_t step, int task) {
            const int number = renumbered.try_emplace(task, static_cast<int>(renumbered.size())).first->second;
            chain.steps.push_back(m_chain.steps[step]);
            chain.task_of_step.push_back(number);
        };
        for (std::size_t s = 0; s < m_chain.steps.size(); ++s) {
            if (const auto before = m_before.find(s); before != m_before.end()) {
                for (const std::size_t moved : before->second) {
                    add(moved, task_of(s));
                }
            }
            if (!m_moved.contains(s)) {
                add(s, task_of(s));
            }
        }
        return chain;
    }

    const Chain& m_chain;
    std::map<int, ConstantStep> m_choices;                     // by entry step
    std::set<std::size_t> m_moved;                             // chain steps
    std::map<std::size_t, std::vector<std::size_t>> m_before;  // chain step → those that are to run before it
};

}  // namespace

Chain recompute_constants(const Chain& chain) {
    return Mover(chain).run();
}

}  // namespace metamorph::tasks
