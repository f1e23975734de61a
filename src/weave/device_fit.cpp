#include "weave/device_fit.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::weave {
namespace {

using app::Device;
using app::MemoryKind;

struct Part {
    std::string what;  // "the stack"
    std::int64_t bytes = 0;
};

std::int64_t rounded_up(std::int64_t bytes) {
    return (bytes + tasks::k_home_alignment - 1) / tasks::k_home_alignment * tasks::k_home_alignment;
}

std::int64_t size_of(const Device& device, MemoryKind kind) {
    return static_cast<std::int64_t>(device.memory(kind).bytes);
}

bool is_mapped(const Device& device) {
    return device.attachment == app::Attachment::mapped;
}

// Variables that are written live in SRAM. Linkers align them as they like: 16 bytes each are enough.
std::int64_t variable_bytes(const cfront::CodeModel& model) {
    std::int64_t bytes = 0;
    for (const cfront::Variable& variable : model.variables) {
        bytes += variable.is_defined && !variable.is_const ? rounded_up(variable.bytes) : 0;
    }
    return bytes;
}

// Constants that the entry's callees read, or are given: what they do not, a linker may leave out.
std::int64_t constant_bytes(const cfront::CodeModel& model) {
    std::set<std::string> used;
    for (const cfront::Step& step : model.entry.steps) {
        if (const cfront::Function* callee = model.function(step.callee)) {
            used.insert(callee->reads_globals.begin(), callee->reads_globals.end());
        }
    }
    for (const cfront::Object& object : model.entry.objects) {
        if (object.kind == cfront::ObjectKind::variable) {
            used.insert(object.name);
        }
    }
    std::int64_t bytes = 0;
    for (const cfront::Variable& variable : model.variables) {
        const bool is_in_flash = variable.is_defined && variable.is_const && used.contains(variable.qualified_name());
        bytes += is_in_flash ? variable.bytes : 0;
    }
    return bytes;
}

std::vector<Part> parts_beside_images(const tasks::Chain& chain, const Device& device) {
    return {{"the stack that the device reserves", static_cast<std::int64_t>(device.stack_bytes)},
            {"the runtime", k_runtime_sram_bytes},
            {"variables of the generated code", variable_bytes(*chain.model)}};
}

std::int64_t sum_of(const std::vector<Part>& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                           [](std::int64_t sum, const Part& part) { return sum + part.bytes; });
}

// "2304 B the image of 'arena', 256 B the runtime": largest first.
std::string print(std::vector<Part> parts) {
    std::erase_if(parts, [](const Part& part) { return part.bytes == 0; });
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.bytes > b.bytes; });
    std::vector<std::string> list;
    for (const Part& part : parts) {
        list.push_back(fmt::format("{} B {}", part.bytes, part.what));
    }
    return fmt::format("{}", fmt::join(list, ", "));
}

// `what` is who needs it: "the application".
Status check_memory(const Device& device, MemoryKind kind, const std::string& what, std::vector<Part> parts,
                    const std::string& hint) {
    const std::int64_t need = sum_of(parts), have = size_of(device, kind);
    if (need <= have) {
        return {};
    }
    return fail_with_hint(ErrorCode::options,
                          fmt::format("device {}, memory '{}'", device.name, printable(device.memory(kind).name)),
                          fmt::format("{} needs {} B of {} and the device has {} B: {} B too much ({})", what, need,
                                      kind == MemoryKind::sram    ? "SRAM"
                                      : kind == MemoryKind::flash ? "flash"
                                                                  : "non-volatile memory",
                                      have, need - have, print(std::move(parts))),
                          hint);
}

std::vector<const cfront::Object*> entry_parameters(const tasks::Chain& chain) {
    std::vector<const cfront::Object*> objects;
    for (const cfront::Object& object : chain.model->entry.objects) {
        if (object.kind == cfront::ObjectKind::entry_parameter && object.bytes) {
            objects.push_back(&object);
        }
    }
    std::sort(objects.begin(), objects.end(), [](const auto* a, const auto* b) { return a->parameter < b->parameter; });
    return objects;
}

std::string hint_for_sram(const Device& device, const tasks::TaskPlan& plan) {
    const std::string larger = "take a device with more SRAM: metamorph devices";
    if (is_mapped(device)) {
        return "what is left cannot live in non-volatile memory; split the network differently (--tasks), or " + larger;
    }
    std::string largest;
    std::int64_t bytes = 0;
    for (const tasks::Variable& variable : plan.variables) {
        if (variable.bytes.bytes() > bytes) {
            bytes = variable.bytes.bytes();
            largest = fmt::format(" (the largest value has {} B, used from task {} to task {})", bytes,
                                  variable.first_task, variable.last_task);
        }
    }
    return fmt::format(
        "on a bus every value needs SRAM while a task works on it{}; with mapped NVM it could live there. Give the "
        "device less stack, or {}",
        largest, larger);
}

std::vector<Part> sram_parts(const tasks::Chain& chain, const tasks::TaskPlan& plan, const Device& device) {
    std::vector<Part> parts = parts_beside_images(chain, device);
    for (const auto& [object, bytes] : plan.sram_bytes) {
        parts.push_back({fmt::format("the image of '{}'", chain.object(object).name), rounded_up(bytes)});
    }
    return parts;
}

