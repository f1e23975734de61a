#include "emu/worker/emulator.h"

#include <array>
#include <stdexcept>

namespace metamorph::emu {
namespace {

constexpr std::uint32_t k_inputs_bytes_max = 0x400000, k_system = 0xE000E000;
// docs/decisions/0003-boards.md, "I/O window"
constexpr std::uint32_t k_io_inputs = 0x00, k_io_sequence = 0x08, k_io_index = 0x0C, k_io_output_bytes = 0x10;
constexpr std::uint32_t k_io_hand_over = 0x14, k_io_halt = 0x18;
constexpr std::uint32_t k_fault_code = 0xFF, k_idle_code = 2, k_no_progress_code = 3;
constexpr std::uint64_t k_nowhere = 0xFFFFFFFC;

void check(uc_err error, const char* what) {
    if (error != UC_ERR_OK) {
        throw std::runtime_error(std::string(what) + ": " + uc_strerror(error));
    }
}

std::uint32_t load(const std::uint8_t* at, std::uint32_t bytes) {
    std::uint32_t value = 0;
    std::memcpy(&value, at, bytes);
    return value;
}

}  // namespace

// What Unicorn calls: C functions with the emulator as user data. Exceptions must not pass through it; none is thrown.
struct Callbacks {
    static Emulator& self(void* user) { return *static_cast<Emulator*>(user); }

    static void instruction(uc_engine*, std::uint64_t address, std::uint32_t, void* user) {
        Emulator& e = self(user);
        const auto pc = static_cast<std::uint32_t>(address);
        e.m_pc = pc;
        if (++e.m_instructions > e.m_instructions_max) {
            e.halt_with(HaltKind::endless);
            return;
        }
        if (pc == e.m_return_at) {
            e.m_watcher.returned();
        }
        const std::uint32_t at = (pc - e.m_firmware.flash) >> 1;
        if (at < e.m_is_mark.size() && e.m_is_mark[at] != 0) {
            if (e.m_skips_mark) {
                e.m_skips_mark = false;
            } else {
                e.m_watcher.mark_reached(pc);
            }
        }
    }
    static void block(uc_engine*, std::uint64_t address, std::uint32_t bytes, void* user) {
        self(user).on_block(static_cast<std::uint32_t>(address), bytes);
    }
    static void sram_read(uc_engine*, uc_mem_type, std::uint64_t address, int bytes, std::int64_t, void* user) {
        Emulator& e = self(user);
        const auto at = static_cast<std::uint32_t>(address) - e.m_firmware.sram;
        if (at + static_cast<std::uint32_t>(bytes) <= e.m_firmware.sram_bytes &&
            !e.m_sram_marks.read(at, static_cast<std::uint32_t>(bytes))) {
            e.m_watcher.poisoned_read(static_cast<std::uint32_t>(address));
        }
    }
    static void sram_write(uc_engine*, uc_mem_type, std::uint64_t address, int bytes, std::int64_t, void* user) {
        Emulator& e = self(user);
        const auto at = static_cast<std::uint32_t>(address) - e.m_firmware.sram;
        if (at + static_cast<std::uint32_t>(bytes) <= e.m_firmware.sram_bytes) {
            e.m_sram_marks.write(at, static_cast<std::uint32_t>(bytes));
        }
    }
    static std::uint64_t nvm_read(uc_engine*, std::uint64_t at, unsigned bytes, void* user) {
        return self(user).m_watcher.nvm_read(static_cast<std::uint32_t>(at), bytes);
    }
    static void nvm_write(uc_engine*, std::uint64_t at, unsigned bytes, std::uint64_t value, void* user) {
        self(user).m_watcher.nvm_write(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(value), bytes);
    }
    static std::uint64_t io_read(uc_engine*, std::uint64_t at, unsigned bytes, void* user) {
        return self(user).on_io_read(static_cast<std::uint32_t>(at), bytes);
    }
    static void io_write(uc_engine*, std::uint64_t at, unsigned bytes, std::uint64_t value, void* user) {
        self(user).on_io_write(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(value), bytes);
    }
    static std::uint64_t spi_read(uc_engine*, std::uint64_t at, unsigned, void* user) {
        return at == 4 ? self(user).m_chip.last() : 0;
    }
    static void spi_write(uc_engine*, std::uint64_t at, unsigned, std::uint64_t value, void* user) {
        if (at == 0) {
            self(user).m_chip.select((value & 1U) != 0);
        } else if (at == 4) {
            self(user).on_bus_byte();
            self(user).m_chip.shift(static_cast<std::uint8_t>(value));
        }
    }
};

Emulator::Emulator(const Firmware& firmware, Watch watch, Watcher& watcher)
    : m_firmware(firmware),
      m_watcher(watcher),
      m_flash(firmware.flash_bytes),
      m_sram(firmware.sram_bytes),
      m_inputs(k_inputs_bytes_max),
      m_system(k_page),
      m_io(k_io_bytes),
      m_sram_marks(firmware.sram_bytes),
      m_chip(*this, firmware.nvm_bytes, firmware.spi_address_bytes, firmware.spi_id),
      m_is_mark(firmware.flash_bytes / 2),
      m_block_at(firmware.flash_bytes / 2, -1) {
    check(is_arm() ? uc_open(UC_ARCH_ARM, static_cast<uc_mode>(UC_MODE_THUMB | UC_MODE_MCLASS), &m_engine)
                   : uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &m_engine),
          "the emulator does not start");
    if (is_arm()) {
        check(uc_ctl_set_cpu_model(m_engine, UC_CPU_ARM_CORTEX_M4), "no Cortex-M4");
    }
    map_memories();
    add_hooks(watch);
    check(uc_context_alloc(m_engine, &m_as_new), "no context");
    check(uc_context_save(m_engine, m_as_new), "the context cannot be saved");
}

