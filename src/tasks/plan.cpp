// Chain → TaskPlan. A web is placed whole: in SRAM (with transfers for the parts of it that cross tasks) or, where NVM
// is mapped and that writes each crossing byte exactly once, in NVM in place. Values get homes by the tasks in which
// they are alive (homes.h), so a task never writes what it would read again: that resolves every write-after-read
// through a reused arena. What is truly replaced in place (state between inferences, a value updated inside a task)
// gets two homes.
//
// Rejected: saving the whole arena at each boundary (up to 13 times the crossing bytes in the field's reference
// design); privatising only the bytes that are overwritten (needs a second pass over them at commit).
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tasks/fit_sram.h"
#include "tasks/homes.h"
#include "tasks/pieces.h"
#include "tasks/task_plan.h"

namespace metamorph::tasks {
namespace {

using cfront::ObjectId;
using cfront::ObjectKind;

std::string list_tasks(const std::vector<int>& tasks) {
    return fmt::format("{} {}", tasks.size() == 1 ? "task" : "tasks", fmt::join(tasks, ", "));
}

class Planner {
public:
    Planner(const Chain& chain, NvmMode mode, std::int64_t sram_bytes_max, std::int64_t write_unit_bytes)
        : m_chain(chain),
          m_liveness(analyse_liveness(chain)),
          m_webs(find_webs(chain, m_liveness)),
          m_pieces(find_pieces(chain, m_liveness, m_webs, mode, write_unit_bytes)),
          m_sram_bytes_max(sram_bytes_max),
          m_fit(fit_sram(chain, m_webs, m_pieces, mode, sram_bytes_max)) {
        m_plan.mode = mode;
    }

    Result<TaskPlan> run() {
        m_plan.write_after_reads = m_liveness.write_after_reads;
        m_plan.crossing_bytes = m_liveness.crossing_bytes;
        make_tasks();
        take_moved_chunks_out();
        MM_CHECK(check_addressable());
        place_homes();
        add_transfers();
        MM_CHECK(add_states());
        add_local_variables();
        point();
        return std::move(m_plan);
    }

private:
    int task_of(int step) const { return m_chain.task_of_step[static_cast<std::size_t>(step)]; }
    const Segment& segment(int index) const { return m_liveness.segments[static_cast<std::size_t>(index)]; }

    void make_tasks() {
        m_plan.tasks.resize(static_cast<std::size_t>(m_chain.tasks()));
        for (std::size_t step = m_chain.steps.size(); step-- > 0;) {
            PlannedTask& task = m_plan.tasks[static_cast<std::size_t>(task_of(static_cast<int>(step)))];
            task.first_step = static_cast<int>(step);
            task.last_step = std::max(task.last_step, static_cast<int>(step));
        }
    }

    // The transfer tables name variables: those with internal linkage cannot be named from another file.
    Status check_addressable() const {
        std::set<ObjectId> named;
        for (const Chunk& chunk : m_pieces.chunks) {
            named.insert(chunk.object);
        }
        for (const State& state : m_pieces.states) {
            named.insert(state.object);
        }
        for (ObjectId id : named) {
            const cfront::Object& object = m_chain.object(id);
            if (object.kind != ObjectKind::variable) {
                continue;
            }
            const cfront::Variable& variable = m_chain.model->variables[static_cast<std::size_t>(object.variable)];
            if (variable.is_static || !variable.local_to.empty()) {
                return fail_with_hint(
                    ErrorCode::model, fmt::format("{}:{}", variable.location.file, variable.location.line),
                    fmt::format(
                        "variable '{}' must survive a power failure, but it is static: no other file can name it",
                        variable.name),
                    "give it external linkage, or split the network so that it does not cross tasks");
            }
        }
        return {};
    }

    bool is_moved(std::size_t web) const { return m_fit.is_moved[web]; }
    bool is_in_nvm(int web) const { return m_pieces.is_in_place(web) || is_moved(static_cast<std::size_t>(web)); }

    // What lives in NVM is not copied there.
    void take_moved_chunks_out() {
        std::erase_if(m_pieces.chunks,
                      [&](const Chunk& chunk) { return is_moved(static_cast<std::size_t>(chunk.web)); });
    }

    // Of an object's SRAM image, in the object's coordinates.
    std::int64_t image_begin(ObjectId object) const {
        const auto image = m_fit.images.find(object);
        return image == m_fit.images.end() ? 0 : image->second.begin;
    }

    std::string why_moved() const {
        return fmt::format(
            "SRAM images would take {} B and the device has {} B for them, so it lives in NVM, which "
            "costs time and energy",
            m_fit.sram_bytes_wanted, m_sram_bytes_max);
    }

