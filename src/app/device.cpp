// The checks go from the outside in: is it TOML, are the keys ours, are the values of the right kind, do they have
// sources, do they fit together. So the first error is the one to mend first.
#include "app/device.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/device_checks.h"
#include "app/embedded_devices.h"
#include "app/toml_reader.h"
#include "util/file.h"
#include "util/text.h"

namespace metamorph::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_address_end = std::uint64_t{1} << 32;
constexpr std::uint64_t k_clock_hz_max = 10'000'000'000;
constexpr std::uint64_t k_write_unit_bytes_max = 16;  // what a torn record survives (runtime/SPEC.md)
constexpr std::int64_t k_file_bytes_max = 1 << 20;
constexpr std::string_view k_assumption = "assumption";

const std::vector<std::string> k_cores{"host", "cortex-m4f", "rv32imc"};
const std::vector<std::string> k_attachments{"mapped", "bus"};
const std::vector<std::string> k_kinds{"flash", "sram", "nvm"};
const std::vector<std::string> k_compilers{"gcc", "clang"};

class Reader {
public:
    Reader(const toml::table& table, const fs::path& where)
        : m_root(table, where.string(), "", "docs/devices.md"), m_where(where) {}

    Result<Device> run() {
        MM_TRY(const std::size_t core, m_root.choice("core", k_cores));
        m_device.core = static_cast<Core>(core);
        MM_CHECK(m_device.is_host() ? m_root.only({"name", "description", "core"})
                                    : m_root.only({"name", "description", "core", "nvm", "memory", "clock", "power",
                                                   "spi", "board", "build"}));
        MM_TRY(m_device.name, m_root.text("name"));
        MM_CHECK(check_device_name(m_root, m_device.name));
        MM_TRY(m_device.description, m_root.text("description"));
        if (m_device.is_host()) {
            return std::move(m_device);
        }
        MM_TRY(const std::size_t attachment, m_root.choice("nvm", k_attachments));
        m_device.attachment = static_cast<Attachment>(attachment);
        MM_CHECK(read_memories());
        MM_CHECK(read_clock_and_power());
        MM_CHECK(read_spi());
        MM_CHECK(read_board());
        MM_CHECK(read_build());
        MM_TRY(m_device.costs, find_core_costs(name_of(m_device.core)));
        return std::move(m_device);
    }

private:
    // Every figure of a table has its source, and no source stands for nothing.
    Status note_figures(const TomlReader& table, const std::string& name, const std::vector<std::string>& figures,
                        const std::vector<std::string>& values) {
        MM_TRY(const TomlReader sources, table.table("source"));
        MM_CHECK(sources.only(figures));
        for (std::size_t i = 0; i < figures.size(); ++i) {
            MM_TRY(const std::string source, sources.text(figures[i]));
            m_device.figures.push_back({fmt::format("{}.{}", name, figures[i]), values[i], source,
                                        source.compare(0, k_assumption.size(), k_assumption) == 0});
        }
        return {};
    }

    Status read_memory(const TomlReader& table) {
        Memory memory;
        MM_TRY(const std::size_t kind, table.choice("kind", k_kinds));
        memory.kind = static_cast<MemoryKind>(kind);
        std::vector<std::string> figures{"address", "bytes", "read_wait_cycles"};
        if (memory.kind == MemoryKind::nvm) {
            figures.insert(figures.end(), {"write_unit_bytes", "write_unit_ns", "write_unit_nj"});
        }
        std::vector<std::string> keys = figures;
        keys.insert(keys.end(), {"name", "kind", "source"});
        MM_CHECK(table.only(keys));
        MM_TRY(memory.name, table.text("name"));
        MM_TRY(memory.address, table.integer("address", 0, k_address_end - 1));
        MM_TRY(memory.bytes, table.integer("bytes", 1, k_address_end));
        MM_TRY(memory.read_wait_cycles, table.integer("read_wait_cycles", 0, 1000));
        std::vector<std::string> values{fmt::format("{:#010x}", memory.address), fmt::format("{}", memory.bytes),
                                        fmt::format("{}", memory.read_wait_cycles)};
        if (memory.kind == MemoryKind::nvm) {
            MM_TRY(memory.write_unit_bytes, table.integer("write_unit_bytes", 1, k_write_unit_bytes_max));
            MM_TRY(memory.write_unit_ns, table.number("write_unit_ns"));
            MM_TRY(memory.write_unit_nj, table.number("write_unit_nj"));
            values.insert(values.end(),
                          {fmt::format("{}", memory.write_unit_bytes), fmt::format("{}", memory.write_unit_ns),
                           fmt::format("{}", memory.write_unit_nj)});
        }
        MM_CHECK(check_memory(table, memory, m_device));
        m_device.memories.push_back(memory);
        return note_figures(table, fmt::format("memory.{}", memory.name), figures, values);
    }

