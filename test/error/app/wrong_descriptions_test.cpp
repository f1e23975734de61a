// Device descriptions that are wrong: each with what is said, at which line and column, and what to do.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/device.h"

namespace metamorph::app {
namespace {

// The description of cortex-m4-spi with the first `from` replaced by `to`.
struct Wrong {
    const char* name;
    const char* from;
    const char* to;
    const char* at;  // where the error points: the first such text in the description
    const char* message;
    const char* hint;  // a part of it
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.to;
}

std::string position_of(const std::string& text, const std::string& what) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
    return fmt::format("lab/board.toml:{}:{}", line, at - begin + 1);
}

class WrongDescription : public testing::TestWithParam<Wrong> {};

TEST_P(WrongDescription, IsRefusedWithLineAndColumn) {
    const Wrong& wrong = GetParam();
    std::string text = find_device("cortex-m4-spi").value().text;
    const std::size_t at = text.find(wrong.from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string(wrong.from).size(), wrong.to);
    const auto device = read_device(text, "lab/board.toml");
    ASSERT_FALSE(device.has_value());
    EXPECT_EQ(device.error().code, ErrorCode::options);
    EXPECT_EQ(device.error().message, wrong.message);
    EXPECT_EQ(device.error().where, position_of(text, wrong.at));
    EXPECT_NE(device.error().hint.find(wrong.hint), std::string::npos) << device.error().hint;
    EXPECT_FALSE(std::string(wrong.hint).empty());
}

constexpr const char* k_sram_bytes = "bytes = 0x4_0000";
constexpr const char* k_sram_address = "address = 0x2000_0000";

const std::vector<Wrong> k_wrong{
    {"NoToml", "nvm = \"bus\"", "nvm = bus", "bus\n",
     "this is not TOML: Error while parsing value: could not determine value type", "docs/devices.md"},
    {"UnknownKey", k_sram_bytes, "byte = 0x4_0000", "byte = 0x4", "there is no key 'memory[1].byte' here",
     "did you mean 'bytes'?"},
    {"UnknownKeyFarFromAll", k_sram_bytes, "capacity = 0x4_0000", "capacity",
     "there is no key 'memory[1].capacity' here", "the keys are address, bytes, read_wait_cycles, name, kind, source"},
    {"UnknownTable", "[spi]", "[sbi]", "sbi]", "there is no key 'sbi' here", "did you mean 'spi'?"},
    {"UnknownSource", "address = \"Armv7", "adress = \"Armv7", "adress",
     "there is no key 'memory[1].source.adress' here", "did you mean 'address'?"},
    {"FigureOfNvmAlone", k_sram_bytes, "bytes = 0x4_0000\nwrite_unit_ns = 1", "write_unit_ns = 1\n",
     "there is no key 'memory[1].write_unit_ns' here", "the keys are address, bytes"},
    {"MissingKey", "read_wait_cycles = 0\n", "\n", "[[memory]]", "'memory[0].read_wait_cycles' is missing",
     "add 'read_wait_cycles = …', an integer; docs/devices.md tells what it means"},
    {"MissingTable", "[clock]\nhz = 16_000_000\n[clock.source]\nhz =", "[spi.clock]\nhz =", "#", "'clock' is missing",
     "add a table [clock]; docs/devices.md tells what it means"},
    {"MissingSources", "[clock.source]\nhz =", "# hz =", "[clock]", "'clock.source' is missing",
     "add a table [clock.source]"},
    {"MissingCore", "core = \"cortex-m4f\"", "", "#", "'core' is missing", "add 'core = …', a text"},
    {"MissingSource", "sleep_ua = \"assumption", "# sleep_ua = \"assumption", "[power.source]",
     "'power.source.sleep_ua' is missing", "add 'sleep_ua = …', a text"},
    {"MissingSourcesOfAMemory", "[memory.source]\naddress =", "[memory.sauce]\naddress =", "sauce]",
     "there is no key 'memory[0].sauce' here", "did you mean 'source'?"},
    {"EmptySource",
     "hz = \"assumption: a usual clock of battery-free devices, and the fastest without FRAM wait states "
     "in MSP430FR parts\"",
     "hz = \"\"", "hz = \"\"", "'clock.source.hz' is empty", "write something"},
    {"TextForANumber", k_sram_bytes, "bytes = \"256K\"", "bytes = \"256K\"", "'memory[1].bytes' is a text",
     "it must be an integer"},
    {"FractionForAnInteger", "hz = 16_000_000", "hz = 16e6", "hz = 16e6", "'clock.hz' is a number with a fraction",
     "it must be an integer"},
    {"NumberForAText", "description = \"Cortex", "description = 4 # Cortex", "description = 4",
     "'description' is an integer", "it must be a text"},
    {"ListOfNumbers", "packages = [\"gcc-arm-none-eabi\"", "packages = [4", "packages = [4",
     "'build.gcc.packages' is an array", "an array of texts only"},
    {"Core", "core = \"cortex-m4f\"", "core = \"cortex-m4\"", "core = \"", "'core' is 'cortex-m4'",
     "did you mean 'cortex-m4f'?"},
    {"SizeZero", k_sram_bytes, "bytes = 0", "bytes = 0\n", "'memory[1].bytes' is 0", "from 1 to 4294967296"},
    {"NegativeSize", k_sram_bytes, "bytes = -16", "bytes = -16", "'memory[1].bytes' is -16", "from 1 to 4294967296"},
    {"OddSize", k_sram_bytes, "bytes = 1000", "bytes = 1000", "memory 'SRAM' does not begin and end at multiples of 16",
     "narrow it"},
    {"AddressBeyond32Bits", k_sram_address, "address = 0x1_0000_0000", "address = 0x1_0000_0000",
     "'memory[1].address' is 4294967296", "from 0 to 4294967295"},
    {"EndBeyond32Bits", k_sram_address, "address = 0xFFFF_0000", k_sram_bytes,
     "memory 'SRAM' ends at 0x100030000, beyond the 32-bit address space", "lower its address or its size"},
    {"MemoriesOverlap", k_sram_address, "address = 0x8_0000", "address = 0x8_0000",
     "memory 'SRAM' (0x80000 to 0xbffff) overlaps memory 'flash' (0x0 to 0xfffff)", "move one of them"},
    {"TwoOfAKind", "kind = \"sram\"", "kind = \"flash\"", "memory]]", "there are 2 memories of kind 'flash'",
     "exactly one of each kind"},
    {"TwoOfAName", "name = \"SRAM\"", "name = \"flash\"", "name = \"flash\"\nkind = \"sram\"",
     "two memories are called 'flash'", "give one another name"},
    {"WriteUnitOf3", "write_unit_bytes = 1\n", "write_unit_bytes = 3\n", "write_unit_bytes = 3", "3 is no power of two",
     "1, 2, 4, 8 or 16"},
    {"WriteUnitOf32", "write_unit_bytes = 1\n", "write_unit_bytes = 32\n", "write_unit_bytes = 32",
     "'memory[2].write_unit_bytes' is 32", "from 1 to 16"},
    {"NegativeTime", "write_unit_ns = 320", "write_unit_ns = -1", "write_unit_ns = -1",
     "'memory[2].write_unit_ns' is -1", "finite and not negative"},
    {"InfiniteVoltage", "supply_mv = 3000", "supply_mv = inf", "supply_mv = inf", "'power.supply_mv' is inf",
     "finite and not negative"},
    {"TooFewAddressBytes", "address_bytes = 3", "address_bytes = 2", "address_bytes = 2",
     "2 bytes of address reach 65536 bytes, and memory 'FRAM' has 524288", "data sheet"},
    {"BurstOf500", "burst_bytes = 512", "burst_bytes = 500", "burst_bytes = 500", "500 is no power of two",
     "0: no limit"},
    {"IdOfAWord", "id = [0x04,", "id = [0x104,", "id = [0x104",
     "'spi.id' holds something that is no integer from 0 to 255", "[0x04, 0x7F]"},
    {"LongId", "id = [0x04,", "id = [1, 2, 3, 4, 5, 6, 0x04,", "id = [1,", "10 bytes of RDID", "at most 9"},
    {"WindowInSram", "io = 0x2180_0000", "io = 0x2000_0000", "io = 0x2000_0000",
     "the I/O window (0x20000000 to 0x200fffff) overlaps memory 'SRAM' (0x20000000 to 0x2003ffff)", "where nothing is"},
    {"WindowsOverlap", "inputs = 0x2190_0000", "inputs = 0x2188_0000", "inputs = 0x2188",
     "the inputs (0x21880000 to 0x21c7ffff) overlaps the I/O window (0x21800000 to 0x218fffff)", "move one of them"},
    {"WindowBeyond32Bits", "inputs = 0x2190_0000", "inputs = 0xFFFF_0000", "inputs = 0xFFFF",
     "the inputs (0xffff0000 to 0x1003effff) goes beyond the 32-bit address space", "lower its address"},
    {"ModelOfTheChipInSram", "spi_memory = 0x2100_0000", "spi_memory = 0x1FFC_0000", "spi_memory = 0x1FFC",
     "the model of the chip (0x1ffc0000 to 0x2003ffff) overlaps memory 'SRAM' (0x20000000 to 0x2003ffff)",
     "where nothing is"},
    {"LittleStack", "stack_bytes = 8192", "stack_bytes = 100", "stack_bytes = 100", "'build.stack_bytes' is 100",
     "from 256 to 262144"},
    {"StackLargerThanSram", "stack_bytes = 8192", "stack_bytes = 262160", "stack_bytes = 262160",
     "'build.stack_bytes' is 262160", "from 256 to 262144"},
    {"NoSuchLinkerScript", "linker_script = \"bare.ld.in\"", "linker_script = \"bear.ld.in\"", "linker_script =",
     "the linker script template 'bear.ld.in' cannot be read: cannot read lab/bear.ld.in: No such file or directory",
     "use bare.ld.in"},
    {"TwoFlagsInOne", "flags = [\"-mcpu=cortex-m4\"", "flags = [\"-O2 -g\"", "flags = [\"-O2",
     "'-O2 -g' is no option of a compiler", "one option a text"},
    {"CompilerWithACommand", "compiler = \"arm-none-eabi-gcc\"", "compiler = \"gcc; true\"", "compiler = \"gcc;",
     "'gcc; true' is no name of a program", "in PATH"},
    {"NameWithABlank", "name = \"cortex-m4-spi\"", "name = \"my board\"", "name = \"my board\"",
     "'my board' is no name for a device", "letters, digits"},
};

INSTANTIATE_TEST_SUITE_P(All, WrongDescription, testing::ValuesIn(k_wrong),
                         [](const testing::TestParamInfo<Wrong>& wrong) { return std::string(wrong.param.name); });

TEST(WrongDescription, LinesAndColumnsCountFrom1) {
    const auto device = read_device("core = \"host\"\n  naem = \"x\"\n", "board.toml");
    ASSERT_FALSE(device.has_value());
    EXPECT_EQ(device.error().where, "board.toml:2:3");
    EXPECT_EQ(device.error().hint, "did you mean 'name'?");
}

TEST(WrongDescription, MemoriesAreAList) {
    const std::string head = "name = \"x\"\ndescription = \"x\"\ncore = \"rv32imc\"\nnvm = \"mapped\"\n";
    const auto missing = read_device(head, "board.toml");
    ASSERT_FALSE(missing.has_value());
    EXPECT_EQ(missing.error().where, "board.toml:1:1");
    EXPECT_EQ(missing.error().message, "'memory' is missing");
    EXPECT_EQ(missing.error().hint, "add a table [[memory]]; docs/devices.md tells what it means");
    for (const std::string table : {"memory = 3\n", "memory = [1, 2]\n", "[memory]\nname = \"flash\"\n"}) {
        const auto device = read_device(head + table, "board.toml");
        ASSERT_FALSE(device.has_value());
        EXPECT_EQ(device.error().where.substr(0, 13), "board.toml:5:") << device.error().where;
        EXPECT_EQ(device.error().message, "'memory' is no array of tables");
        EXPECT_EQ(device.error().hint, "begin each with [[memory]]");
    }
}

TEST(WrongDescription, AMemoryWithoutSources) {
    std::string text = find_device("cortex-m4-mapped").value().text;
    const std::size_t begin = text.find("[memory.source]");
    text.erase(begin, text.find("[[memory]]", begin) - begin);
    const auto device = read_device(text, "lab/board.toml");
    ASSERT_FALSE(device.has_value());
    EXPECT_EQ(device.error().where, position_of(text, "[[memory]]"));
    EXPECT_EQ(device.error().message, "'memory[0].source' is missing");
    EXPECT_EQ(device.error().hint, "add a table [memory.source]; docs/devices.md tells what it means");
}

TEST(WrongDescription, AChipBesideMappedNvm) {
    const std::string text = find_device("cortex-m4-mapped").value().text + "[spi]\nclock_hz = 1\n";
    const auto device = read_device(text, "lab/board.toml");
    ASSERT_FALSE(device.has_value());
    EXPECT_EQ(device.error().where, position_of(text, "spi]\nclock_hz"));
    EXPECT_EQ(device.error().message, "'spi' describes a chip behind a bus, and nvm is \"mapped\"");
    EXPECT_EQ(device.error().hint, "leave it out, or say nvm = \"bus\"");
}

TEST(WrongDescription, WithoutACompiler) {
    std::string text = find_device("rv32imc-spi").value().text;
    text.erase(text.find("[build.gcc]"));
    const auto device = read_device(text, "board.toml");
    ASSERT_FALSE(device.has_value());
    EXPECT_EQ(device.error().message, "no compiler is described");
    EXPECT_EQ(device.error().hint, "add [build.gcc] or [build.clang]");
}

TEST(WrongDescription, AHostHasNoMemories) {
    const auto device =
        read_device("name = \"pc\"\ndescription = \"a PC\"\ncore = \"host\"\nnvm = \"bus\"\n", "pc.toml");
    ASSERT_FALSE(device.has_value());
    EXPECT_EQ(device.error().where, "pc.toml:4:1");
    EXPECT_EQ(device.error().message, "there is no key 'nvm' here");
}

// Whatever is cut away of a description, reading it ends in an error with a place, never in a crash.
TEST(WrongDescription, CutAnywhere) {
    const std::string text = find_device("cortex-m4-spi").value().text;
    int refused = 0;
    for (std::size_t bytes = 0; bytes < text.rfind("[build.gcc]"); bytes += 7) {
        const auto device = read_device(text.substr(0, bytes), "board.toml");
        ASSERT_FALSE(device.has_value()) << bytes;
        EXPECT_EQ(device.error().where.substr(0, 11), "board.toml:") << device.error().where;
        ++refused;
    }
    EXPECT_GT(refused, 300);
}

TEST(WrongDevice, IsSuggested) {
    const auto device = find_device("cortexm4-spi");
    ASSERT_FALSE(device.has_value());
    EXPECT_EQ(device.error().code, ErrorCode::options);
    EXPECT_EQ(device.error().where, "--device");
    EXPECT_EQ(device.error().message, "there is no device 'cortexm4-spi'");
    EXPECT_EQ(device.error().hint.substr(0, 28), "did you mean 'cortex-m4-spi'") << device.error().hint;
    EXPECT_EQ(find_device("x", "DEVICE").error().where, "DEVICE");
}

}  // namespace
}  // namespace metamorph::app
