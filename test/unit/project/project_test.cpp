// metamorph.toml: what is read, and what is refused with its line and column.
#include "project/project.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "util/interrupt.h"

namespace metamorph::project {
namespace {

namespace fs = std::filesystem;

class ProjectTest : public testing::Test {
protected:
    void SetUp() override {
        for (const char* name : {"a.tflite", "a.onnx", "in.bin", "out.bin", "board.toml"}) {
            std::ofstream(m_scratch.path() / name) << "x";
        }
        fs::create_directories(m_scratch.path() / "frameworks/mine");
        std::ofstream(m_scratch.path() / "frameworks/mine/framework.toml") << "x";
    }
    fs::path file() const { return m_scratch.path() / "metamorph.toml"; }
    Result<Project> read(const std::string& text) const { return read_project(text, file()); }

    const ScratchFolder m_scratch = ScratchFolder::make("metamorph-project").value();
};

constexpr const char* k_smallest = "[[model]]\nname = \"a\"\nfiles = [\"a.tflite\"]\n[matrix]\ndevice = \"host\"\n";

TEST_F(ProjectTest, TheSmallestHasDefaults) {
    const auto project = read(k_smallest);
    ASSERT_TRUE(project) << describe(project.error());
    EXPECT_EQ(project->folder, m_scratch.path());
    EXPECT_EQ(project->models.at(0).files.at(0), m_scratch.path() / "a.tflite");
    EXPECT_EQ(project->generators.at(0).generator, "native");
    EXPECT_EQ(project->axes.at(Axis::model), std::vector<std::string>{"a"});
    EXPECT_EQ(project->axes.at(Axis::generator), std::vector<std::string>{"native"});
    EXPECT_EQ(project->axes.at(Axis::toolchain), std::vector<std::string>{"gcc"});
    EXPECT_EQ(project->axes.at(Axis::tasks), std::vector<std::string>{"layer"});
    EXPECT_EQ(project->inferences, 1);
    EXPECT_EQ(project->limits.stage_seconds, 600U);
}

TEST_F(ProjectTest, AllOfIt) {
    const auto project = read(R"(
[[model]]
name = "a"
files = ["a.onnx", "a.tflite"]
inputs = "in.bin"
expected = "out.bin"
expected_type = "float32"
tolerance = 0.5
[[generator]]
name = "tuned"
generator = "tflm"
options = { arena = "9000", source = "./frameworks" }
[[generator]]
name = "mine"
[matrix]
device = ["host", "./board.toml"]
toolchain = ["gcc", "clang"]
tasks = ["whole", "3,3", "4"]
[[matrix.include]]
device = "rv32imc-spi"
[[matrix.exclude]]
device = "host"
tasks = ["4"]
why = "too fine"
[group.quick]
device = "host"
[run]
inferences = 3
seed = 9
depth = 2
[limits]
stage_seconds = 5
memory_mib = 100
)");
    ASSERT_TRUE(project) << describe(project.error());
    EXPECT_TRUE(project->models[0].is_expected_float);
    EXPECT_EQ(project->models[0].tolerance, 0.5);
    EXPECT_EQ(project->models[0].expected, m_scratch.path() / "out.bin");
    const std::vector<std::pair<std::string, std::string>> options{
        {"arena", "9000"}, {"source", (m_scratch.path() / "frameworks").string()}};
    EXPECT_EQ(project->generators[0].options, options);
    EXPECT_EQ(project->generators[1].generator, (m_scratch.path() / "frameworks/mine/framework.toml").string());
    EXPECT_EQ(project->axes.at(Axis::device)[1], (m_scratch.path() / "board.toml").string());
    EXPECT_EQ(project->includes.at(0).values.at(Axis::device), std::vector<std::string>{"rv32imc-spi"});
    EXPECT_EQ(project->excludes.at(0).why, "too fine");
    EXPECT_TRUE(project->groups.contains("quick"));
    EXPECT_EQ(project->inferences, 3);
    EXPECT_EQ(project->seed, 9U);
    EXPECT_EQ(project->depth, 2);
    EXPECT_EQ(project->limits.stage_seconds, 5U);
    EXPECT_EQ(project->limits.memory_mib, 100U);
}

struct Wrong {
    const char* text;  // "@" stands for k_smallest
    const char* place;
    const char* message;
    const char* hint;  // a part of it
};

TEST_F(ProjectTest, WhatIsWrongIsToldWithLineAndColumn) {
    const std::vector<Wrong> wrongs{
        {"x = = 1", ":1:5", "this is not TOML: ", "docs/project.md"},
        {"@\n[limit]\n", ":7:2", "there is no key 'limit' here", "did you mean 'limits'?"},
        {"[matrix]\ndevice = \"host\"\n", "", "'model' is missing", ""},
        {"[[model]]\nname = \"a\"\nfiles = [\"a.tflite\"]\n", "", "'matrix' is missing", ""},
        {"[[model]]\nname = \"a\"\nfiles = [\"a.tflite\"]\n[matrix]\n", ":4:1", "'matrix.device' is missing", ""},
        {"[[model]]\nname = \"a\"\nfiels = [\"a.tflite\"]\n", ":3:1", "there is no key 'model[0].fiels' here",
         "did you mean 'files'?"},
        {"[[model]]\nname = \"a\"\nfiles = []\n", ":3:1", "'model[0].files' has no file", "name one at least"},
        {"[[model]]\nname = \"a\"\nfiles = [\"b.tflite\"]\n", ":3:1", "there is no file 'b.tflite'", "paths are from"},
        {"[[model]]\nname = \"a/b\"\nfiles = [\"a.tflite\"]\n", ":2:1", "'a/b' cannot be a name", "letters, digits"},
        {"[[model]]\nname = \"a\"\nfiles = [\"a.tflite\"]\ntolerance = \"x\"\n", ":4:1", "", ""},
        {"[[model]]\nname = \"a\"\nfiles = [\"a.tflite\"]\nexpected = \"out.bin\"\n", ":4:1",
         "outputs are expected, and the inputs that give them are not named", "add inputs"},
        {"[[model]]\nname = \"a\"\nfiles = [\"a.tflite\"]\n[[model]]\nname = \"a\"\nfiles = [\"a.tflite\"]\n", ":5:1",
         "'a' is there twice", "a name of its own"},
        {"@\n[[generator]]\nname = \"nativ\"\n", ":8:1", "there is no generator 'nativ'", "did you mean 'native'?"},
        {"@\n[[generator]]\nname = \"x\"\ngenerator = \"./y.toml\"\n", ":9:1", "there is no description './y.toml'",
         ""},
        {"@\n[[generator]]\nname = \"tflm\"\noptions = { arean = \"1\" }\n", ":9:13",
         "there is no key 'generator[0].options.arean' here", "did you mean 'arena'?"},
        {"@\n[[generator]]\nname = \"native\"\noptions = { a = \"1\" }\n", ":9:13", "'native' has no options", ""},
        {"@\n[[generator]]\nname = \"tflm\"\noptions = { source = \"./none\" }\n", ":9:13", "there is no file './none'",
         ""},
        {"@tasks = \"layr\"\n", ":6:1", "'layr' is no split into tasks", "\"layer\""},
        {"@tasks = [\"3,,3\"]\n", ":6:1", "'3,,3' is no split into tasks", "3,3,3"},
        {"@tasks = []\n", ":6:1", "'matrix.tasks' has no value", ""},
        {"@tasks = [\"3\", \"3\"]\n", ":6:1", "'3' is there twice", "once"},
        {"@toolchain = \"gc\"\n", ":6:1", "there is no toolchain 'gc'", "did you mean 'gcc'?"},
        {"@model = \"b\"\n", ":6:1", "there is no model 'b' in the project", "did you mean 'a'?"},
        {"@generator = \"tflm\"\n", ":6:1", "there is no generator 'tflm' in the project", "there are native"},
        {"@[[matrix.include]]\ndevice = \"rv32imc-spy\"\n", ":7:1", "there is no device 'rv32imc-spy'",
         "did you mean 'rv32imc-spi'?"},
        {"@[[matrix.include]]\nwhy = \"x\"\n", ":7:1", "there is no key 'matrix.include[0].why' here", ""},
        {"@[[matrix.exclude]]\nwhy = \"x\"\n", ":6:1", "nothing is named here", "name values of model"},
        {"@[[matrix.exclude]]\ndevice = \"./none.toml\"\n", ":7:1", "there is no file './none.toml'", ""},
        {"@[run]\ninferences = 0\n", ":7:1", "", "1"},
        {"@[run]\nseed = -1\n", ":7:1", "", ""},
        {"@[limits]\nmemory_mib = 1.5\n", ":7:1", "", ""},
        {"@[group.x]\n", ":6:1", "nothing is named here", ""},
    };
    for (const Wrong& wrong : wrongs) {
        std::string text = wrong.text;
        if (text.starts_with("@")) {
            text = k_smallest + text.substr(1);
        }
        const auto project = read(text);
        ASSERT_FALSE(project) << text;
        const Error& error = project.error();
        EXPECT_EQ(error.code, ErrorCode::options) << text;
        EXPECT_NE(error.message.find(wrong.message), std::string::npos) << text << error.message;
        EXPECT_TRUE(error.where.starts_with(file().string())) << text << error.where;
        if (*wrong.place != '\0') {
            EXPECT_EQ(error.where.substr(file().string().size()), wrong.place) << text << error.message;
        }
        EXPECT_NE(error.hint.find(wrong.hint), std::string::npos) << text << error.hint;
    }
}

TEST_F(ProjectTest, WithoutAFileItIsToldWhatMakesOne) {
    const auto project = load_project(m_scratch.path() / "none.toml");
    ASSERT_FALSE(project);
    EXPECT_NE(project.error().hint.find("metamorph init"), std::string::npos);
}

TEST_F(ProjectTest, WhatInitWritesLoads) {
    for (const std::string name : {"a.tflite", "a.onnx", "net.tflite"}) {
        std::ofstream(m_scratch.path() / name) << "x";
    }
    for (const std::vector<std::string>& models :
         {std::vector<std::string>{}, {"a.tflite"}, {"a.tflite", "a.onnx", "net.tflite"}}) {
        const auto project = read(project_template(models));
        ASSERT_TRUE(project) << describe(project.error());
        EXPECT_EQ(project->models.size(), std::max<std::size_t>(models.size(), 1));
    }
}

// What stands there behind '#' is what a beginner uncomments: that must load, too.
TEST_F(ProjectTest, WhatInitCommentsOutLoadsOnceItIsThere) {
    for (const char* name : {"net.tflite", "inputs.bin", "expected.bin"}) {
        std::ofstream(m_scratch.path() / name) << "x";
    }
    std::istringstream lines(project_template({}));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        const bool is_example = line.starts_with("# ") && line.find(" = ") != std::string::npos;
        if ((is_example && line.find("…") == std::string::npos) || line.starts_with("# [")) {
            line.erase(0, 2);
        }
        text += line + "\n";
    }
    const auto project = read(text);
    ASSERT_TRUE(project) << describe(project.error()) << text;
    EXPECT_EQ(project->generators.size(), 2U);
    EXPECT_EQ(project->includes.size(), 1U);
    EXPECT_EQ(project->excludes.size(), 1U);
    EXPECT_EQ(project->groups.size(), 1U);
    EXPECT_EQ(project->limits.memory_mib, 4096U);
}

}  // namespace
}  // namespace metamorph::project