std::vector<Part> nvm_parts(const tasks::TaskPlan& plan) {
    return {{"the runtime's records", tasks::k_nvm_header_bytes},
            {"homes of variables", rounded_up(plan.nvm_bytes) - tasks::k_nvm_header_bytes}};
}

std::vector<Part> flash_parts(const tasks::Chain& chain) {
    return {{"weights and tables", constant_bytes(*chain.model)}};
}

Status check_sram(const tasks::Chain& chain, const tasks::TaskPlan& plan, const Device& device) {
    MM_CHECK(check_memory(device, MemoryKind::sram, "the application", sram_parts(chain, plan, device),
                          hint_for_sram(device, plan)));
    std::vector<Part> parts = parts_beside_images(chain, device);
    const std::vector<bool> in_nvm = plain_buffers_in_nvm(chain, device);
    const std::vector<const cfront::Object*> buffers = entry_parameters(chain);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!in_nvm[i]) {
            parts.push_back({fmt::format("'{}'", buffers[i]->name), rounded_up(*buffers[i]->bytes)});
        }
    }
    return check_memory(device, MemoryKind::sram, "the plain program, which the application is compared with,", parts,
                        hint_for_sram(device, plan));
}

Status check_nvm(const tasks::Chain& chain, const tasks::TaskPlan& plan, const Device& device) {
    std::int64_t scratch = 0;
    for (const tasks::Variable& variable : plan.variables) {
        scratch += variable.placement == tasks::Placement::nvm_scratch ? variable.bytes.bytes() : 0;
    }
    const std::string hint =
        scratch > 0 ? "SRAM is too small as well, so values were moved here; take a device with more of either: "
                      "metamorph devices"
                    : "fewer, larger tasks leave less behind (--tasks), or take a device with more non-volatile "
                      "memory: metamorph devices";
    MM_CHECK(check_memory(device, MemoryKind::nvm, "the application", nvm_parts(plan), hint));
    const std::vector<bool> in_nvm = plain_buffers_in_nvm(chain, device);
    const std::vector<const cfront::Object*> buffers = entry_parameters(chain);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (in_nvm[i]) {
            parts.push_back({fmt::format("'{}'", buffers[i]->name), rounded_up(*buffers[i]->bytes)});
        }
    }
    return check_memory(device, MemoryKind::nvm, "the plain program, which the application is compared with,", parts,
                        "take a device with more SRAM or more non-volatile memory: metamorph devices");
}

}  // namespace

std::int64_t sram_for_images(const tasks::Chain& chain, const Device& device) {
    return size_of(device, MemoryKind::sram) - sum_of(parts_beside_images(chain, device));
}

std::vector<bool> plain_buffers_in_nvm(const tasks::Chain& chain, const Device& device) {
    const std::vector<const cfront::Object*> buffers = entry_parameters(chain);
    std::vector<bool> in_nvm(buffers.size(), false);
    std::int64_t left = sram_for_images(chain, device);
    for (const cfront::Object* buffer : buffers) {
        left -= rounded_up(*buffer->bytes);
    }
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return *buffers[a]->bytes > *buffers[b]->bytes; });
    for (std::size_t i = 0; i < order.size() && left < 0 && is_mapped(device); ++i) {
        in_nvm[order[i]] = true;
        left += rounded_up(*buffers[order[i]]->bytes);
    }
    return in_nvm;
}

Status check_fits(const tasks::Chain& chain, const tasks::TaskPlan& plan, const Device& device) {
    MM_CHECK(check_memory(device, MemoryKind::flash, "the network, by its constants alone,", flash_parts(chain),
                          "take a smaller network, or a device with more flash: metamorph devices"));
    MM_CHECK(check_sram(chain, plan, device));
    return check_nvm(chain, plan, device);
}

Status check_plain_stack(const tasks::Chain& chain, int parameters, std::int64_t stack_bytes, const Device& device) {
    std::vector<Part> parts = {{"the stack, for the locals of its entry", stack_bytes},
                               {"variables of the generated code", variable_bytes(*chain.model)}};
    const std::vector<bool> in_nvm = plain_buffers_in_nvm(chain, device);
    const std::vector<const cfront::Object*> buffers = entry_parameters(chain);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!in_nvm[i] && buffers[i]->parameter < parameters) {
            parts.push_back({fmt::format("'{}'", buffers[i]->name), rounded_up(*buffers[i]->bytes)});
        }
    }
    return check_memory(device, MemoryKind::sram, "the plain program, which the application is compared with,", parts,
                        "'metamorph run' compares with it on this host, whatever the device has");
}

std::string print_fit(const tasks::Chain& chain, const tasks::TaskPlan& plan, const Device& device) {
    std::string text = fmt::format("Memory of {}\n", device.name);
    for (const auto& [kind, parts, is_bound] : {std::tuple(MemoryKind::flash, flash_parts(chain), true),
                                                std::tuple(MemoryKind::sram, sram_parts(chain, plan, device), false),
                                                std::tuple(MemoryKind::nvm, nvm_parts(plan), false)}) {
        text += fmt::format("  {:<5} {:>8} B of {:>8} B: {}{}\n", app::name_of(kind), sum_of(parts),
                            size_of(device, kind), print(parts), is_bound ? "; code comes on top" : "");
    }
    return text;
}

}  // namespace metamorph::weave
