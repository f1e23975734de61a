// The runtime's commit records in NVM, as runtime/SPEC.md lays them out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/trace.h"

namespace metamorph::verify {

constexpr std::uint32_t k_slots = 2, k_slot_bytes = 48, k_slot_body_at = 16, k_slot_body_bytes = 24;

struct SlotRecord {
    bool is_sealed = false;  // its seal fits its body
    std::uint32_t sequence = 0;
    int commits = 0;  // that it counts
};
SlotRecord record_in(const std::string& nvm, int slot, int tasks);

// Of a body of k_slot_body_bytes.
std::uint32_t seal_of(const char* body);

// The slot that a byte of NVM belongs to; -1: to none.
int slot_at(std::uint32_t address);
int slot_of(const std::vector<emu::NvmWrite>& writes);  // of the first that is in one; -1: none is

// The slot to go on from, by sequence; whether it is sealed does not count.
int active_slot(const std::string& nvm, int tasks);

// Of a seal, a body or a tally: not of what layouts leave free.
bool is_of_record(std::uint32_t address);

}  // namespace metamorph::verify
