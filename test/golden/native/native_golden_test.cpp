// The generated files of the small graphs, byte for byte, and that they compile without a warning wherever they are to
// run.
//
// To accept a changed output: METAMORPH_UPDATE_GOLDEN=1 build/dev/test/golden/native/golden_native, then look at the
// diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "e2e/native/generated_program.h"
#include "generate/generator.h"
#include "golden/native/small_graphs.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

const fs::path k_golden = fs::path(METAMORPH_SOURCE_DIR) / "test/golden/native";

std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

generate::GeneratedCode code_of(const test::SmallGraph& small) {
    generate::NativeOptions options;
    options.model_file = small.name + ".tflite";
    options.model_sha256 = std::string(64, '0');
    options.command = "metamorph generate " + small.name + ".tflite";
    const auto code = generate::generate_native(small.graph, options);
    EXPECT_TRUE(code) << describe(code.error());
    return code ? *code : generate::GeneratedCode{};
}

class NativeGolden : public ::testing::TestWithParam<int> {
protected:
    test::SmallGraph small() const { return test::small_graphs()[static_cast<std::size_t>(GetParam())]; }
};

TEST_P(NativeGolden, FilesAreTheGoldenOnes) {
    const test::SmallGraph graph = small();
    const generate::GeneratedCode code = code_of(graph);
    const fs::path folder = k_golden / graph.name;
    if (std::getenv("METAMORPH_UPDATE_GOLDEN") != nullptr) {
        fs::remove_all(folder);
        test::write_files(code, folder);
    }
    std::set<std::string> present;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            present.insert(fs::relative(entry.path(), folder).generic_string());
        }
    }
    for (const auto& [path, text] : code.files) {
        EXPECT_EQ(present.erase(path), 1U) << path << " is new";
        EXPECT_EQ(text, read_text(folder / path)) << path;
    }
    EXPECT_TRUE(present.empty()) << *present.begin() << " is no longer generated";
}

TEST_P(NativeGolden, SameGraphGivesTheSameBytes) {
    EXPECT_EQ(code_of(small()).files, code_of(small()).files);
}

void expect_strictly_clean(const test::SmallGraph& graph, const std::string& compiler) {
    const std::string program = compiler.substr(0, compiler.find(' '));
    if (std::system(("command -v " + program + " > /dev/null").c_str()) != 0) {
        GTEST_SKIP() << program << " is not installed";
    }
    const generate::GeneratedCode code = code_of(graph);
    const test::ScratchFolder folder("strict-" + graph.name + program);
    test::write_files(code, folder.path());
    std::string command = "cd '" + folder.path().string() + "' && " + compiler +
                          " -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -I. -c";
    for (const std::string& source : code.sources) {
        command += " " + source;
    }
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

TEST_P(NativeGolden, CompilesCleanlyWithGcc) {
    expect_strictly_clean(small(), "gcc -O2");
}
TEST_P(NativeGolden, CompilesCleanlyWithClang) {
    expect_strictly_clean(small(), "clang-19 -O2");
}
TEST_P(NativeGolden, CompilesCleanlyForCortexM4) {
    expect_strictly_clean(small(), "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Os");
}
TEST_P(NativeGolden, CompilesCleanlyForRv32imc) {
    expect_strictly_clean(small(), "riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 --specs=picolibc.specs -Os");
}

INSTANTIATE_TEST_SUITE_P(Small, NativeGolden, ::testing::Range(0, 4), [](const auto& one) {
    return test::small_graphs()[static_cast<std::size_t>(one.param)].name;
});

}  // namespace
}  // namespace metamorph
