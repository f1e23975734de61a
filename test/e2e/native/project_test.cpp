// The generated project as its user meets it: it builds alone with its own CMakeLists.txt, its example program is the
// entry on standard input and output, constants go where the macro says; and the harness of these tests sees a
// difference.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "e2e/native/generated_program.h"
#include "generate/generator.h"
#include "golden/native/small_graphs.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

generate::GeneratedCode generated(const std::string& name) {
    for (const test::SmallGraph& small : test::small_graphs()) {
        if (small.name == name) {
            const auto code = generate::generate_native(small.graph, {});
            EXPECT_TRUE(code) << describe(code.error());
            return *code;
        }
    }
    return {};
}

int exit_status(const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string read_bytes(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_bytes(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::string hex(const std::string& bytes) {
    std::string text;
    for (const char c : bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
    return text;
}

TEST(NativeProject, BuildsAloneAndItsExampleRunsInferencesUntilTheInputEnds) {
    const generate::GeneratedCode code = generated("classifier");
    const test::ScratchFolder folder("project");
    const std::string here = "cd '" + folder.path().string() + "' && ";
    test::write_files(code, folder.path() / "p");
    ASSERT_EQ(exit_status(here + "cmake -S p -B build > log 2>&1 && cmake --build build >> log 2>&1"), 0)
        << read_bytes(folder.path() / "log");

    const std::vector<std::uint8_t> first = test::seeded_bytes(1, 108), second = test::seeded_bytes(2, 108);
    std::vector<std::uint8_t> both = first;
    both.insert(both.end(), second.begin(), second.end());
    write_bytes(folder.path() / "in", both);
    ASSERT_EQ(exit_status(here + "build/classifier_main < in > out"), 0);
    const test::ProgramRun expected =
        test::build_and_run(code, folder.path() / "reference", "gcc -O0 -w", {first, second});
    ASSERT_EQ(expected.error, "");
    EXPECT_EQ(hex(read_bytes(folder.path() / "out")),
              expected.inferences[0].hex_outputs[0] + expected.inferences[1].hex_outputs[0]);

    both.pop_back();
    write_bytes(folder.path() / "short", both);
    EXPECT_EQ(exit_status(here + "build/classifier_main < short > out 2> err"), 1);
    EXPECT_EQ(hex(read_bytes(folder.path() / "out")), expected.inferences[0].hex_outputs[0]);
    EXPECT_NE(read_bytes(folder.path() / "err").find("ends in the middle"), std::string::npos);
}

TEST(NativeProject, ConstantsGoWhereTheMacroSays) {
    const test::ScratchFolder folder("section");
    test::write_files(generated("classifier"), folder.path());
    EXPECT_EQ(exit_status("cd '" + folder.path().string() +
                          "' && gcc -std=c11 -Werror '-DCLASSIFIER_CONST=__attribute__((section(\".model\")))' -c "
                          "classifier_fully_connected_03_weights.c -o w.o && objdump -h w.o | grep -q ' \\.model '"),
              0);
}

TEST(NativeProject, GivesTheSameOnBothCompilersAtAnyOptimisation) {
    for (const test::SmallGraph& small : test::small_graphs()) {
        const generate::GeneratedCode code = generated(small.name);
        std::int64_t input_bytes = 0;
        for (const generate::EntryParameter& p : code.parameters) {
            input_bytes += p.role == generate::EntryParameter::Role::input ? p.bytes : 0;
        }
        const test::ScratchFolder folder("compilers-" + small.name);
        std::vector<std::vector<std::uint8_t>> inputs{test::seeded_bytes(3, input_bytes),
                                                      test::seeded_bytes(4, input_bytes)};
        const auto reference =
            test::build_and_run(code, folder.path() / "a", "gcc -O0 -w", inputs, test::Units::one_in_all);
        ASSERT_EQ(reference.error, "") << small.name;
        int index = 0;
        for (const char* compiler : {"gcc -O3 -w", "clang-19 -O1 -w -fsanitize=address,undefined"}) {
            const auto other = test::build_and_run(code, folder.path() / std::to_string(index++), compiler, inputs,
                                                   test::Units::one_in_all);
            ASSERT_EQ(other.error, "") << small.name << ", " << compiler;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                EXPECT_EQ(other.inferences[i].operators, reference.inferences[i].operators)
                    << small.name << ", " << compiler;
                EXPECT_EQ(other.inferences[i].outputs, reference.inferences[i].outputs)
                    << small.name << ", " << compiler;
            }
        }
    }
}

TEST(NativeProject, OneChangedRoundingIsSeen) {
    generate::GeneratedCode code = generated("convolutions");
    const std::vector<std::vector<std::uint8_t>> inputs{test::seeded_bytes(5, 84)};
    const test::ScratchFolder folder("changed");
    const auto right = test::build_and_run(code, folder.path() / "right", "gcc -O1 -w", inputs);
    std::string& arithmetic = code.files.at("convolutions_arithmetic.h");
    const std::string rounding = "> threshold ? 1 : 0";
    ASSERT_NE(arithmetic.find(rounding), std::string::npos);
    arithmetic.replace(arithmetic.find(rounding), rounding.size(), "> threshold ? 0 : 0");
    const auto wrong = test::build_and_run(code, folder.path() / "wrong", "gcc -O1 -w", inputs);
    ASSERT_EQ(right.error, "");
    ASSERT_EQ(wrong.error, "");
    EXPECT_NE(right.inferences[0].operators, wrong.inferences[0].operators);
}

}  // namespace
}  // namespace metamorph
