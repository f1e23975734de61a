// What the weaver writes down: tasks with their transfers, the NVM layout, and where every pointer argument points.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tasks/liveness.h"
#include "tasks/webs.h"

namespace metamorph::tasks {

enum class NvmMode {
    mapped,  // NVM is memory: tasks can work on it in place
    bus      // NVM only through read and write calls
};

enum class Placement {
    task_local,
    nvm_scratch,  // task-local, but for want of SRAM in NVM; a task writes it before it reads it
    nvm_in_place,
    nvm_with_sram_copy,
    double_buffered
};
const char* name_of(Placement placement);

inline constexpr std::int64_t k_nvm_header_bytes = 128;    // MM_NVM_HEADER_BYTES of the runtime
inline constexpr std::int64_t k_home_alignment = 16;       // of every home, and of the SRAM images
inline constexpr std::int64_t k_commit_record_bytes = 34;  // bytes a commit writes beside the data (runtime/SPEC.md)
inline constexpr int k_double_buffers_max = 32;            // selector bits in a commit record

// Where one variable (a web, or a chunk of bytes that crosses) lives, and why: a line of --explain.
struct Variable {
    cfront::ObjectId object = -1;
    IntervalSet bytes;  // in the object's coordinates
    Placement placement = Placement::task_local;
    int first_task = -1, last_task = -1;  // that write or read it
    int writer_step = -1;                 // first chain step that writes it; -1: an initial value
    std::int64_t home = -1;               // NVM address; -1: none
    std::int64_t crossing_bytes = 0;      // of it that cross a task boundary, a value counted once
    std::string reason;
};

struct Transfer {  // mm_transfer_t
    cfront::ObjectId object = -1;
    std::int64_t offset = 0;  // in the object's SRAM image
    std::int64_t home = 0, bytes = 0;
    int since = -1;   // fetch: last earlier task that left the bytes in SRAM; -1: always
    int buffer = -1;  // double-buffered variable; -1: none
    std::int64_t stride = 0;
};

struct PlannedTask {
    int first_step = 0, last_step = 0;  // chain steps, inclusive
    std::vector<Transfer> fetch, commit;
    std::uint32_t flips = 0;
};

struct Pointer {  // where argument a of chain step s points
    bool in_nvm = false;
    std::int64_t at = 0;  // NVM address, or byte offset in the object's SRAM image
};

struct TaskPlan {
    NvmMode mode = NvmMode::mapped;
    std::vector<PlannedTask> tasks;
    std::vector<Variable> variables;
    std::map<std::pair<int, int>, Pointer> pointers;      // (chain step, argument); all arguments that are objects
    std::map<cfront::ObjectId, std::int64_t> sram_bytes;  // SRAM image of each parameter object that needs one
    std::vector<Transfer> initial;                        // states to be saved at the first boot
    std::vector<WriteAfterRead> write_after_reads;        // all of them resolved
    std::int64_t nvm_bytes = k_nvm_header_bytes;          // header and homes
    std::int64_t crossing_bytes = 0;                      // per inference
    std::int64_t data_bytes_written = 0;                  // per inference, by this plan, without NVM scratch
};

// `sram_bytes_max` is what all SRAM images together may take, each rounded up to k_home_alignment. Where they take more
// and NVM is mapped, values go to NVM instead, largest first; what cannot be helped stays, and whoever knows the device
// refuses it. `write_unit_bytes` is what NVM may tear where power is lost: a power of two, at most k_home_alignment; no
// two tasks write into one unit of what is alive. Errors: model (state that cannot be addressed or does not fit the
// record).
Result<TaskPlan> plan_tasks(const Chain& chain, NvmMode mode,
                            std::int64_t sram_bytes_max = std::numeric_limits<std::int64_t>::max(),
                            std::int64_t write_unit_bytes = 1);

}  // namespace metamorph::tasks