    void place_homes() {
        std::vector<HomeRequest> requests;
        std::vector<int> in_place;
        for (std::size_t w = 0; w < m_webs.webs.size(); ++w) {
            if (!is_in_nvm(static_cast<int>(w))) {
                continue;
            }
            const Web& web = m_webs.webs[w];
            std::vector<int> steps = web.writer_steps;
            steps.insert(steps.end(), web.reader_steps.begin(), web.reader_steps.end());
            const auto [first, last] = std::minmax_element(steps.begin(), steps.end());
            requests.push_back({web.hull.bytes(),
                                ((web.hull.begin % k_home_alignment) + k_home_alignment) % k_home_alignment,
                                task_of(*first), task_of(*last), !m_pieces.crosses(w), *first, *last});
            in_place.push_back(static_cast<int>(w));
        }
        for (const Chunk& chunk : m_pieces.chunks) {
            requests.push_back({chunk.bytes.bytes(), 0, chunk.def_task, chunk.use_tasks.back()});
        }
        for (const State& state : m_pieces.states) {
            for (int copy = 0; copy < 2; ++copy) {
                requests.push_back({state.bytes.bytes(), 0, 0, m_chain.tasks() - 1});
            }
        }
        m_homes = allocate_homes(requests, k_nvm_header_bytes, m_plan.nvm_bytes);
        m_home_of_web.assign(m_webs.webs.size(), -1);
        for (std::size_t i = 0; i < in_place.size(); ++i) {
            m_home_of_web[static_cast<std::size_t>(in_place[i])] = m_homes[i];
            add_in_place_variable(in_place[i], m_homes[i], requests[i]);
        }
        m_first_chunk_home = in_place.size();
    }

    std::int64_t bytes_written(const Web& web) const {
        std::int64_t bytes = 0;
        for (int s : web.written) {
            bytes += segment(s).bytes.bytes();
        }
        return bytes;
    }

    void add_in_place_variable(int index, std::int64_t home, const HomeRequest& request) {
        const Web& web = m_webs.webs[static_cast<std::size_t>(index)];
        IntervalSet bytes;
        for (int s : web.segments) {
            bytes.add(segment(s).bytes.begin, segment(s).bytes.end);
        }
        const std::int64_t crossing = m_pieces.crossing_bytes[static_cast<std::size_t>(index)];
        m_plan.data_bytes_written += crossing == 0 ? 0 : bytes_written(web);
        std::string reason;
        if (crossing == 0) {
            reason = fmt::format(
                "only task {} needs it, and writes it before reading it: running the task again is "
                "safe; {}",
                request.first_task, why_moved());
        } else {
            reason = fmt::format(
                "crosses from task {} to task {}; written out of place, each byte once: running the "
                "task again is safe",
                request.first_task, request.last_task);
            if (is_moved(static_cast<std::size_t>(index))) {
                reason += fmt::format("; {}, but {}", m_pieces.why_not[static_cast<std::size_t>(index)], why_moved());
            }
        }
        m_plan.variables.push_back({web.object, bytes, crossing == 0 ? Placement::nvm_scratch : Placement::nvm_in_place,
                                    request.first_task, request.last_task, web.writer_steps.front(), home, crossing,
                                    std::move(reason)});
    }

    // The write-after-read that makes a chunk two values in one variable: its own task reads the old one.
    const WriteAfterRead* overwritten_in_place(const Chunk& chunk) const {
        for (const WriteAfterRead& war : m_liveness.write_after_reads) {
            if (war.task == chunk.def_task && war.object == chunk.object &&
                war.bytes.intersects(IntervalSet(chunk.bytes.begin, chunk.bytes.end)) &&
                m_webs.webs[static_cast<std::size_t>(chunk.web)].has_overwrite) {
                return &war;
            }
        }
        return nullptr;
    }

    void add_transfers() {
        for (std::size_t c = 0; c < m_pieces.chunks.size(); ++c) {
            const Chunk& chunk = m_pieces.chunks[c];
            Transfer transfer{chunk.object,
                              chunk.bytes.begin - image_begin(chunk.object),
                              m_homes[m_first_chunk_home + c],
                              chunk.bytes.bytes(),
                              0,
                              -1,
                              0};
            m_plan.tasks[static_cast<std::size_t>(chunk.def_task)].commit.push_back(transfer);
            transfer.since = chunk.def_task;
            for (int use : chunk.use_tasks) {
                m_plan.tasks[static_cast<std::size_t>(use)].fetch.push_back(transfer);
                transfer.since = use;
            }
            m_plan.data_bytes_written += chunk.bytes.bytes();
            const WriteAfterRead* war = overwritten_in_place(chunk);
            std::string reason =
                fmt::format("crosses from task {} to {}; ", chunk.def_task, list_tasks(chunk.use_tasks));
            reason +=
                war != nullptr
                    ? fmt::format("task {} reads the old bytes and replaces them, so the new ones get another home",
                                  chunk.def_task)
                    : fmt::format("{}: fetched after a reboot, written back at commit",
                                  m_pieces.why_not[static_cast<std::size_t>(chunk.web)]);
            m_plan.variables.push_back({chunk.object, IntervalSet(chunk.bytes.begin, chunk.bytes.end),
                                        war != nullptr ? Placement::double_buffered : Placement::nvm_with_sram_copy,
                                        chunk.def_task, chunk.use_tasks.back(), chunk.def_step, transfer.home,
                                        chunk.bytes.bytes(), std::move(reason)});
        }
    }

