// frameworks/tvm/export.py with the real TVM: what it writes compiles without a warning, is the same every time, and
// computes what TVM's own virtual machine computes. Skips where apache-tvm cannot be installed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

const std::string k_root = METAMORPH_SOURCE_DIR;
const std::string k_digits = k_root + "/models/digits/";

ProcessOutcome run(std::vector<std::string> argv, std::vector<std::pair<std::string, std::string>> environment = {}) {
    ProcessRequest request;
    request.environment = std::move(environment);
    request.argv = std::move(argv);
    request.timeout = std::chrono::minutes(9);
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome);
    return outcome ? *outcome : ProcessOutcome{};
}

std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        files[entry.path().filename()] = {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    return files;
}

class TvmPeer : public testing::Test {
protected:
    void SetUp() override {
        const ProcessOutcome python =
            run({k_root + "/test/peers/reference-python", k_root + "/test/peers/tvm/requirements.txt"});
        if (!python.succeeded()) {
            GTEST_SKIP() << "apache-tvm from PyPI is not to be had: " << python.errors;
        }
        m_python = python.output.substr(0, python.output.find('\n'));
        m_folder.emplace(ScratchFolder::make("metamorph-tvm").value());
    }

    fs::path folder() const { return m_folder->path(); }

    std::string network(const std::string& name) const {
        const std::string path = folder() / (name + ".onnx");
        const ProcessOutcome made = run({m_python, k_root + "/test/peers/tvm/networks.py", name, path});
        EXPECT_TRUE(made.succeeded()) << made.errors;
        return path;
    }

    ProcessOutcome export_model(const std::string& model, const fs::path& output,
                                std::vector<std::string> options = {}) const {
        options.insert(options.begin(),
                       {m_python, k_root + "/frameworks/tvm/export.py", model, "--output", output, "--prefix", "net"});
        return run(options);
    }

    // Exports the model, compiles it, and gives what compare.py found. Null after a failure.
    nlohmann::json compared(const std::string& model, std::vector<std::string> options = {},
                            const std::vector<std::string>& more = {}) const {
        const fs::path output = folder() / "net", library = folder() / "net.so";
        fs::remove_all(output);
        const ProcessOutcome exported = export_model(model, output, std::move(options));
        EXPECT_TRUE(exported.succeeded()) << exported.errors;
        std::vector<std::string> sources;
        for (const auto& entry : fs::directory_iterator(output)) {
            if (entry.path().extension() == ".c") {
                sources.push_back(entry.path());
            }
        }
        const auto compile = [&](std::vector<std::string> command) {
            command.insert(command.end(), {"-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"});
            command.insert(command.end(), sources.begin(), sources.end());
            const ProcessOutcome compiled = run(command);
            EXPECT_TRUE(compiled.succeeded()) << command[0] << compiled.errors;
        };
        compile({"clang-19", "-fsyntax-only"});
        if (find_program("arm-none-eabi-gcc")) {
            compile({"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-fsyntax-only"});
        }
        // Sums in TVM's virtual machine are not fused with products, either.
        compile({"gcc", "-shared", "-fPIC", "-ffp-contract=off", "-o", library, "-lm"});
        std::vector<std::string> command{m_python, k_root + "/test/peers/tvm/compare.py", model, output, library};
        command.insert(command.end(), more.begin(), more.end());
        const ProcessOutcome done = run(command);
        EXPECT_TRUE(done.succeeded()) << done.errors;
        return done.succeeded() ? nlohmann::json::parse(done.output, nullptr, false) : nlohmann::json();
    }

    std::string m_python;
    std::optional<ScratchFolder> m_folder;
};

const std::vector<std::string> k_heldout{"--images", k_digits + "digits_heldout.bin"};

