#include "verify/memory_image.h"

#include <elf.h>

#include <cstring>
#include <vector>

#include "util/file.h"

namespace metamorph::verify {
namespace {

template <typename T>
void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// struct elf_prstatus of 32-bit Linux: 72 bytes before the registers, pr_fpvalid behind them. ARM: r0 to r15, CPSR,
// orig_r0. RISC-V: pc, x1 to x31.
std::string status_note(const std::vector<std::uint32_t>& registers, bool is_arm) {
    constexpr std::size_t k_before = 72;
    std::string status(k_before, '\0');
    if (is_arm) {
        for (const std::uint32_t value : registers) {
            append(status, value);
        }
        append(status, std::uint32_t{0x20});  // CPSR: Thumb
        append(status, std::uint32_t{0});
    } else {
        append(status, registers.back());
        for (std::size_t i = 0; i + 1 < registers.size(); ++i) {
            append(status, registers[i]);
        }
    }
    append(status, std::uint32_t{0});
    std::string note;
    append(note, Elf32_Nhdr{5, static_cast<Elf32_Word>(status.size()), NT_PRSTATUS});
    note += std::string("CORE\0\0\0\0", 8);
    return note + status;
}

}  // namespace

Status write_memory_image(const std::filesystem::path& path, const emu::Program& program, const Life& life,
                          const emu::Firmware& board) {
    const bool is_arm = board.core == emu::Firmware::Core::cortex_m4f;
    std::vector<emu::Run> memories = program.load();
    memories.push_back({board.sram, life.sram});
    if (board.is_mapped) {
        memories.push_back({board.nvm, life.nvm});
    }
    const std::string note = status_note(life.registers, is_arm);

    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_CORE;
    header.e_machine = is_arm ? EM_ARM : EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_phoff = sizeof header;
    header.e_flags = is_arm ? EF_ARM_EABI_VER5 : 0;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phnum = static_cast<Elf32_Half>(memories.size() + 1);

    std::string file;
    append(file, header);
    auto at = static_cast<Elf32_Off>(sizeof header + header.e_phnum * sizeof(Elf32_Phdr));
    const auto add = [&](Elf32_Word type, std::uint32_t address, std::size_t bytes, Elf32_Word rights) {
        const auto size = static_cast<Elf32_Word>(bytes);
        append(file, Elf32_Phdr{type, at, address, address, size, type == PT_NOTE ? 0 : size, rights, 1});
        at += size;
    };
    add(PT_NOTE, 0, note.size(), 0);
    for (const emu::Run& memory : memories) {
        add(PT_LOAD, memory.address, memory.bytes.size(), PF_R | PF_W);
    }
    file += note;
    for (const emu::Run& memory : memories) {
        file += memory.bytes;
    }
    MM_CHECK(write_file_if_changed(path, file));
    return {};
}

}  // namespace metamorph::verify