Emulator::~Emulator() {
    if (m_as_new != nullptr) {
        uc_context_free(m_as_new);
    }
    if (m_engine != nullptr) {
        uc_close(m_engine);
    }
}

void Emulator::map_memories() {
    const Firmware& f = m_firmware;
    for (const Run& run : f.load) {
        const std::uint64_t at = run.address - f.flash;
        if (run.address < f.flash || at + run.bytes.size() > f.flash_bytes) {
            throw std::runtime_error("the program has bytes outside flash");
        }
        std::memcpy(m_flash.data() + at, run.bytes.data(), run.bytes.size());
    }
    if (f.input_bytes.size() > k_inputs_bytes_max) {
        throw std::runtime_error("the inputs are larger than the board's window for them (4 MiB)");
    }
    std::memcpy(m_inputs.data(), f.input_bytes.data(), f.input_bytes.size());
    const auto map = [&](std::uint32_t at, const Bytes& bytes, std::uint32_t rights, const char* what) {
        check(uc_mem_map_ptr(m_engine, at, bytes.size(), rights, bytes.data()), what);
    };
    map(f.flash, m_flash, UC_PROT_READ | UC_PROT_EXEC, "flash cannot be mapped");
    map(f.sram, m_sram, UC_PROT_READ | UC_PROT_WRITE, "SRAM cannot be mapped");
    map(f.inputs, m_inputs, UC_PROT_READ, "inputs cannot be mapped");
    if (is_arm()) {
        map(k_system, m_system, UC_PROT_READ | UC_PROT_WRITE, "the system control space cannot be mapped");
    }
    const auto map_device = [&](std::uint32_t at, std::uint32_t size, uc_cb_mmio_read_t read, uc_cb_mmio_write_t write,
                                const char* what) {
        check(uc_mmio_map(m_engine, at, whole_pages(size), read, this, write, this), what);
    };
    map_device(f.io, k_io_bytes, Callbacks::io_read, Callbacks::io_write, "the I/O window cannot be mapped");
    if (f.is_mapped) {
        map_device(f.nvm, f.nvm_bytes, Callbacks::nvm_read, Callbacks::nvm_write, "NVM cannot be mapped");
    } else {
        map_device(f.spi, k_page, Callbacks::spi_read, Callbacks::spi_write, "the SPI controller cannot be mapped");
    }
}

