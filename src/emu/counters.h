// What the emulator counts while firmware runs: what a table of costs (docs/cycles.md) turns into cycles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace metamorph::emu {

// What an instruction is to a core's table of costs. `pipelined`, `word` and the two `taken` are events of their own.
enum class InstructionClass : std::uint8_t {
    other,
    load,           // its first word
    store,          // likewise
    pipelined,      // instead of load or store: of one word, right behind another such one (Cortex-M)
    word,           // each further word of a load or store of several
    multiply,       // low half of the product, accumulating or not
    multiply_high,  // the whole product, or its high half
    divide,
    branch,        // any instruction that may go on elsewhere and does nothing else
    branch_taken,  // beside it: a conditional branch went elsewhere
    jump_taken,    // beside it, or beside a load: another instruction went elsewhere
    floating,
    float_fused,  // multiply and accumulate
    float_divide  // and square root
};
constexpr std::size_t k_instruction_classes = 14;

struct Counters {
    std::uint64_t instructions = 0, loads = 0, stores = 0;  // an instruction each
    std::uint64_t nvm_bytes_read = 0, nvm_bytes_written = 0;
    std::uint64_t nvm_reads = 0;          // accesses
    std::uint64_t nvm_units_written = 0;  // write units of the memory that writes touched, each write by itself
    std::uint64_t bus_bytes = 0;          // shifted through the SPI controller, opcodes and addresses included
    std::uint64_t code_words = 0;         // of 32 bits, fetched
    std::array<std::uint64_t, k_instruction_classes> classes{};
    double seconds = 0;  // of processor time in the emulator

    std::uint64_t of(InstructionClass which) const { return classes[static_cast<std::size_t>(which)]; }

    // Member by member: this + each * times. `times` may be negative; sums must not.
    void add(const Counters& each, std::int64_t times = 1) {
        const auto factor = static_cast<std::uint64_t>(times);  // modulo 2^64, where subtracting is adding, too
        instructions += each.instructions * factor, loads += each.loads * factor, stores += each.stores * factor;
        nvm_bytes_read += each.nvm_bytes_read * factor, nvm_bytes_written += each.nvm_bytes_written * factor;
        nvm_reads += each.nvm_reads * factor, nvm_units_written += each.nvm_units_written * factor;
        bus_bytes += each.bus_bytes * factor, code_words += each.code_words * factor;
        for (std::size_t i = 0; i < classes.size(); ++i) {
            classes[i] += each.classes[i] * factor;
        }
        seconds += each.seconds * static_cast<double>(times);
    }
    Counters minus(const Counters& each) const {
        Counters rest = *this;
        rest.add(each, -1);
        return rest;
    }
};

}  // namespace metamorph::emu
