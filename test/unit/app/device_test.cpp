// The devices that come with Metamorph, and one of a user's own.
#include "app/device.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

namespace metamorph::app {
namespace {

namespace fs = std::filesystem;

TEST(Devices, AreTheseFive) {
    EXPECT_EQ(device_names(),
              (std::vector<std::string>{"cortex-m4-mapped", "cortex-m4-spi", "host", "rv32imc-mapped", "rv32imc-spi"}));
}

class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, IsReadAndIsCalledLikeItsFile) {
    const auto device = find_device(GetParam());
    ASSERT_TRUE(device.has_value()) << describe(device.error());
    EXPECT_EQ(device->name, GetParam());
    EXPECT_EQ(device->argument, GetParam());
    EXPECT_EQ(device->name.ends_with("spi"), device->spi.has_value());
}

TEST_P(Shipped, CanBeGivenAsAFile) {
    const fs::path path = fs::path(METAMORPH_SOURCE_DIR) / "devices" / (GetParam() + ".toml");
    const auto by_path = find_device(path.string());
    ASSERT_TRUE(by_path.has_value()) << describe(by_path.error());
    const Device by_name = find_device(GetParam()).value();
    EXPECT_EQ(by_path->text, by_name.text);
    EXPECT_EQ(print(*by_path), print(by_name));
    EXPECT_EQ(by_path->argument, GetParam() + ".toml") << "without folders: it goes into generated files";
}

TEST_P(Shipped, EveryFigureHasItsSource) {
    const Device device = find_device(GetParam()).value();
    const nlohmann::json json = nlohmann::json::parse(to_json(device), nullptr, false);
    ASSERT_FALSE(json.is_discarded());
    EXPECT_EQ(json["schema"], "metamorph-device-1");
    EXPECT_EQ(json["name"], GetParam());
    if (device.is_host()) {
        EXPECT_TRUE(device.figures.empty());
        return;
    }
    // 3 + 3 + 6 of the memories, 1 + 3 of clock and power, 5 of a chip.
    EXPECT_EQ(device.figures.size(), device.spi ? 21U : 16U);
    // And what the core's instructions cost.
    EXPECT_EQ(device.costs.figures.size(), instruction_classes(name_of(device.core)).size());
    EXPECT_EQ(json["figures"].size(), device.figures.size() + device.costs.figures.size());
    const std::string text = print(device);
    for (const Figure& figure : device.figures) {
        EXPECT_FALSE(figure.source.empty()) << figure.key;
        EXPECT_EQ(figure.is_assumed, figure.source.starts_with("assumption")) << figure.key;
        EXPECT_NE(text.find(figure.key), std::string::npos) << figure.key;
        EXPECT_NE(text.find(figure.source), std::string::npos) << figure.key;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Shipped, testing::ValuesIn(device_names()), [](const auto& name) {
    std::string word = name.param;
    std::replace(word.begin(), word.end(), '-', '_');
    return word;
});

TEST(Devices, TheListHasALineAndAnEntryEach) {
    const std::vector<Device> devices{find_device("host").value(), find_device("rv32imc-spi").value()};
    EXPECT_EQ(print_list(devices),
              "host         this machine; non-volatile memory is a file\n"
              "rv32imc-spi  RISC-V (rv32imc) with a 4-Mbit FRAM behind SPI\n");
    const nlohmann::json json = nlohmann::json::parse(list_to_json(devices), nullptr, false);
    ASSERT_FALSE(json.is_discarded());
    ASSERT_EQ(json["devices"].size(), 2U);
    EXPECT_FALSE(json["devices"][0].contains("nvm"));
    EXPECT_EQ(json["devices"][1]["nvm"], "bus");
}

// docs/devices.md: its example is a description, and every key that a description can have is explained there.
TEST(Documentation, ItsExampleIsRead) {
    std::stringstream document;
    document << std::ifstream(METAMORPH_SOURCE_DIR "/docs/devices.md").rdbuf();
    const std::string text = document.str();
    const std::size_t begin = text.find("```toml\n") + 8;
    ASSERT_NE(begin, std::string::npos + 8);
    const auto device = read_device(text.substr(begin, text.find("```\n", begin) - begin), "docs/devices.md");
    ASSERT_TRUE(device.has_value()) << describe(device.error());
    EXPECT_EQ(device->name, "lab-board");
    const Device bus = find_device("cortex-m4-spi").value();
    for (const Figure& figure : bus.figures) {
        const std::string key = figure.key.substr(figure.key.rfind('.') + 1);
        EXPECT_NE(text.find("`" + key + "`"), std::string::npos) << key;
    }
}

class OwnDevice : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "own_device_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_folder = pattern;
    }
    void TearDown() override { fs::remove_all(m_folder); }

    // cortex-m4-mapped with `from` replaced, as a file.
    std::string write(const std::string& from, const std::string& to) const {
        std::string text = find_device("cortex-m4-mapped").value().text;
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        std::ofstream(m_folder / "board.toml") << text.replace(at, from.size(), to);
        return (m_folder / "board.toml").string();
    }

    fs::path m_folder;
};

TEST_F(OwnDevice, HasItsOwnSizes) {
    const auto device = find_device(write("bytes = 0x4_0000", "bytes = 65536"));
    ASSERT_TRUE(device.has_value()) << describe(device.error());
    EXPECT_EQ(device->memory(MemoryKind::sram).bytes, 65536U);
    EXPECT_EQ(device->argument, "board.toml");
}

TEST_F(OwnDevice, ItsLinkerScriptIsLookedForBesideIt) {
    std::ofstream(m_folder / "mine.ld.in") << "/* mine */\n";
    const auto device = find_device(write("linker_script = \"bare.ld.in\"", "linker_script = \"mine.ld.in\""));
    ASSERT_TRUE(device.has_value()) << describe(device.error());
    EXPECT_EQ(device->linker_script, "/* mine */\n");
}

TEST_F(OwnDevice, ControlCharactersDoNotReachTheTerminal) {
    const auto device = find_device(write("description = \"", "description = \"\\u001b[31m"));
    ASSERT_TRUE(device.has_value()) << describe(device.error());
    EXPECT_EQ(print(*device).find('\033'), std::string::npos);
    EXPECT_EQ(print_list({*device}).find('\033'), std::string::npos);
}

TEST_F(OwnDevice, OneCompilerIsEnough) {
    std::string text = find_device("rv32imc-mapped").value().text;
    text.erase(text.find("[build.gcc]"), text.find("[build.clang]") - text.find("[build.gcc]"));
    const auto device = read_device(text, "board.toml");
    ASSERT_TRUE(device.has_value()) << describe(device.error());
    EXPECT_EQ(device->compiler("gcc"), nullptr);
    ASSERT_NE(device->compiler("clang"), nullptr);
    EXPECT_EQ(device->compiler("clang")->program, "clang-19");
}

}  // namespace
}  // namespace metamorph::app