    Status read_memories() {
        MM_TRY(const std::vector<TomlReader> tables, m_root.tables("memory"));
        for (const TomlReader& table : tables) {
            MM_CHECK(read_memory(table));
        }
        return check_memory_kinds(m_root, m_device);
    }

    Status read_clock_and_power() {
        MM_TRY(const TomlReader clock, m_root.table("clock"));
        MM_CHECK(clock.only({"hz", "source"}));
        MM_TRY(m_device.clock_hz, clock.integer("hz", 1, k_clock_hz_max));
        MM_CHECK(note_figures(clock, "clock", {"hz"}, {fmt::format("{}", m_device.clock_hz)}));
        MM_TRY(const TomlReader power, m_root.table("power"));
        const std::vector<std::string> figures{"supply_mv", "active_ua_per_mhz", "sleep_ua"};
        MM_CHECK(power.only({"supply_mv", "active_ua_per_mhz", "sleep_ua", "source"}));
        MM_TRY(m_device.supply_mv, power.number("supply_mv"));
        MM_TRY(m_device.active_ua_per_mhz, power.number("active_ua_per_mhz"));
        MM_TRY(m_device.sleep_ua, power.number("sleep_ua"));
        return note_figures(power, "power", figures,
                            {fmt::format("{}", m_device.supply_mv), fmt::format("{}", m_device.active_ua_per_mhz),
                             fmt::format("{}", m_device.sleep_ua)});
    }

    Status read_spi() {
        if (m_device.attachment == Attachment::mapped) {
            return m_root.has("spi") ? Status(m_root.refuse("spi",
                                                            "'spi' describes a chip behind a bus, and nvm is "
                                                            "\"mapped\"",
                                                            "leave it out, or say nvm = \"bus\""))
                                     : Status{};
        }
        MM_TRY(const TomlReader spi, m_root.table("spi"));
        const std::vector<std::string> figures{"clock_hz", "active_ma", "address_bytes", "burst_bytes", "id"};
        MM_CHECK(spi.only({"clock_hz", "active_ma", "address_bytes", "burst_bytes", "id", "source"}));
        Spi chip;
        MM_TRY(chip.clock_hz, spi.integer("clock_hz", 1, k_clock_hz_max));
        MM_TRY(chip.active_ma, spi.number("active_ma"));
        MM_TRY(chip.address_bytes, spi.integer("address_bytes", 1, 4));
        MM_TRY(chip.burst_bytes, spi.integer("burst_bytes", 0, k_address_end - 1));
        MM_TRY(chip.id, spi.integers("id", 0xFF));
        MM_CHECK(check_spi(spi, chip, m_device));
        m_device.spi = chip;
        return note_figures(
            spi, "spi", figures,
            {fmt::format("{}", chip.clock_hz), fmt::format("{}", chip.active_ma), fmt::format("{}", chip.address_bytes),
             fmt::format("{}", chip.burst_bytes), fmt::format("{:02X}", fmt::join(chip.id, " "))});
    }

    Status read_board() {
        MM_TRY(const TomlReader board, m_root.table("board"));
        MM_CHECK(board.only({"io", "inputs", "spi", "spi_memory"}));
        MM_TRY(m_device.board.io, board.integer("io", 0, k_address_end - 1));
        MM_TRY(m_device.board.inputs, board.integer("inputs", 0, k_address_end - 1));
        MM_TRY(m_device.board.spi, board.integer("spi", 0, k_address_end - 1));
        MM_TRY(m_device.board.spi_memory, board.integer("spi_memory", 0, k_address_end - 1));
        return check_board(board, m_device);
    }

