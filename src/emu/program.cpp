#include "emu/program.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "util/text.h"

namespace metamorph::emu {

// Owns the file and what elfutils made of it.
struct Program::Debug {
    int fd = -1;
    Elf* elf = nullptr;
    Dwarf* dwarf = nullptr;
    Debug() = default;
    // Not every compiler's index of addresses (.debug_aranges) is whole: where it knows nothing, all units are asked.
    Dwarf_Line* line_at(Dwarf_Addr pc) const {
        Dwarf_Die unit;
        Dwarf_Line* line = nullptr;
        if (dwarf == nullptr) {
            return nullptr;
        }
        if (dwarf_addrdie(dwarf, pc, &unit) != nullptr && (line = dwarf_getsrc_die(&unit, pc)) != nullptr) {
            return line;
        }
        std::size_t header = 0;
        for (Dwarf_Off at = 0, next = 0;
             line == nullptr && dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0; at = next) {
            if (dwarf_offdie(dwarf, at + header, &unit) != nullptr) {
                line = dwarf_getsrc_die(&unit, pc);
            }
        }
        return line;
    }
    Debug(const Debug&) = delete;
    Debug& operator=(const Debug&) = delete;
    ~Debug() {
        if (dwarf != nullptr) {
            dwarf_end(dwarf);
        }
        if (elf != nullptr) {
            elf_end(elf);
        }
        if (fd >= 0) {
            ::close(fd);
        }
    }
};

namespace {

constexpr std::uint64_t k_load_bytes_max = 64U << 20;

const char* name_of(Firmware::Core core) {
    return core == Firmware::Core::cortex_m4f ? "a Cortex-M4" : "32-bit RISC-V";
}

std::string machine_name(unsigned machine) {
    switch (machine) {
        case EM_ARM:
            return "ARM";
        case EM_RISCV:
            return "RISC-V";
        case EM_X86_64:
            return "x86-64";
        default:
            return fmt::format("ELF machine {}", machine);
    }
}

Status check_header(const std::filesystem::path& path, const GElf_Ehdr& header, Firmware::Core core) {
    const unsigned wanted = core == Firmware::Core::cortex_m4f ? EM_ARM : EM_RISCV;
    if (header.e_machine != wanted || header.e_ident[EI_CLASS] != ELFCLASS32 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB) {
        return fail_with_hint(
            ErrorCode::model, path.string(),
            fmt::format("this program is for {} ({} bits), not for {}", machine_name(header.e_machine),
                        header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32, name_of(core)),
            "build it with the toolchain file of the device (folder device of the project)");
    }
    if (header.e_type != ET_EXEC) {
        return fail(ErrorCode::model, path.string(), "this ELF file is no linked program");
    }
    return {};
}

}  // namespace

Result<Program> Program::read(const std::filesystem::path& path, Firmware::Core core) {
    Program program;
    program.m_path = path;
    auto debug = std::make_shared<Debug>();
    debug->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (debug->fd < 0) {
        return fail(ErrorCode::system, path.string(), "the firmware cannot be opened: {}",
                    std::error_code(errno, std::generic_category()).message());
    }
    elf_version(EV_CURRENT);
    debug->elf = elf_begin(debug->fd, ELF_C_READ_MMAP, nullptr);
    GElf_Ehdr header;
    if (debug->elf == nullptr || elf_kind(debug->elf) != ELF_K_ELF || gelf_getehdr(debug->elf, &header) == nullptr) {
        return fail(ErrorCode::model, path.string(), "this is no ELF file");
    }
    MM_CHECK(check_header(path, header, core));
    program.m_entry = static_cast<std::uint32_t>(header.e_entry);

    std::size_t count = 0, file_bytes = 0;
    const char* file = elf_rawfile(debug->elf, &file_bytes);
    elf_getphdrnum(debug->elf, &count);
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr segment;
        if (gelf_getphdr(debug->elf, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_LOAD ||
            segment.p_filesz == 0) {
            continue;
        }
        if (file == nullptr || segment.p_filesz > k_load_bytes_max || segment.p_offset > file_bytes ||
            segment.p_filesz > file_bytes - segment.p_offset) {
            return fail(ErrorCode::model, path.string(), "this ELF file is damaged: a segment lies outside it");
        }
        program.m_load.push_back(
            {static_cast<std::uint32_t>(segment.p_paddr), std::string(file + segment.p_offset, segment.p_filesz)});
    }

    for (Elf_Scn* section = nullptr; (section = elf_nextscn(debug->elf, section)) != nullptr;) {
        GElf_Shdr shape;
        if (gelf_getshdr(section, &shape) == nullptr || shape.sh_type != SHT_SYMTAB || shape.sh_entsize == 0) {
            continue;
        }
        Elf_Data* data = elf_getdata(section, nullptr);
        for (std::size_t i = 0; data != nullptr && i < shape.sh_size / shape.sh_entsize; ++i) {
            GElf_Sym symbol;
            if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) {
                break;
            }
            const char* name = elf_strptr(debug->elf, shape.sh_link, symbol.st_name);
            const unsigned type = GELF_ST_TYPE(symbol.st_info);
            if (name == nullptr || *name == '\0' || *name == '$' || symbol.st_shndx == SHN_UNDEF ||
                (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE)) {
                continue;
            }
            const Symbol at{static_cast<std::uint32_t>(symbol.st_value) &
                                ~(type == STT_FUNC && core == Firmware::Core::cortex_m4f ? 1U : 0U),
                            static_cast<std::uint32_t>(symbol.st_size)};
            program.m_symbols[name] = at;
            if (type != STT_NOTYPE) {
                (type == STT_FUNC ? program.m_functions : program.m_objects)[at.address] = {name, at.bytes};
            }
        }
    }
    debug->dwarf = dwarf_begin_elf(debug->elf, DWARF_C_READ, nullptr);  // none: lines are not told
    program.m_debug = std::move(debug);
    return program;
}