// All hooks before the first run: what is translated before a hook is there never calls it.
void Emulator::add_hooks(Watch watch) {
    const auto add = [&](int type, auto* function, std::uint64_t begin, std::uint64_t end) {
        uc_hook hook = 0;
        check(uc_hook_add(m_engine, &hook, type, reinterpret_cast<void*>(function), this, begin, end), "no hook");
    };
    if (watch == Watch::blocks) {
        add(UC_HOOK_BLOCK, Callbacks::block, 1, 0);
        return;
    }
    const std::uint64_t sram = m_firmware.sram, sram_end = sram + m_firmware.sram_bytes - 1;
    add(UC_HOOK_CODE, Callbacks::instruction, 1, 0);
    add(UC_HOOK_MEM_READ, Callbacks::sram_read, sram, sram_end);
    add(UC_HOOK_MEM_WRITE, Callbacks::sram_write, sram, sram_end);
}

void Emulator::set_marks(const std::vector<std::uint32_t>& addresses) {
    for (const std::uint32_t address : addresses) {
        const std::uint32_t at = (address - m_firmware.flash) >> 1;
        if (at >= m_is_mark.size()) {
            throw std::runtime_error("a function lies outside flash");
        }
        m_is_mark[at] = 1;
    }
}

void Emulator::run() {
    m_is_stopping = false;
    const uc_err error = uc_emu_start(m_engine, m_resume, k_nowhere, 0, 0);
    if (error != UC_ERR_OK && m_halt.kind == HaltKind::none && !m_is_stopping) {
        m_halt = {HaltKind::crashed, 0, m_pc, uc_strerror(error)};
    } else if (!m_is_stopping && m_halt.kind == HaltKind::none) {
        m_halt = {HaltKind::crashed, 0, m_pc, "the processor stopped"};
    }
    m_resume = m_pc | (is_arm() ? 1U : 0U);
    m_skips_mark = true;
}

void Emulator::stop() {
    m_is_stopping = true;
    uc_emu_stop(m_engine);
}

void Emulator::halt_with(HaltKind kind) {
    if (m_halt.kind == HaltKind::none) {
        m_halt.kind = kind;
        m_halt.pc = m_pc;
    }
    stop();
}

std::uint32_t Emulator::on_io_read(std::uint32_t at, std::uint32_t size) {
    return at == k_io_inputs ? m_firmware.inferences : load(m_io.data() + at, size);
}

void Emulator::on_io_write(std::uint32_t at, std::uint32_t value, std::uint32_t size) {
    std::memcpy(m_io.data() + at, &value, size);
    m_io_written = std::max(m_io_written, at + size);
    if (at == k_io_hand_over) {
        const std::uint32_t count = std::min(load(m_io.data() + k_io_output_bytes, 4), k_io_bytes - k_io_data);
        m_watcher.hand_over({load(m_io.data() + k_io_sequence, 4), load(m_io.data() + k_io_index, 4),
                             std::string(reinterpret_cast<const char*>(m_io.data()) + k_io_data, count)});
    } else if (at == k_io_halt) {
        const std::uint32_t code = value & 0xFFFFU;
        m_halt.code = value;
        halt_with(code == k_fault_code         ? HaltKind::crashed
                  : code == k_idle_code        ? HaltKind::idle
                  : code == k_no_progress_code ? HaltKind::no_progress
                                               : HaltKind::fatal);
        m_halt.what = code == k_fault_code ? "the processor took an exception" : "";
    }
}

std::uint8_t Emulator::spi_read(std::uint32_t address) {
    return static_cast<std::uint8_t>(m_watcher.nvm_read(address, 1));
}

void Emulator::spi_write(std::uint32_t address, std::uint8_t value) {
    m_watcher.nvm_write(address, value, 1);
}

void Emulator::spi_refused(std::uint32_t address) {
    m_watcher.write_refused(address);
}

}  // namespace metamorph::emu
