#include "verify/record_slots.h"

#include <algorithm>
#include <cstring>

namespace metamorph::verify {
namespace {

constexpr std::uint32_t k_sequence_at = 8, k_inference_at = 12, k_task_at = 20;  // in the body
constexpr std::uint32_t k_seal_bytes = 4;
constexpr std::uint32_t k_tallies_at = 96, k_checks_at = 112;

template <typename T>
T value_at(const std::string& nvm, std::size_t at) {
    T value{};
    std::memcpy(&value, nvm.data() + at, sizeof value);
    return value;
}

}  // namespace

SlotRecord record_in(const std::string& nvm, int slot, int tasks) {
    const std::size_t at = static_cast<std::size_t>(slot) * k_slot_bytes, body = at + k_slot_body_at;
    SlotRecord record;
    record.is_sealed = value_at<std::uint32_t>(nvm, at) == seal_of(nvm.data() + body);
    record.sequence = value_at<std::uint32_t>(nvm, body + k_sequence_at);
    record.commits =
        static_cast<int>(value_at<std::uint32_t>(nvm, body + k_inference_at) * static_cast<unsigned>(tasks) +
                         value_at<std::uint16_t>(nvm, body + k_task_at));
    return record;
}

std::uint32_t seal_of(const char* body) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (std::size_t i = 0; i < k_slot_body_bytes; ++i) {
        crc ^= static_cast<std::uint8_t>(body[i]);
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ (0xEDB88320U & (0U - (crc & 1U)));
        }
    }
    return ~crc | 0x01010101U;
}

int slot_at(std::uint32_t address) {
    return address < k_slots * k_slot_bytes ? static_cast<int>(address / k_slot_bytes) : -1;
}

int slot_of(const std::vector<emu::NvmWrite>& writes) {
    const auto found = std::find_if(writes.begin(), writes.end(),
                                    [](const emu::NvmWrite& write) { return slot_at(write.address) >= 0; });
    return found == writes.end() ? -1 : slot_at(found->address);
}

int active_slot(const std::string& nvm, int tasks) {
    const std::uint32_t ahead = record_in(nvm, 1, tasks).sequence - record_in(nvm, 0, tasks).sequence;
    return ahead != 0 && ahead < 0x80000000U ? 1 : 0;
}

bool is_of_record(std::uint32_t address) {
    const std::uint32_t in_slot = address % k_slot_bytes;
    const bool is_named =
        in_slot < k_seal_bytes || (in_slot >= k_slot_body_at && in_slot < k_slot_body_at + k_slot_body_bytes);
    return (slot_at(address) >= 0 && is_named) || (address >= k_tallies_at && address < k_tallies_at + k_slots) ||
           (address >= k_checks_at && address < k_checks_at + k_slots);
}

}  // namespace metamorph::verify
