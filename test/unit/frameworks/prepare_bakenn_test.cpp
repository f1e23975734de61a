// frameworks/bakenn/prepare.py changes how a model is written, and not what it means: our importer, which takes both
// ways of writing, finds the same network in both.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "graph/graph.h"
#include "import/import.h"
#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

const std::string k_root = METAMORPH_SOURCE_DIR;

ProcessOutcome prepare(const fs::path& model, const fs::path& prepared) {
    ProcessRequest request;
    request.argv = {"python3", k_root + "/frameworks/bakenn/prepare.py", model.string(), prepared.string()};
    request.timeout = std::chrono::seconds(60);
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome);
    return outcome ? *outcome : ProcessOutcome{};
}

std::string contents_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class PrepareBakenn : public testing::Test {
protected:
    fs::path folder() const { return m_scratch.path(); }
    void expect_same_meaning(const fs::path& model) {
        const ProcessOutcome done = prepare(model, folder() / "a.tflite");
        ASSERT_TRUE(done.succeeded()) << done.output << done.errors;
        auto before = import::import_file(model), after = import::import_file(folder() / "a.tflite");
        ASSERT_TRUE(before.has_value()) << describe(before.error());
        ASSERT_TRUE(after.has_value()) << describe(after.error());
        before->name = after->name;  // of their files
        EXPECT_EQ(graph::print(*after), graph::print(*before));
        ASSERT_EQ(after->tensors.size(), before->tensors.size());
        for (std::size_t i = 0; i < before->tensors.size(); ++i) {
            EXPECT_EQ(after->tensors[i].data, before->tensors[i].data) << before->tensors[i].name;
        }
        EXPECT_TRUE(prepare(folder() / "a.tflite", folder() / "b.tflite").succeeded());
        EXPECT_EQ(contents_of(folder() / "b.tflite"), contents_of(folder() / "a.tflite")) << "once is enough";
    }

    ScratchFolder m_scratch = ScratchFolder::make("metamorph-prepare").value();
};

TEST_F(PrepareBakenn, ReshapeGetsItsOptions) {
    const fs::path model = k_root + "/models/digits/digits_int8_logits.tflite";
    expect_same_meaning(model);
    EXPECT_NE(contents_of(folder() / "a.tflite"), contents_of(model));
}

TEST_F(PrepareBakenn, SignaturesAreFixed) {
    const char* zoo = std::getenv("METAMORPH_MODEL_ZOO");
    if (zoo == nullptr || *zoo == '\0') {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    for (const char* name : {"ad01_int8.tflite", "hello_world_int8.tflite"}) {
        expect_same_meaning(fs::path(zoo) / name);
    }
}

TEST_F(PrepareBakenn, WhatIsImpossibleIsTold) {
    const ProcessOutcome done = prepare(k_root + "/models/digits/digits_int8.tflite", folder() / "a.tflite");
    EXPECT_EQ(done.status, 3);
    EXPECT_EQ(done.output,
              "metamorph: bakenn has no SOFTMAX: operator 6 (SOFTMAX), which makes 'Identity'; end the network "
              "before it, in logits\n");
    EXPECT_FALSE(fs::exists(folder() / "a.tflite"));
}

// Cut off anywhere, a file is refused in one line, or taken.
TEST_F(PrepareBakenn, DamagedFilesAreRefused) {
    const std::string whole = contents_of(k_root + "/models/digits/digits_int8_logits.tflite");
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{5}, std::size_t{40}, std::size_t{700}, whole.size() / 2}) {
        std::ofstream(folder() / "cut.tflite", std::ios::binary) << whole.substr(0, bytes);
        const ProcessOutcome done = prepare(folder() / "cut.tflite", folder() / "a.tflite");
        EXPECT_EQ(done.errors, "") << bytes;
        EXPECT_EQ(done.status, 3) << bytes;
        EXPECT_TRUE(done.output.starts_with("metamorph: this ")) << done.output;
    }
}

}  // namespace
}  // namespace metamorph
