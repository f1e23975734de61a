// Files that are no firmware, or damaged: a clear error, and never a crash.
#include <fstream>
#include <iterator>

#include "powerloss/emulator/emulated_fixture.h"
#include "util/process.h"
#include "verify/firmware_tables.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using Core = emu::Firmware::Core;

constexpr const char* k_device = "cortex-m4-mapped";
constexpr const char* k_objcopy = "arm-none-eabi-objcopy";

std::string contents_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Elf : public testing::Test {
protected:
    void SetUp() override {
        if (const auto missing = missing_compiler(k_device)) {
            GTEST_SKIP() << *missing;
        }
        m_firmware = EmulatedFirmware::build(k_device);
        ASSERT_NE(m_firmware, nullptr);
    }
    fs::path file(const std::string& bytes) const {
        std::ofstream(m_scratch.path() / "firmware", std::ios::binary) << bytes;
        return m_scratch.path() / "firmware";
    }
    fs::path copied_with(const std::vector<std::string>& options) const {
        const fs::path copy = m_scratch.path() / "copied";
        ProcessRequest request;
        request.argv = {k_objcopy};
        request.argv.insert(request.argv.end(), options.begin(), options.end());
        request.argv.insert(request.argv.end(), {m_firmware->app().string(), copy.string()});
        const auto outcome = run_process(request);
        EXPECT_TRUE(outcome && outcome->succeeded());
        return copy;
    }
    // As `metamorph verify` does: the program, then its tables.
    static Error refusal(const fs::path& path, Core core = Core::cortex_m4f) {
        auto program = emu::Program::read(path, core);
        if (!program) {
            return program.error();
        }
        const auto tables = verify::read_tables(*program);
        EXPECT_FALSE(tables.has_value()) << "it was taken";
        return tables ? Error{} : tables.error();
    }
    static void expect(const Error& error, ErrorCode code, const std::string& what) {
        EXPECT_EQ(error.code, code) << describe(error);
        EXPECT_NE(error.message.find(what), std::string::npos) << describe(error);
        EXPECT_FALSE(error.where.empty());
    }

    ScratchFolder m_scratch = ScratchFolder::make("metamorph-elf").value();
    std::unique_ptr<EmulatedFirmware> m_firmware;
};

TEST_F(Elf, FilesThatAreNoneAreRefused) {
    expect(refusal(m_scratch.path() / "nowhere"), ErrorCode::system, "cannot be opened");
    expect(refusal(m_scratch.path()), ErrorCode::model, "no ELF file");
    expect(refusal(file("")), ErrorCode::model, "no ELF file");
    expect(refusal(file("int main(void) { return 0; }\n")), ErrorCode::model, "no ELF file");
    expect(refusal(file(std::string("\x7F") + "ELF")), ErrorCode::model, "no ELF file");
    expect(refusal(file(std::string(10000, '\0'))), ErrorCode::model, "no ELF file");
}

TEST_F(Elf, OfAnotherProcessorAreRefused) {
    const Error riscv = refusal(m_firmware->app(), Core::rv32imc);
    expect(riscv, ErrorCode::model, "for ARM");
    EXPECT_NE(riscv.message.find("32-bit RISC-V"), std::string::npos) << riscv.message;
    EXPECT_NE(riscv.hint.find("toolchain"), std::string::npos) << riscv.hint;
    expect(refusal("/proc/self/exe"), ErrorCode::model, "64 bits");
}

TEST_F(Elf, WithoutSymbolsAreRefused) {
    const Error stripped = refusal(copied_with({"--strip-all"}));
    expect(stripped, ErrorCode::model, "no symbol 'mm_port_event'");
    EXPECT_NE(stripped.hint.find("stripped"), std::string::npos) << stripped.hint;
    for (const std::string name : {"mm_port_event", "mm_state", "mm_board_app", "mm_stack_limit"}) {
        expect(refusal(copied_with({"--strip-symbol=" + name})), ErrorCode::model, "no symbol '" + name + "'");
    }
}

TEST_F(Elf, WithoutDebugInformationTellOnlyFunctions) {
    const auto whole = emu::Program::read(m_firmware->app(), Core::cortex_m4f);
    const auto bare = emu::Program::read(copied_with({"--strip-debug"}), Core::cortex_m4f);
    ASSERT_TRUE(whole.has_value() && bare.has_value());
    const std::uint32_t at = m_firmware->board().task_functions.at(1);
    EXPECT_EQ(whole->place(at).rfind("net_task_01 (net_tasks.c:", 0), 0U) << whole->place(at);
    EXPECT_EQ(bare->place(at), "net_task_01");
    EXPECT_EQ(bare->place(0xFFFFFFF0), "0xfffffff0");
}

TEST_F(Elf, CutShortAnywhereAreRefused) {
    const std::string whole = contents_of(m_firmware->app());
    ASSERT_GT(whole.size(), 10000U);
    std::vector<std::size_t> lengths;
    for (std::size_t length = 0; length < 200; ++length) {
        lengths.push_back(length);
        lengths.push_back(length * whole.size() / 200);
    }
    lengths.push_back(whole.size() - 1);
    for (const std::size_t length : lengths) {
        EXPECT_EQ(refusal(file(whole.substr(0, length))).code, ErrorCode::model) << length;
    }
}

// No verdict is asked for, only an end: an error, or a program whose places can be told.
TEST_F(Elf, DamagedOnesDoNotCrashTheReader) {
    const std::string whole = contents_of(m_firmware->app());
    std::uint32_t x = 1;
    const auto next = [&] { return (x = x * 1664525U + 1013904223U) >> 8; };
    int refused = 0;
    for (int round = 0; round < 300; ++round) {
        std::string damaged = whole;
        // The headers at both ends are where it hurts.
        for (int i = 0; i < 4; ++i) {
            const std::size_t at = next() % 400;
            damaged[i % 2 == 0 ? at : whole.size() - 1 - at] = static_cast<char>(next());
        }
        damaged[next() % whole.size()] = static_cast<char>(next());
        const auto program = emu::Program::read(file(damaged), Core::cortex_m4f);
        if (!program || !verify::read_tables(*program)) {
            ++refused;
            continue;
        }
        EXPECT_FALSE(program->place(m_firmware->board().task_functions.front()).empty());
        EXPECT_FALSE(program->object_at(0x20000000).empty());
    }
    EXPECT_GT(refused, 30) << "else nothing was damaged";
}

}  // namespace
}  // namespace metamorph
