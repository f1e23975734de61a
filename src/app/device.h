// Device descriptions: what a processor board has, as data (devices/*.toml; docs/devices.md describes every key).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/core_costs.h"
#include "util/result.h"

namespace metamorph::app {

enum class Core { host, cortex_m4f, rv32imc };
const char* name_of(Core core);

enum class Attachment {
    mapped,  // NVM is in the address space
    bus      // NVM is a chip behind SPI
};
const char* name_of(Attachment attachment);

enum class MemoryKind { flash, sram, nvm };
const char* name_of(MemoryKind kind);

struct Memory {
    std::string name;
    MemoryKind kind = MemoryKind::flash;
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t read_wait_cycles = 0;
    std::uint64_t write_unit_bytes = 0;               // NVM only, as the two below
    double write_unit_ns = 0.0, write_unit_nj = 0.0;  // time and energy of writing one unit
};

struct Spi {  // the chip that is the NVM of a device whose attachment is bus
    std::uint64_t clock_hz = 0;
    double active_ma = 0.0;  // while clocked at clock_hz
    std::uint64_t address_bytes = 0;
    std::uint64_t burst_bytes = 0;  // one transfer stays within a block of so many; 0: no limit
    std::vector<std::uint64_t> id;  // what RDID answers; empty: the chip has no RDID
};

struct Board {  // addresses of docs/decisions/0003-boards.md
    std::uint64_t io = 0, inputs = 0, spi = 0, spi_memory = 0;
};

struct Compiler {
    std::string name;     // "gcc" or "clang"
    std::string program;  // in PATH
    std::vector<std::string> packages;
    std::vector<std::string> flags;  // of every compilation and link
};

// Of a device whose core is host only name, description and core mean anything.
struct Device {
    std::string name, description;
    Core core = Core::host;
    Attachment attachment = Attachment::mapped;
    std::vector<Memory> memories;  // one of each kind, and of NVM
    std::optional<Spi> spi;        // attachment bus
    std::uint64_t clock_hz = 0;
    double supply_mv = 0.0, active_ua_per_mhz = 0.0, sleep_ua = 0.0;
    Board board;
    std::uint64_t stack_bytes = 0;  // reserved in SRAM
    std::string linker_script;      // contents of the template
    std::vector<Compiler> compilers;
    CoreCosts costs;              // of the core
    std::vector<Figure> figures;  // of the description; those of the core are in `costs`
    std::string text;             // the description itself
    std::string argument;         // of --device, without folders

    const Memory& memory(MemoryKind kind) const;
    const Compiler* compiler(std::string_view called) const;
    bool is_host() const { return core == Core::host; }
};

// Reads a description. `where` is what errors name: a path. A linker script that is none of ours is looked for beside
// it. Errors: options, with "path:line:column": not TOML, unknown or missing keys, wrong types, figures without a
// source, what contradicts itself (memories that overlap, sizes of 0, addresses beyond 32 bits …).
Result<Device> read_device(std::string_view toml, const std::filesystem::path& where);

// The devices that come with Metamorph, sorted by name.
std::vector<std::string> device_names();

// `name`: of a device that comes with Metamorph, or the path of a description (it ends in ".toml" or has a slash).
// `option` is what an error names. Errors: options (no such device, with the nearest; as of read_device), system.
Result<Device> find_device(const std::string& name, const std::string& option = "--device");

// One device for a reader, and for programs (schema "metamorph-device-1").
std::string print(const Device& device);
std::string to_json(const Device& device);

// Several: a line each, and for programs (schema "metamorph-devices-1").
std::string print_list(const std::vector<Device>& devices);
std::string list_to_json(const std::vector<Device>& devices);

}  // namespace metamorph::app
