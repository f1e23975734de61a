// TensorFlow Lite Micro's interpreter, from the crate tfmicro: golden outputs of the public models here, and the proof
// on the emulated Cortex-M4. Skips where the crate or a compiler cannot be had. What needs no crate (refusals, the
// cache of the library) works on a tree that the test writes.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "generate/driver/driver.h"
#include "generate/driver/opaque_archive.h"
#include "peers/installed_framework.h"
#include "pipeline/inputs.h"
#include "pipeline/process_libraries.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

const fs::path k_source = METAMORPH_SOURCE_DIR;
const fs::path k_digits = k_source / "models/digits/digits_int8.tflite";

ProcessOutcome run(std::vector<std::string> argv, const std::string& input = {}, const fs::path& folder = {}) {
    ProcessRequest request;
    request.argv = std::move(argv);
    request.input = input;
    request.directory = folder;
    request.timeout = std::chrono::minutes(5);
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome.has_value());
    return outcome ? *outcome : ProcessOutcome{};
}

generate::DriverRequest request_for(const fs::path& model) {
    generate::DriverRequest request;
    request.model = model;
    request.prefix = "net";
    return request;
}

class Tflm : public testing::Test {
protected:
    void need_crate() {
        const std::string why = test::make_ready(app::find_framework("tflm").value());
        if (!why.empty()) {
            GTEST_SKIP() << "the crate tfmicro is not to be had: " << why;
        }
    }
    void need_cross_compiler() {
        if (!run({"sh", "-c", "echo '#include <cstdint>' | arm-none-eabi-g++ -fsyntax-only -x c++ -"}).succeeded()) {
            GTEST_SKIP() << "arm-none-eabi-g++ or libstdc++-arm-none-eabi-dev is not installed";
        }
    }
};

class TflmGolden : public Tflm, public testing::WithParamInterface<const char*> {};

TEST_P(TflmGolden, OutputsAreThoseOfTheReferenceKernels) {
    const char* zoo = std::getenv("METAMORPH_MODEL_ZOO");
    if (zoo == nullptr) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    need_crate();
    if (IsSkipped()) {
        return;
    }
    const auto code = pipeline::generate_code(app::find_framework("tflm").value(),
                                              request_for(fs::path(zoo) / (std::string(GetParam()) + ".tflite")));
    ASSERT_TRUE(code.has_value()) << describe(code.error());
    const auto archive = generate::build_archive(*code, nullptr, "gcc", {});
    ASSERT_TRUE(archive.has_value()) << describe(archive.error());

    std::ifstream file(fs::path(zoo) / "golden" / (std::string(GetParam()) + ".json"));
    const nlohmann::json golden = nlohmann::json::parse(file);
    const auto bytes = golden.at("input_bytes").at(0).get<std::size_t>();
    std::string inputs, expected;
    for (const nlohmann::json& one : golden.at("cases")) {
        inputs += pipeline::random_inputs(one.at("seed").get<std::uint64_t>(), bytes);
        for (const nlohmann::json& value : one.at("outputs").at(0)) {
            expected += static_cast<char>(value.get<int>());
        }
    }
    ASSERT_GE(golden.at("cases").size(), 2U);
    const ScratchFolder scratch = ScratchFolder::make("metamorph-tflm").value();
    ASSERT_TRUE(write_files(scratch.path(), code->files));
    ASSERT_TRUE(write_files(
        scratch.path(),
        {{"net.a", *archive},
         {"main.c", fmt::format("#include <stdint.h>\n#include <stdio.h>\nvoid net_infer(const int8_t *, int8_t *);\n"
                                "static int8_t x[{}], y[{}];\nint main(void)\n{{\n    while (fread(x, sizeof x, 1, "
                                "stdin) == 1) {{\n        net_infer(x, y);\n        fwrite(y, sizeof y, 1, stdout);\n"
                                "    }}\n    return 0;\n}}\n",
                                bytes, expected.size() / golden.at("cases").size())}}));
    const ProcessOutcome built =
        run({"gcc", "-std=c11", "-O2", "main.c", "net.c", "net.a", "-lm", "-o", "net"}, {}, scratch.path());
    ASSERT_TRUE(built.succeeded()) << built.errors;
    const ProcessOutcome done = run({(scratch.path() / "net").string()}, inputs);
    ASSERT_TRUE(done.succeeded()) << done.print();
    EXPECT_TRUE(done.output == expected);
}

INSTANTIATE_TEST_SUITE_P(Models, TflmGolden,
                         testing::Values("ad01_int8", "hello_world_int8", "kws_ref_model", "pretrainedResnet_quant"),
                         [](const auto& model) { return std::string(model.param); });

