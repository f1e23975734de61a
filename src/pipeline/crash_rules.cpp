#include "pipeline/crash_rules.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "pipeline/inputs.h"
#include "tasks/task_plan.h"
#include "verify/record_slots.h"

namespace metamorph::pipeline {
namespace {

constexpr std::uint32_t k_attempts_max = 8;  // MM_ATTEMPTS_MAX

// What another build of the program would have left: its records are whole, only the build id is not ours.
std::string of_another_build(std::string image) {
    for (std::size_t slot = 0; slot < verify::k_slots; ++slot) {
        char* const at = image.data() + slot * verify::k_slot_bytes;
        std::uint32_t seal = 0;
        std::memcpy(&seal, at, sizeof seal);
        if (seal != 0) {
            at[verify::k_slot_body_at] = static_cast<char>(at[verify::k_slot_body_at] ^ 0x5A);
            seal = verify::seal_of(at + verify::k_slot_body_at);
            std::memcpy(at, &seal, sizeof seal);
        }
    }
    return image;
}

}  // namespace

verify::CrashRules crash_rules(const weave::WovenSummary& summary, const verify::FirmwareTables& tables,
                               const verify::Recording& recording, const std::vector<emu::Output>& expected,
                               int depth) {
    verify::CrashRules rules;
    rules.expected = expected;
    rules.attempts_max = k_attempts_max;
    rules.header_bytes = static_cast<std::uint32_t>(tasks::k_nvm_header_bytes);
    rules.depth = depth;
    IntervalSet homes = tables.initial;
    for (std::size_t task = 0; task < tables.commits.size(); ++task) {
        IntervalSet may(0, rules.header_bytes);
        may.add(tables.commits[task]);
        homes.add(tables.commits[task]);
        if (task == 0) {
            may.add(tables.initial);
        }
        for (const auto& home : summary.homes) {
            if (home.first_task <= static_cast<int>(task) && static_cast<int>(task) <= home.last_task) {
                may.add(home.address, home.address + home.bytes);
            }
        }
        rules.may_write.push_back(std::move(may));
    }
    for (const auto& home : summary.homes) {
        homes.add(home.address, home.address + home.bytes);
    }
    rules.regions = homes.intervals();

    const std::size_t bytes = recording.nvm_bytes;
    rules.starts.push_back({"ones", std::string(bytes, '\xFF')});
    rules.starts.push_back({"noise", random_inputs(20, bytes)});
    const std::size_t last = recording.images.size() - 1;
    rules.starts.push_back({"other-build", of_another_build(recording.images[std::min<std::size_t>(1, last)])});
    rules.starts.push_back({"other-build-late", of_another_build(recording.images[last])});
    return rules;
}

}  // namespace metamorph::pipeline
