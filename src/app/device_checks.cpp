#include "app/device_checks.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "util/text.h"

namespace metamorph::app {
namespace {

constexpr std::uint64_t k_address_end = std::uint64_t{1} << 32;
constexpr std::uint64_t k_io_bytes = 1 << 20, k_inputs_bytes = 4 << 20, k_spi_bytes = 8;  // 0003-boards.md
constexpr std::size_t k_id_bytes_max = 9;                                                 // MM_SPI_ID_BYTES_MAX

struct Range {
    std::string name;
    std::uint64_t begin, bytes;

    bool overlaps(const Range& other) const { return begin < other.begin + other.bytes && other.begin < begin + bytes; }
};

// NVM behind a bus has addresses of its own.
bool is_in_address_space(const Memory& memory, const Device& device) {
    return memory.kind != MemoryKind::nvm || device.attachment == Attachment::mapped;
}

std::string print(const Range& range) {
    return fmt::format("{} ({:#x} to {:#x})", range.name, range.begin, range.begin + range.bytes - 1);
}

Range range_of(const Memory& memory) {
    return {fmt::format("memory '{}'", memory.name), memory.address, memory.bytes};
}

}  // namespace

Status check_device_name(const TomlReader& root, const std::string& name) {
    const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (!is_plain || name.front() == '-' || name.front() == '.') {
        return root.refuse("name", fmt::format("'{}' is no name for a device", printable(name)),
                           "use letters, digits, '-', '_' and '.', as it goes into file names and commands");
    }
    return {};
}

Status check_memory(const TomlReader& table, const Memory& memory, const Device& device) {
    if (memory.bytes > k_address_end - memory.address) {
        return table.refuse("bytes",
                            fmt::format("memory '{}' ends at {:#x}, beyond the 32-bit address space",
                                        printable(memory.name), memory.address + memory.bytes),
                            "lower its address or its size");
    }
    if (memory.address % 16 != 0 || memory.bytes % 16 != 0) {
        return table.refuse(
            memory.address % 16 != 0 ? "address" : "bytes",
            fmt::format("memory '{}' does not begin and end at multiples of 16", printable(memory.name)),
            "the linker script aligns to 16 bytes: narrow it");
    }
    if (memory.kind == MemoryKind::nvm && (memory.write_unit_bytes & (memory.write_unit_bytes - 1)) != 0) {
        return table.refuse("write_unit_bytes", fmt::format("{} is no power of two", memory.write_unit_bytes),
                            "it must be 1, 2, 4, 8 or 16: what the memory may tear when power is lost");
    }
    for (const Memory& other : device.memories) {
        if (other.name == memory.name) {
            return table.refuse("name", fmt::format("two memories are called '{}'", printable(memory.name)),
                                "give one another name");
        }
        if (is_in_address_space(memory, device) && is_in_address_space(other, device) &&
            range_of(memory).overlaps(range_of(other))) {
            return table.refuse("address",
                                fmt::format("{} overlaps {}", print(range_of(memory)), print(range_of(other))),
                                "move one of them, or make one smaller");
        }
    }
    return {};
}

Status check_memory_kinds(const TomlReader& root, const Device& device) {
    for (const MemoryKind kind : {MemoryKind::flash, MemoryKind::sram, MemoryKind::nvm}) {
        const auto count = std::count_if(device.memories.begin(), device.memories.end(),
                                         [&](const Memory& memory) { return memory.kind == kind; });
        if (count != 1) {
            return root.refuse("memory", fmt::format("there are {} memories of kind '{}'", count, name_of(kind)),
                               "describe exactly one of each kind: flash, sram, nvm");
        }
    }
    return {};
}

Status check_spi(const TomlReader& spi, const Spi& chip, const Device& device) {
    const Memory& memory = device.memory(MemoryKind::nvm);
    if (chip.address_bytes < 4 && memory.bytes > std::uint64_t{1} << (8 * chip.address_bytes)) {
        return spi.refuse(
            "address_bytes",
            fmt::format("{} bytes of address reach {} bytes, and memory '{}' has {}", chip.address_bytes,
                        std::uint64_t{1} << (8 * chip.address_bytes), printable(memory.name), memory.bytes),
            "see the chip's data sheet: WRITE and READ");
    }
    if ((chip.burst_bytes & (chip.burst_bytes - 1)) != 0) {
        return spi.refuse("burst_bytes", fmt::format("{} is no power of two", chip.burst_bytes),
                          "one transfer stays within a block of so many bytes; 0: no limit");
    }
    if (chip.id.size() > k_id_bytes_max) {
        return spi.refuse("id", fmt::format("{} bytes of RDID", chip.id.size()),
                          fmt::format("at most {} are compared", k_id_bytes_max));
    }
    return {};
}

Status check_board(const TomlReader& board, const Device& device) {
    std::vector<std::pair<const char*, Range>> windows{
        {"io", {"the I/O window", device.board.io, k_io_bytes}},
        {"inputs", {"the inputs", device.board.inputs, k_inputs_bytes}},
        {"spi", {"the SPI controller", device.board.spi, k_spi_bytes}},
    };
    if (device.attachment == Attachment::bus) {
        windows.push_back(
            {"spi_memory", {"the model of the chip", device.board.spi_memory, device.memory(MemoryKind::nvm).bytes}});
    }
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const auto& [key, window] = windows[i];
        if (window.bytes > k_address_end - window.begin) {
            return board.refuse(key, fmt::format("{} goes beyond the 32-bit address space", print(window)),
                                "lower its address");
        }
        for (const Memory& memory : device.memories) {
            if (is_in_address_space(memory, device) && window.overlaps(range_of(memory))) {
                return board.refuse(key, fmt::format("{} overlaps {}", print(window), print(range_of(memory))),
                                    "move it to where nothing is");
            }
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (window.overlaps(windows[j].second)) {
                return board.refuse(key, fmt::format("{} overlaps {}", print(window), print(windows[j].second)),
                                    "move one of them");
            }
        }
    }
    return {};
}

Status check_compiler(const TomlReader& table, const Compiler& compiler) {
    // They go into CMake files, where a quote or a dollar sign would be more than text.
    const auto is_safe = [](const std::string& word) {
        return !word.empty() && word.find_first_of("\"\\$;#() \t\n") == std::string::npos;
    };
    if (!is_safe(compiler.program)) {
        return table.refuse("compiler", fmt::format("'{}' is no name of a program", printable(compiler.program)),
                            "name a program that is in PATH");
    }
    for (const std::string& flag : compiler.flags) {
        if (!is_safe(flag)) {
            return table.refuse("flags", fmt::format("'{}' is no option of a compiler", printable(flag)),
                                "write one option a text, without spaces, quotes, ';', '$' and '#'");
        }
    }
    return {};
}

}  // namespace metamorph::app