TEST_F(Tflm, DigitsAreProvenOnTheCortexM4) {
    need_crate();
    need_cross_compiler();
    if (IsSkipped()) {
        return;
    }
    const ProcessOutcome proof = run({METAMORPH_PROGRAM, "verify", k_digits.string(), "--generator", "tflm", "--tasks",
                                      "layer", "--device", "cortex-m4-mapped", "--inferences", "2"});
    EXPECT_NE(proof.output.find("proven: after any number of power cuts"), std::string::npos)
        << proof.output << proof.errors;
    EXPECT_NE(proof.errors.find("its 7 operators are one step"), std::string::npos) << proof.errors;
    const ProcessOutcome small = run({METAMORPH_PROGRAM, "verify", k_digits.string(), "--generator", "tflm", "--option",
                                      "arena=3000", "--device", "cortex-m4-mapped"});
    EXPECT_FALSE(small.succeeded());
    EXPECT_NE(small.errors.find("the plain program does not end as it should"), std::string::npos) << small.errors;
}

// The interpreter is kept in SRAM until power is lost, and made anew then.
TEST_F(Tflm, OneSetUpABootIsProven) {
    const char* zoo = std::getenv("METAMORPH_MODEL_ZOO");
    if (zoo == nullptr) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    need_crate();
    need_cross_compiler();
    if (IsSkipped()) {
        return;
    }
    const auto instructions = [&](const std::string& setup) {
        const ProcessOutcome proof =
            run({METAMORPH_PROGRAM, "verify", (fs::path(zoo) / "hello_world_int8.tflite").string(), "--generator",
                 "tflm", "--device", "cortex-m4-mapped", "--inferences", "2", "--option", "setup=" + setup, "--json"});
        EXPECT_TRUE(proof.succeeded()) << proof.output << proof.errors;
        const nlohmann::json document = nlohmann::json::parse(proof.output, nullptr, false);
        return document.at("devices").at(0).at("plain_each").at("instructions").get<std::int64_t>();
    };
    EXPECT_LT(instructions("boot"), instructions("inference") / 2) << "the second inference makes nothing";
}

TEST_F(Tflm, WhatCannotBeIsToldBeforeAnythingIsBuilt) {
    need_crate();
    if (IsSkipped()) {
        return;
    }
    const ScratchFolder scratch = ScratchFolder::make("metamorph-tflm").value();
    const auto told = [&](const std::string& arena, std::vector<std::string> more) {
        std::vector<std::string> argv{METAMORPH_PROGRAM, "weave", k_digits.string(),
                                      "--generator",     "tflm",  "--option",
                                      "arena=" + arena,  "-o",    (scratch.path() / "out").string()};
        argv.insert(argv.end(), more.begin(), more.end());
        const ProcessOutcome outcome = run(argv);
        EXPECT_FALSE(outcome.succeeded());
        EXPECT_FALSE(fs::exists(scratch.path() / "out"));
        return outcome.errors;
    };
    const std::string arena = told("many", {});
    EXPECT_NE(arena.find("option arena: 'many' is no number of bytes"), std::string::npos) << arena;
    if (find_program("riscv64-unknown-elf-g++")) {
        const std::string riscv = told("8192", {"--device", "rv32imc-mapped"});
        EXPECT_NE(riscv.find("not for rv32imc-mapped with gcc: it is C++"), std::string::npos) << riscv;
    }
    const std::string sram = told("400000", {"--device", "cortex-m4-mapped"});
    EXPECT_NE(sram.find("B of SRAM and the device has 262144 B"), std::string::npos) << sram;
    const std::string tasks = told("8192", {"--tasks", "2"});
    EXPECT_NE(tasks.find("2 tasks cannot be made of 1 layers"), std::string::npos) << tasks;
}

// A tree in which what the scripts look at is there, and little else.
class TflmTree : public testing::Test {
protected:
    void SetUp() override {
        if (!find_program("python3")) {
            GTEST_SKIP() << "python3 is not installed";
        }
        write("tree/tensorflow/lite/micro/kernels/micro_ops.h",
              "Register_CONV_2D();\nRegister_AVERAGE_POOL_2D();\nRegister_DEPTHWISE_CONV_2D();\n"
              "Register_FULLY_CONNECTED();\nRegister_RESHAPE();\n");
        write("tree/tensorflow/lite/micro/kernels/all_ops_resolver.cc",
              "AddBuiltin(BuiltinOperator_CONV_2D, Register_CONV_2D(), 1, 3);\n");
        write(
            "tree/tensorflow/lite/schema/schema_generated.h",
            "BuiltinOperator_AVERAGE_POOL_2D = 1, BuiltinOperator_CONV_2D = 3, BuiltinOperator_DEPTHWISE_CONV_2D = 4,\n"
            "BuiltinOperator_FULLY_CONNECTED = 9, BuiltinOperator_RESHAPE = 22, BuiltinOperator_SOFTMAX = 25,\n");
        for (const char* include : {"flatbuffers/include", "gemmlowp", "ruy"}) {
            fs::create_directories(folder() / "tree/tensorflow/lite/micro/tools/make/downloads" / include);
        }
    }
    fs::path folder() const { return m_scratch.path(); }
    void write(const std::string& path, const std::string& text) const {
        fs::create_directories((folder() / path).parent_path());
        std::ofstream(folder() / path) << text;
    }
    std::string refusal(const fs::path& model = k_digits) const {
        generate::DriverRequest request = request_for(model);
        request.options = {{"source", (folder() / "tree").string()}};
        request.find_archive = [](const generate::LibraryNeed& need, const app::Device*) -> Result<fs::path> {
            return need.tree / "not-built.a";  // the script looks at the tree first
        };
        const auto code = generate::run_generator(app::find_framework("tflm").value(), request);
        EXPECT_FALSE(code.has_value());
        EXPECT_EQ(code.error().code, ErrorCode::model) << describe(code.error());
        return code.error().message;
    }