    Status read_build() {
        MM_TRY(const TomlReader build, m_root.table("build"));
        MM_CHECK(build.only({"stack_bytes", "linker_script", "gcc", "clang"}));
        MM_TRY(m_device.stack_bytes, build.integer("stack_bytes", 256, m_device.memory(MemoryKind::sram).bytes));
        MM_CHECK(read_linker_script(build));
        for (const std::string& name : k_compilers) {
            if (build.has(name)) {
                MM_TRY(const TomlReader table, build.table(name));
                MM_CHECK(read_compiler(table, name));
            }
        }
        if (m_device.compilers.empty()) {
            return build.refuse("", "no compiler is described", "add [build.gcc] or [build.clang]");
        }
        return {};
    }

    Status read_compiler(const TomlReader& table, const std::string& name) {
        MM_CHECK(table.only({"compiler", "packages", "flags"}));
        Compiler compiler{name, {}, {}, {}};
        MM_TRY(compiler.program, table.text("compiler"));
        MM_TRY(compiler.packages, table.texts("packages"));
        MM_TRY(compiler.flags, table.texts("flags"));
        MM_CHECK(check_compiler(table, compiler));
        m_device.compilers.push_back(std::move(compiler));
        return {};
    }

    Status read_linker_script(const TomlReader& build) {
        MM_TRY(const std::string name, build.text("linker_script"));
        for (const EmbeddedFile& file : embedded_devices()) {
            if (file.path == "devices/" + name) {
                m_device.linker_script = file.contents;
                return {};
            }
        }
        const auto bytes = read_file(m_where.parent_path() / name, k_file_bytes_max);
        if (!bytes) {
            return build.refuse("linker_script",
                                fmt::format("the linker script template '{}' cannot be read: {}", printable(name),
                                            bytes.error().message),
                                "use bare.ld.in, which comes with Metamorph, or put yours beside the description");
        }
        m_device.linker_script.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
        return {};
    }

    TomlReader m_root;
    fs::path m_where;
    Device m_device;
};

std::string stem_of(std::string_view path) {
    return fs::path(path).stem().string();
}

}  // namespace

const char* name_of(Core core) {
    return k_cores[static_cast<std::size_t>(core)].c_str();
}
const char* name_of(Attachment attachment) {
    return k_attachments[static_cast<std::size_t>(attachment)].c_str();
}
const char* name_of(MemoryKind kind) {
    return k_kinds[static_cast<std::size_t>(kind)].c_str();
}

const Memory& Device::memory(MemoryKind kind) const {
    return *std::find_if(memories.begin(), memories.end(), [&](const Memory& m) { return m.kind == kind; });
}

const Compiler* Device::compiler(std::string_view called) const {
    const auto found =
        std::find_if(compilers.begin(), compilers.end(), [&](const Compiler& c) { return c.name == called; });
    return found == compilers.end() ? nullptr : &*found;
}

Result<Device> read_device(std::string_view toml, const fs::path& where) {
    const toml::parse_result parsed = toml::parse(toml);
    if (!parsed) {
        const toml::source_position at = parsed.error().source().begin;
        return fail_with_hint(ErrorCode::options, fmt::format("{}:{}:{}", where.string(), at.line, at.column),
                              fmt::format("this is not TOML: {}", parsed.error().description()),
                              "docs/devices.md shows a description");
    }
    MM_TRY(Device device, Reader(parsed.table(), where).run());
    device.text = toml;
    device.argument = where.filename().string();
    return device;
}

std::vector<std::string> device_names() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embedded_devices()) {
        if (file.path.ends_with(".toml") && !file.path.starts_with("devices/cores/")) {
            names.push_back(stem_of(file.path));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<Device> find_device(const std::string& name, const std::string& option) {
    if (name.ends_with(".toml") || name.find('/') != std::string::npos) {
        MM_TRY(const std::vector<std::byte> bytes, read_file(name, k_file_bytes_max));
        return read_device({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
    }
    for (const EmbeddedFile& file : embedded_devices()) {
        if (file.path == fmt::format("devices/{}.toml", name)) {
            MM_TRY(Device device, read_device(file.contents, file.path));
            device.argument = name;
            return device;
        }
    }
    const std::string nearest = did_you_mean(name, device_names());
    return fail_with_hint(ErrorCode::options, option, fmt::format("there is no device '{}'", printable(name)),
                          fmt::format("{}{}there are {}; a description of your own is a file: ./board.toml", nearest,
                                      nearest.empty() ? "" : " ", fmt::join(device_names(), ", ")));
}

}  // namespace metamorph::app