TEST_F(TvmPeer, FloatDigitsAreTvmsOwnBitForBit) {
    const nlohmann::json report = compared(k_digits + "digits_float.onnx", {}, k_heldout);
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["inferences"], 360);
    EXPECT_EQ(report["to_tvm"]["probabilities"], 0.0);
    EXPECT_LT(report["to_onnxruntime"]["probabilities"], 1e-5);
    EXPECT_EQ(report["right"]["c"], 356);
    EXPECT_EQ(report["right"]["onnxruntime"], 356);
}

TEST_F(TvmPeer, QdqDigitsAreTvmsOwnBitForBit) {
    const nlohmann::json report = compared(k_digits + "digits_qdq.onnx", {}, k_heldout);
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["to_tvm"]["probabilities"], 0.0);
    EXPECT_LE(report["to_onnxruntime"]["probabilities"], 2.0 / 256);  // sums differ in their order: ties may differ
    EXPECT_EQ(report["right"]["c"], 356);
}

TEST_F(TvmPeer, AConvolutionalNetworkWithResidualsIsTvmsOwn) {
    const std::string model = network("residual");
    std::map<std::string, std::int64_t> workspace;
    for (const char* schedule : {"compact", "plain"}) {
        const nlohmann::json report = compared(model, {"--schedule", schedule});
        ASSERT_TRUE(report.is_object());
        EXPECT_EQ(report["to_tvm"]["sums"], 0.0) << schedule;
        EXPECT_LT(report["to_onnxruntime"]["sums"], 1e-5) << schedule;
        EXPECT_LT(report["to_onnxruntime"]["probabilities"], 1e-5) << schedule;
        const nlohmann::json sizes = nlohmann::json::parse(contents(folder() / "net")["net.json"])["workspace"];
        workspace[schedule] = sizes["bytes"];
        EXPECT_LE(sizes["bytes"], sizes["alive_bytes"].get<double>() * 1.2) << schedule;
    }
    EXPECT_LT(workspace["compact"], workspace["plain"]);
    EXPECT_EQ(workspace["compact"], 203136) << "the three tensors of a layer with a residual, and three rows";
}

// Its tensors fill the SRAM of the device: a temporary more, and some would have to live in NVM.
TEST_F(TvmPeer, AConvolutionalNetworkWithResidualsWritesToNvmWhatCrosses) {
    const std::string path = fs::path(m_python).parent_path().string() + ":" + std::getenv("PATH");
    const ProcessOutcome woven = run({METAMORPH_PROGRAM, "weave", network("residual"), "--generator", "tvm", "--tasks",
                                      "2", "--device", "cortex-m4-mapped", "-o", folder() / "app", "--json"},
                                     {{"METAMORPH_VENVS", folder() / "venvs"}, {"PATH", path}});
    ASSERT_TRUE(woven.succeeded()) << woven.errors;
    const nlohmann::json summary = nlohmann::json::parse(woven.output, nullptr, false);
    EXPECT_EQ(summary["crossing_bytes"], 32848);
    EXPECT_EQ(summary["data_bytes_written"], 32848);
}

TEST_F(TvmPeer, SeveralInputsAndOutputsOfSeveralTypes) {
    const nlohmann::json report = compared(network("branches"));
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["to_tvm"].size(), 4);
    for (const char* against : {"to_tvm", "to_onnxruntime"}) {
        EXPECT_LT(report[against]["flat"], 2e-6);  // TVM's own tanh is no library's
        for (const char* output : {"coded", "above", "as_given"}) {
            EXPECT_EQ(report[against][output], 0.0) << against << output;
        }
    }
}

TEST_F(TvmPeer, TheSameModelGivesTheSameBytes) {
    for (const char* name : {"one", "two"}) {
        const ProcessOutcome exported = export_model(k_digits + "digits_qdq.onnx", folder() / name);
        ASSERT_TRUE(exported.succeeded()) << exported.errors;
    }
    const auto one = contents(folder() / "one");
    EXPECT_EQ(one, contents(folder() / "two"));
    EXPECT_EQ(one.size(), 7);
    for (const auto& [name, text] : one) {
        EXPECT_EQ(text.find(k_root), std::string::npos) << name;
        EXPECT_EQ(text.find("include \"tvm"), std::string::npos) << name;
    }
}

