// An ELF file of firmware: what is loaded, where its symbols are, and which line of source an address comes from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emu/trace.h"
#include "util/result.h"

namespace metamorph::emu {

struct Symbol {
    std::uint32_t address = 0, bytes = 0;  // of a Thumb function without its lowest bit
};

// What a program takes of the board's memories before it runs.
struct MemoryBytes {
    std::uint32_t code = 0;       // of flash: functions
    std::uint32_t constants = 0;  // of flash: all else that is loaded: weights, tables, first values of variables
    std::uint32_t sram = 0;       // variables
};

class Program {
public:
    // Errors: model (not an ELF file, of another processor than `core`, damaged), system.
    static Result<Program> read(const std::filesystem::path& path, Firmware::Core core);

    const std::filesystem::path& path() const { return m_path; }
    std::uint32_t entry() const { return m_entry; }
    const std::vector<Run>& load() const { return m_load; }  // contents at their physical addresses

    // Errors: model, with the nearest names: there is no such symbol.
    Result<Symbol> symbol(const std::string& name) const;
    std::optional<std::string> function_at(std::uint32_t pc) const;  // nothing: in no function
    std::string object_at(std::uint32_t address) const;              // "buffer + 4"; "0x20000000" in none
    // "mm_write_block (mm_runtime.c:88)"; without debug information only the function.
    std::string place(std::uint32_t pc) const;
    std::uint32_t word(std::uint32_t address) const;  // of what is loaded; 0 elsewhere
    // Variables lie from `sram` up to the symbol mm_stack_limit. Errors: model (there is none).
    Result<MemoryBytes> memory_bytes(std::uint32_t sram) const;

private:
    struct Debug;
    std::filesystem::path m_path;
    std::uint32_t m_entry = 0;
    std::vector<Run> m_load;
    std::map<std::string, Symbol> m_symbols;
    std::map<std::uint32_t, std::pair<std::string, std::uint32_t>> m_functions, m_objects;  // by address: name, bytes
    std::shared_ptr<Debug> m_debug;
};

}  // namespace metamorph::emu