Result<Symbol> Program::symbol(const std::string& name) const {
    const auto found = m_symbols.find(name);
    if (found != m_symbols.end()) {
        return found->second;
    }
    std::vector<std::string> names;
    for (const auto& [known, symbol] : m_symbols) {
        names.push_back(known);
    }
    const std::string near = did_you_mean(name, names);
    return fail_with_hint(ErrorCode::model, m_path.string(), fmt::format("this program has no symbol '{}'", name),
                          near.empty() ? "is it woven by metamorph for a device, and not stripped?" : near);
}

std::optional<std::string> Program::function_at(std::uint32_t pc) const {
    auto after = m_functions.upper_bound(pc);
    if (after == m_functions.begin()) {
        return std::nullopt;
    }
    const auto& [address, named] = *std::prev(after);
    return pc - address < std::max<std::uint32_t>(named.second, 1) ? std::optional(named.first) : std::nullopt;
}

std::string Program::object_at(std::uint32_t address) const {
    auto after = m_objects.upper_bound(address);
    if (after != m_objects.begin()) {
        const auto& [begin, named] = *std::prev(after);
        if (address - begin < named.second) {
            return address == begin ? named.first : fmt::format("{} + {}", named.first, address - begin);
        }
    }
    return fmt::format("{:#010x}", address);
}

std::string Program::place(std::uint32_t pc) const {
    std::string text = function_at(pc).value_or(fmt::format("{:#010x}", pc));
    Dwarf_Line* line = m_debug->line_at(pc);
    int number = 0;
    const char* file = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
    if (file != nullptr && dwarf_lineno(line, &number) == 0) {
        text += fmt::format(" ({}:{})", std::filesystem::path(file).filename().string(), number);
    }
    return text;
}

Result<MemoryBytes> Program::memory_bytes(std::uint32_t sram) const {
    MM_TRY(const Symbol stack, symbol("mm_stack_limit"));
    MemoryBytes bytes;
    bytes.sram = stack.address - sram;
    std::uint64_t loaded = 0;
    for (const Run& run : m_load) {
        loaded += run.bytes.size();
    }
    // Functions may share bytes (aliases): each counts once.
    std::uint64_t code = 0, end = 0;
    for (const auto& [address, named] : m_functions) {
        const std::uint64_t from = std::max<std::uint64_t>(address, end), to = std::uint64_t{address} + named.second;
        code += to > from ? to - from : 0;
        end = std::max(end, to);
    }
    bytes.code = static_cast<std::uint32_t>(std::min(code, loaded));
    bytes.constants = static_cast<std::uint32_t>(loaded - bytes.code);
    return bytes;
}

std::uint32_t Program::word(std::uint32_t address) const {
    std::uint32_t value = 0;
    for (const Run& run : m_load) {
        const std::uint64_t at = std::uint64_t{address} - run.address;
        if (address >= run.address && at + 4 <= run.bytes.size()) {
            std::memcpy(&value, run.bytes.data() + at, 4);
        }
    }
    return value;
}

}  // namespace metamorph::emu