    Status add_states() {
        if (m_pieces.states.size() > static_cast<std::size_t>(k_double_buffers_max)) {
            return fail(
                ErrorCode::model, m_chain.model->entry.function,
                "{} separate pieces of state survive from one inference to the next; a commit record can switch {}",
                m_pieces.states.size(), k_double_buffers_max);
        }
        for (std::size_t s = 0; s < m_pieces.states.size(); ++s) {
            const State& state = m_pieces.states[s];
            const std::size_t at = m_first_chunk_home + m_pieces.chunks.size() + 2 * s;
            const std::int64_t low = std::min(m_homes[at], m_homes[at + 1]);
            Transfer transfer{state.object,
                              state.bytes.begin,
                              low,
                              state.bytes.bytes(),
                              -1,
                              static_cast<int>(s),
                              std::max(m_homes[at], m_homes[at + 1]) - low};
            for (int task : state.read_tasks) {
                m_plan.tasks[static_cast<std::size_t>(task)].fetch.push_back(transfer);
            }
            for (int task : state.write_tasks) {
                m_plan.tasks[static_cast<std::size_t>(task)].commit.push_back(transfer);
                m_plan.tasks[static_cast<std::size_t>(task)].flips |= std::uint32_t{1} << s;
                m_plan.data_bytes_written += state.bytes.bytes();
            }
            m_plan.initial.push_back(transfer);
            m_plan.variables.push_back(
                {state.object, IntervalSet(state.bytes.begin, state.bytes.end), Placement::double_buffered, 0,
                 m_chain.tasks() - 1, -1, low,
                 state.bytes.bytes() * static_cast<std::int64_t>(state.write_tasks.size()),
                 fmt::format(
                     "keeps its value between inferences; {} replace it: two copies, switched by the commit record",
                     list_tasks(state.write_tasks))});
        }
        return {};
    }

    void add_local_variables() {
        for (std::size_t w = 0; w < m_webs.webs.size(); ++w) {
            const Web& web = m_webs.webs[w];
            if (m_pieces.crosses(w) || is_moved(w) || web.writer_steps.empty() ||
                std::any_of(web.segments.begin(), web.segments.end(), [&](int s) { return segment(s).is_state; })) {
                continue;
            }
            IntervalSet bytes;
            for (int s : web.written) {
                bytes.add(segment(s).bytes.begin, segment(s).bytes.end);
            }
            const int first = task_of(web.writer_steps.front());
            m_plan.variables.push_back({web.object, bytes, Placement::task_local, first,
                                        task_of(web.writer_steps.back()), web.writer_steps.front(), -1, 0,
                                        fmt::format("only task {} needs it", first)});
        }
        std::stable_sort(m_plan.variables.begin(), m_plan.variables.end(), [](const Variable& a, const Variable& b) {
            return std::pair(a.writer_step, a.bytes.begin()) < std::pair(b.writer_step, b.bytes.begin());
        });
    }

    void point() {
        for_each_pointer(m_chain, [&](int step, int argument, ObjectId object, std::int64_t offset) {
            const auto web = m_webs.of_argument.find({step, argument});
            if (web != m_webs.of_argument.end() && is_in_nvm(web->second)) {
                const Web& placed = m_webs.webs[static_cast<std::size_t>(web->second)];
                const std::int64_t home = m_home_of_web[static_cast<std::size_t>(web->second)];
                m_plan.pointers[{step, argument}] = {true, home + offset - placed.hull.begin};
            } else {
                m_plan.pointers[{step, argument}] = {false, offset - image_begin(object)};
            }
        });
        for (const auto& [object, image] : m_fit.images) {
            m_plan.sram_bytes[object] = image.bytes();
        }
    }

    const Chain& m_chain;
    Liveness m_liveness;
    Webs m_webs;
    Pieces m_pieces;
    const std::int64_t m_sram_bytes_max;
    const Fit m_fit;
    TaskPlan m_plan;
    std::vector<std::int64_t> m_homes, m_home_of_web;
    std::size_t m_first_chunk_home = 0;
};

}  // namespace

const char* name_of(Placement placement) {
    switch (placement) {
        case Placement::task_local:
            return "task-local";
        case Placement::nvm_in_place:
            return "NVM in place";
        case Placement::nvm_scratch:
            return "NVM scratch";
        case Placement::nvm_with_sram_copy:
            return "NVM home with SRAM copy";
        case Placement::double_buffered:
            return "double-buffered";
    }
    return "?";
}

Result<TaskPlan> plan_tasks(const Chain& chain, NvmMode mode, std::int64_t sram_bytes_max,
                            std::int64_t write_unit_bytes) {
    return Planner(chain, mode, sram_bytes_max, write_unit_bytes).run();
}

}  // namespace metamorph::tasks
