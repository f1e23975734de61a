#include "pipeline/cycles.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace metamorph::pipeline {
namespace {

using app::MemoryKind;

constexpr std::array<const char*, emu::k_instruction_classes> k_names{
    "other",  "load",   "store",        "pipelined",  "word",     "multiply",    "multiply_high",
    "divide", "branch", "branch_taken", "jump_taken", "floating", "float_fused", "float_divide"};

double number(std::uint64_t count) {
    return static_cast<double>(count);
}

// Of what the core itself does.
double core_cycles(const emu::Counters& counted, const app::CoreCosts& costs) {
    double cycles = 0;
    for (std::size_t i = 0; i < k_names.size(); ++i) {
        const double* each = costs.of(k_names[i]);
        cycles += each == nullptr ? 0 : *each * number(counted.classes[i]);
    }
    return cycles;
}

// Of accesses that are not to NVM it is not known which memory they go to: the slower one of two.
double wait_cycles(const emu::Counters& counted, const app::Device& device) {
    const std::uint64_t flash = device.memory(MemoryKind::flash).read_wait_cycles;
    const std::uint64_t slower = std::max(flash, device.memory(MemoryKind::sram).read_wait_cycles);
    const double accesses = number(counted.loads + counted.stores + counted.of(emu::InstructionClass::word));
    return number(flash) * number(counted.code_words) + number(slower) * accesses;
}

double shift_ns(const app::Device& device) {  // of a byte
    return device.spi ? 8e9 / number(device.spi->clock_hz) : 0;
}

double nvm_cycles(const emu::Counters& counted, const app::Device& device) {
    const app::Memory& nvm = device.memory(MemoryKind::nvm);
    const double per_ns = number(device.clock_hz) / 1e9;
    if (device.spi) {
        const double rest_ns = std::max(0.0, nvm.write_unit_ns - shift_ns(device));
        return per_ns * (shift_ns(device) * number(counted.bus_bytes) + rest_ns * number(counted.nvm_units_written));
    }
    const double waits = std::max(0.0, std::ceil(nvm.write_unit_ns * per_ns) - 1);
    return number(nvm.read_wait_cycles) * number(counted.nvm_reads) + waits * number(counted.nvm_units_written);
}

double nvm_microjoules(const emu::Counters& counted, const app::Device& device) {
    double nanojoules = device.memory(MemoryKind::nvm).write_unit_nj * number(counted.nvm_units_written);
    if (device.spi) {  // milliamperes, millivolts, nanoseconds: femtojoules
        const double byte_nj = device.spi->active_ma * device.supply_mv * shift_ns(device) * 1e-6;
        nanojoules += byte_nj * number(counted.bus_bytes - counted.nvm_bytes_written);
    }
    return nanojoules * 1e-3;
}

}  // namespace

const char* name_of(emu::InstructionClass which) {
    return k_names[static_cast<std::size_t>(which)];
}

report::Executed priced(const emu::Counters& counted, const app::Device& device) {
    report::Executed executed{counted.instructions,
                              counted.loads,
                              counted.stores,
                              counted.nvm_bytes_read,
                              counted.nvm_bytes_written,
                              counted.bus_bytes,
                              0,
                              0,
                              0,
                              counted.seconds};
    executed.cycles = core_cycles(counted, device.costs) + wait_cycles(counted, device) + nvm_cycles(counted, device);
    executed.microseconds = executed.cycles * 1e6 / number(device.clock_hz);
    // Microamperes per megahertz are picocoulombs a cycle.
    const double core_microjoules = executed.cycles * device.active_ua_per_mhz * device.supply_mv * 1e-9;
    executed.microjoules = core_microjoules + nvm_microjoules(counted, device);
    return executed;
}

}  // namespace metamorph::pipeline