    ScratchFolder m_scratch = ScratchFolder::make("metamorph-tflm").value();
};

TEST_F(TflmTree, OperatorsThatItLacksAreToldByName) {
    EXPECT_EQ(refusal(), "this interpreter has no SOFTMAX, which the model uses");
    write("tree/tensorflow/lite/micro/kernels/all_ops_resolver.cc",
          "AddBuiltin(BuiltinOperator_CONV_2D, Register_CONV_2D(),\n           /* min */ 1, /* max */ 2);\n");
    EXPECT_EQ(refusal(), "this interpreter knows CONV_2D up to version 2; the model uses version 3");
    fs::remove(folder() / "tree/tensorflow/lite/micro/kernels/micro_ops.h");
    EXPECT_EQ(refusal(),
              "the source tree has no tensorflow/lite/micro/kernels/micro_ops.h; trees like that of the cargo "
              "package tfmicro 0.1.0 are understood");
    fs::remove_all(folder() / "tree/tensorflow");
    EXPECT_EQ(refusal(),
              "there is no folder tensorflow/lite/micro in the source tree: name the one that holds 'tensorflow'");
}

TEST_F(TflmTree, DamagedModelsAreRefused) {
    const auto bytes = read_file(k_digits, 1 << 20).value();
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    write("short.tflite", text.substr(0, text.size() / 2));
    EXPECT_EQ(refusal(folder() / "short.tflite"), "the file is damaged: a reference leads out of it");
    text[5] = 'X';
    write("other.tflite", text);
    EXPECT_EQ(refusal(folder() / "other.tflite"), "this is no TensorFlow Lite file: it does not begin with TFL3");
}

// Of a tree of one's own all that the library's description does not find is told by name, before anything is compiled.
TEST_F(TflmTree, SourcesThatItLacksAreToldByName) {
    write("tree/tensorflow/lite/c/common.cc", "");
    generate::DriverRequest request = request_for(k_digits);
    request.options = {{"source", (folder() / "tree").string()}};
    const auto code = pipeline::generate_code(app::find_framework("tflm").value(), request);
    ASSERT_FALSE(code.has_value());
    EXPECT_EQ(code.error().code, ErrorCode::options) << describe(code.error());
    for (const char* pattern : {"tensorflow/lite/c/common.c", "tensorflow/lite/micro/memory_planner/*.cc"}) {
        EXPECT_NE(code.error().message.find(pattern), std::string::npos) << describe(code.error());
    }
}

// The library is the store's: who weaves again compiles the application alone.
TEST_F(Tflm, ALibraryThatIsStoredIsNotBuiltAgain) {
    need_crate();
    if (IsSkipped()) {
        return;
    }
    const ScratchFolder scratch = ScratchFolder::make("metamorph-tflm").value();
    const auto woven = [&](const std::string& store) {
        ProcessRequest request;
        request.argv = {METAMORPH_PROGRAM,
                        "weave",
                        k_digits.string(),
                        "--generator",
                        "tflm",
                        "-o",
                        (scratch.path() / "out").string(),
                        "--json"};
        if (!store.empty()) {
            request.environment = {{"METAMORPH_STORE", store}};
        }
        const ProcessOutcome outcome = run_process(request).value();
        EXPECT_TRUE(outcome.succeeded()) << outcome.output << outcome.errors;
        return nlohmann::json::parse(outcome.output);
    };
    woven("");
    const nlohmann::json again = woven("");
    ASSERT_EQ(again.at("libraries").size(), 1U) << "of this machine; the host's project links the same";
    EXPECT_EQ(again.at("libraries")[0].at("name"), "tflm");
    EXPECT_EQ(again.at("libraries")[0].at("outcome"), "hit");
}

}  // namespace
}  // namespace metamorph