TEST_F(TvmPeer, MetamorphRunsItAndSaysWhatIsWrongWithAModel) {
    // It finds no private environment, and TVM in the Python of this machine.
    const std::string path = fs::path(m_python).parent_path().string() + ":" + std::getenv("PATH");
    const auto generate = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {METAMORPH_PROGRAM, "generate", "--generator", "tvm", "-o", folder() / "out"});
        return run(options, {{"METAMORPH_VENVS", folder() / "venvs"}, {"PATH", path}});
    };
    const ProcessOutcome generated = generate({k_digits + "digits_float.onnx", "--option", "schedule=plain"});
    EXPECT_TRUE(generated.succeeded()) << generated.errors;
    EXPECT_NE(generated.output.find("tvm 0.27.0.post1; entry digits_float_run"), std::string::npos) << generated.output;
    const std::string header = contents(folder() / "out")["digits_float.h"];
    EXPECT_NE(header.find("uint8_t workspace[static 18688]);"), std::string::npos) << header;

    const ProcessOutcome refused = generate({network("open_shape")});
    EXPECT_EQ(refused.status, 3) << refused.errors;
    EXPECT_TRUE(refused.errors.starts_with("error: input 'image' has the shape [batch,1,8,8]")) << refused.errors;
}

TEST_F(TvmPeer, AnOpenDimensionIsAskedForAndThenServes) {
    const std::string model = network("open_shape");
    const ProcessOutcome refused = export_model(model, folder() / "out");
    EXPECT_EQ(refused.status, 3);
    EXPECT_NE(refused.errors.find("input 'image' has the shape [batch,1,8,8]"), std::string::npos) << refused.errors;
    EXPECT_NE(refused.errors.find("input-shape image=1,1,8,8"), std::string::npos) << refused.errors;
    EXPECT_FALSE(fs::exists(folder() / "out"));
    const ProcessOutcome exported = export_model(model, folder() / "out", {"--input-shape", "image=1,1,8,8"});
    EXPECT_TRUE(exported.succeeded()) << exported.errors;
}

TEST_F(TvmPeer, WhatPlainCDoesNotHaveIsRefused) {
    std::ofstream(folder() / "rubbish.onnx") << "no model at all";
    struct Wrong {
        std::string model;
        std::vector<std::string> options;
        std::string message;
    };
    const Wrong wrong[] = {
        {network("largest"), {}, "the model needs 'relax.topk' of TVM at run time"},
        {network("text"), {}, "input 'words' has the element type string"},
        {folder() / "rubbish.onnx", {}, "is not an ONNX model"},
        {k_digits + "digits_float.onnx", {"--input-shape", "image=1,1,9,9"}, "does not fit the model's [1,1,8,8]"},
        {k_digits + "digits_float.onnx", {"--input-shape", "picture=1"}, "the model has no input 'picture'"}};
    for (const Wrong& each : wrong) {
        const ProcessOutcome refused = export_model(each.model, folder() / "out", each.options);
        EXPECT_EQ(refused.status, 3) << each.message;
        EXPECT_NE(refused.errors.find(each.message), std::string::npos) << refused.errors;
        const std::size_t last = refused.errors.rfind('\n', refused.errors.size() - 2);
        EXPECT_TRUE(refused.errors.substr(last + 1).starts_with("metamorph: ")) << refused.errors;
        EXPECT_FALSE(fs::exists(folder() / "out"));
    }
    // Not the model's fault.
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--input-shape", "image"}, {"--input-shape", "image=1,x"}, {"--prefix", "1st"}}) {
        const ProcessOutcome refused = export_model(k_digits + "digits_float.onnx", folder() / "out", options);
        EXPECT_EQ(refused.status, 2) << refused.errors;
        EXPECT_TRUE(refused.errors.starts_with("error: ")) << refused.errors;
    }
}

}  // namespace
}  // namespace metamorph
