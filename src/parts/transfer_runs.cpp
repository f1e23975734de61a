#include "parts/transfer_runs.h"

#include <bit>

#include <fmt/format.h>

namespace metamorph::parts {
namespace {

constexpr std::uint32_t k_instance_bytes = 0x8000;

bool is_of_bytes(std::uint32_t mask) {
    for (int byte = 0; byte < 4; ++byte) {
        const std::uint32_t part = mask >> (8 * byte) & 0xff;
        if (part != 0 && part != 0xff) {
            return false;
        }
    }
    return true;
}

}  // namespace

Result<KnownWords> read_known_list(const std::vector<std::uint32_t>& list, const std::string& where) {
    KnownWords words;
    std::size_t at = 0;
    while (at < list.size() && list[at] != 0) {
        if (at + 3 > list.size() || list[at + 2] > list.size() - at - 3) {
            return fail(ErrorCode::model, where, "the list of known words ends inside a run");
        }
        const std::uint32_t address = list[at], mask = list[at + 1], length = list[at + 2];
        if (!is_of_bytes(mask) || mask == 0 || address % 4 != 0) {
            return fail(ErrorCode::model, where, "the run at {:#010x} with mask {:#010x} is not of whole bytes",
                        address, mask);
        }
        at += 3;
        for (std::uint32_t i = 0; i < length; ++i, ++at) {
            if ((list[at] & ~mask) != 0) {
                return fail(ErrorCode::model, where, "the word {:#010x} of {:#010x} has bits outside its mask {:#010x}",
                            list[at], address + 4 * i, mask);
            }
            if (!words.emplace(address + 4 * i, KnownWord{mask, list[at]}).second) {
                return fail(ErrorCode::model, where, "the word at {:#010x} is listed twice", address + 4 * i);
            }
        }
    }
    if (at + 1 != list.size()) {
        return fail(ErrorCode::model, where, "the list of known words has no end, or goes on behind it");
    }
    return words;
}

std::vector<TransferRun> merge_runs(const KnownWords& words) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> groups;  // (instance, mask)
    for (const auto& [address, word] : words) {
        groups[{address / k_instance_bytes, word.mask}].push_back(address);
    }
    std::vector<TransferRun> runs;
    for (const auto& [key, addresses] : groups) {
        for (std::size_t i = 0; i < addresses.size();) {
            TransferRun run{addresses[i], key.second, 1, 4};
            if (i + 1 < addresses.size()) {
                run.step = addresses[i + 1] - addresses[i];
            }
            while (i + run.words < addresses.size() && addresses[i + run.words] == run.address + run.words * run.step) {
                ++run.words;
            }
            run.step = run.words == 1 ? 4 : run.step;
            i += run.words;
            runs.push_back(run);
        }
    }
    return runs;
}

std::int64_t bytes_of(const std::vector<TransferRun>& runs) {
    std::int64_t bytes = 0;
    for (const TransferRun& run : runs) {
        bytes += std::int64_t{run.words} * std::popcount(run.mask) / 8;
    }
    return bytes;
}

std::string packed(const KnownWords& words, const std::vector<TransferRun>& runs) {
    std::string bytes;
    for (const TransferRun& run : runs) {
        for (std::uint32_t i = 0; i < run.words; ++i) {
            const std::uint32_t value = words.at(run.address + i * run.step).value;
            for (int byte = 0; byte < 4; ++byte) {
                if ((run.mask >> (8 * byte) & 0xff) != 0) {
                    bytes += static_cast<char>(value >> (8 * byte) & 0xff);
                }
            }
        }
    }
    return bytes;
}

Result<KnownWords> crossing_words(const KnownWords& stored, const KnownWords& loaded, const std::string& storing_part,
                                  const std::string& loading_part) {
    KnownWords crossing;
    for (const auto& [address, word] : loaded) {
        const auto found = stored.find(address);
        const KnownWord before = found == stored.end() ? KnownWord{} : found->second;
        const std::uint32_t mask = before.mask & word.mask;
        if ((word.value & ~mask) != 0) {
            return fail_with_hint(
                ErrorCode::model, loading_part,
                fmt::format("{} loads {:#010x} at {:#010x}, of which {} leaves only the bytes {:#010x}", loading_part,
                            word.value, address, storing_part, mask),
                "the parts do not fit: are both of this network, and whole?");
        }
        if ((word.value & mask) != (before.value & mask)) {
            return fail_with_hint(ErrorCode::model, loading_part,
                                  fmt::format("{} loads {:#010x} at {:#010x}, where {} leaves {:#010x}", loading_part,
                                              word.value & mask, address, storing_part, before.value & mask),
                                  "the parts were not made one after the other: make them anew");
        }
        crossing.emplace(address, KnownWord{mask, word.value});
    }
    return crossing;
}

}  // namespace metamorph::parts
