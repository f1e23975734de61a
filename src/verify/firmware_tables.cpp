#include "verify/firmware_tables.h"

#include <fmt/format.h>

namespace metamorph::verify {
namespace {

constexpr std::uint32_t k_tasks_max = 0xFFFE, k_task_bytes = 20, k_transfer_bytes = 20;
constexpr std::uint32_t k_state_bytes = 48, k_state_inference = 20;  // mm_runtime.c: record.inference of mm_state

class Tables {
public:
    explicit Tables(const emu::Program& program) : m_program(program) {}

    std::uint32_t word(std::uint32_t at) const { return m_program.word(at); }
    std::uint32_t half(std::uint32_t at) const { return word(at & ~3U) >> (8 * (at & 2U)) & 0xFFFFU; }

    IntervalSet homes(std::uint32_t list, std::uint32_t count) const {
        IntervalSet set;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t at = list + i * k_transfer_bytes;
            const std::int64_t home = word(at), bytes = word(at + 8), stride = word(at + 16);
            set.add(home, home + bytes);
            set.add(home + stride, home + stride + bytes);
        }
        return set;
    }

    std::vector<Transfer> transfers(std::uint32_t list, std::uint32_t count) const {
        std::vector<Transfer> all;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t at = list + i * k_transfer_bytes;
            all.push_back({word(at), word(at + 4), word(at + 8), word(at + 16)});
        }
        return all;
    }

private:
    const emu::Program& m_program;
};

}  // namespace

Result<FirmwareTables> read_tables(const emu::Program& program) {
    FirmwareTables tables;
    MM_TRY(const emu::Symbol event, program.symbol("mm_port_event"));
    MM_TRY(const emu::Symbol state, program.symbol("mm_state"));
    MM_TRY(const emu::Symbol board, program.symbol("mm_board_app"));
    MM_TRY(const emu::Symbol stack, program.symbol("mm_stack_limit"));
    tables.event_function = event.address;
    tables.inference_at = state.address + k_state_inference;
    tables.stack_limit = stack.address;
    const Tables read(program);
    const std::uint32_t app = read.word(board.address);
    const std::uint32_t count = read.half(app + 14), tasks = read.word(app + 16);
    if (state.bytes != k_state_bytes || app == 0 || tasks == 0 || count == 0 || count > k_tasks_max) {
        return fail_with_hint(ErrorCode::model, program.path().string(),
                              "the tables of this program are not those of this version of the runtime",
                              "weave the model again with this version of metamorph");
    }
    tables.build_id = read.word(app) | std::uint64_t{read.word(app + 4)} << 32;
    tables.nvm_bytes = read.word(app + 8);
    tables.initial = read.homes(read.word(app + 20), read.half(app + 24));
    for (std::uint32_t t = 0; t < count; ++t) {
        const std::uint32_t at = tasks + t * k_task_bytes;
        tables.task_functions.push_back(read.word(at) & ~1U);
        tables.fetch_list.push_back(read.transfers(read.word(at + 4), read.half(at + 12)));
        tables.commit_list.push_back(read.transfers(read.word(at + 8), read.half(at + 14)));
        tables.commits.push_back(read.homes(read.word(at + 8), read.half(at + 14)));
        if (!program.function_at(tables.task_functions.back())) {
            return fail(ErrorCode::model, program.path().string(),
                        "the table of tasks names {:#x}, which is no function", tables.task_functions.back());
        }
    }
    return tables;
}

}  // namespace metamorph::verify
