// The generators of frameworks/ with the real packages: installed as `doctor --install` does it, run by the driver,
// compiled, and compared: with the native generator, bit by bit, where both take the network; by the digits they read
// where not. Skips where a package cannot be had.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "framework_fixture.h"
#include "generate/driver/driver.h"
#include "generate/generator.h"
#include "import/import.h"
#include "peers/installed_framework.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

// Writes the files and a main that calls `call` on x and y (bytes as given) for each inference on standard input.
std::string outputs_of(const std::map<std::string, std::string>& files, const std::vector<std::string>& sources,
                       const std::vector<std::string>& flags, const std::string& prototype, const std::string& call,
                       std::size_t input_bytes, std::size_t output_bytes, const std::string& input) {
    const ScratchFolder scratch = ScratchFolder::make("metamorph-peers").value();
    const fs::path folder = scratch.path();
    for (const auto& [path, contents] : files) {
        EXPECT_TRUE(write_file_if_changed(folder / path, contents));
    }
    const std::string main = fmt::format(
        "#include <stdint.h>\n#include <stdio.h>\n{}\n"
        "static _Alignas(16) unsigned char x[{}], y[{}], arena[1 << 20];\n"
        "int main(void)\n{{\n    (void)arena;\n    while (fread(x, 1, sizeof x, stdin) == sizeof x) {{\n"
        "        {}\n        fwrite(y, 1, sizeof y, stdout);\n    }}\n    return 0;\n}}\n",
        prototype, input_bytes, output_bytes, call);
    EXPECT_TRUE(write_file_if_changed(folder / "peer_main.c", main));
    std::vector<std::string> argv{"cc", "-std=c11", "-O1", "-ffp-contract=off", "-o", (folder / "peer").string()};
    argv.insert(argv.end(), flags.begin(), flags.end());
    for (const std::string& source : sources) {
        argv.push_back((folder / source).string());
    }
    argv.insert(argv.end(), {"-I" + folder.string(), (folder / "peer_main.c").string(), "-lm"});
    for (std::string& argument : argv) {
        if (argument.starts_with("-I@")) {
            argument = "-I" + (folder / argument.substr(3)).string();
        }
    }
    run(argv);
    return run({(folder / "peer").string()}, input).output;
}

std::string foreign_outputs(const generate::ForeignCode& code, const std::string& prototype, const std::string& call,
                            std::size_t input_bytes, std::size_t output_bytes, const std::string& input) {
    std::vector<std::string> flags;
    for (const std::string& define : code.defines) {
        flags.push_back("-D" + define);
    }
    for (const std::string& folder : code.include_dirs) {
        flags.push_back("-I@" + folder);
    }
    return outputs_of(code.files, code.sources, flags, prototype, call, input_bytes, output_bytes, input);
}

std::string native_outputs(const fs::path& model, std::size_t input_bytes, std::size_t output_bytes,
                           const std::string& input) {
    const auto graph = import::import_file(model);
    EXPECT_TRUE(graph.has_value()) << describe(graph.error());
    generate::NativeOptions options;
    options.prefix = "native";
    const auto code = generate::generate_native(*graph, options);
    EXPECT_TRUE(code.has_value()) << describe(code.error());
    return outputs_of(
        code->files, code->sources, {"-I@" + code->include_dir}, fmt::format("#include \"{}\"", code->header),
        fmt::format("{}((const int8_t *)x, (int8_t *)y, arena);", code->entry), input_bytes, output_bytes, input);
}

// Of each fully connected layer, in order, as the native generator writes it: the fixed-point factor of its sums.
std::vector<std::string> native_multipliers(const fs::path& model) {
    const auto graph = import::import_file(model);
    EXPECT_TRUE(graph.has_value()) << describe(graph.error());
    const auto code = generate::generate_native(*graph, {});
    EXPECT_TRUE(code.has_value()) << describe(code.error());
    std::vector<std::string> multipliers;
    for (const auto& [path, text] : code->files) {
        const std::string call = "requantize(acc, ";
        if (const std::size_t at = text.find(call); at != std::string::npos) {
            multipliers.push_back(text.substr(at + call.size(), text.find(',', at + call.size()) - at - call.size()));
        }
    }
    return multipliers;
}

// Bytes that look random and are the same every time.
std::string noise(std::size_t bytes) {
    std::string text;
    std::uint32_t state = 1;
    while (text.size() < bytes) {
        state = state * 1664525U + 1013904223U;
        text += static_cast<char>(state >> 24U);
    }
    return text;
}

int right_of(const std::string& outputs, const std::string& labels) {
    EXPECT_EQ(outputs.size(), labels.size() * 10 * sizeof(float));
    int right = 0;
    for (std::size_t image = 0; image < labels.size() && outputs.size() == labels.size() * 40; ++image) {
        float values[10];
        std::memcpy(values, outputs.data() + image * sizeof values, sizeof values);
        right += std::max_element(values, values + 10) - values == labels[image] ? 1 : 0;
    }
    return right;
}

TEST_F(FrameworkPeer, BakennComputesWhatTheNativeGeneratorComputes) {
    need("bakenn");
    if (IsSkipped()) {
        return;
    }
    const fs::path model = k_digits / "digits_int8_logits.tflite";
    const std::string input = noise(200 * k_pixels), native = native_outputs(model, k_pixels, 10, input);
    ASSERT_EQ(native.size(), 2000U);
    for (const std::string kernels : {"portable", "cmsis-nn"}) {
        const generate::ForeignCode code = generated("bakenn", model, {{"kernels", kernels}});
        EXPECT_EQ(code.generator, "bakenn 1.0.0");
        EXPECT_EQ(code.entry, "bknn_net_infer");
        ASSERT_EQ(code.parameters.size(), 3U);
        EXPECT_EQ(code.parameters[1].bytes, 64);
        EXPECT_EQ(code.parameters[2].bytes, 10);
        EXPECT_TRUE(foreign_outputs(code, "#include \"bknn_net.h\"",
                                    "bknn_net_infer(arena, (const int8_t *)x, (int8_t *)y);", k_pixels, 10,
                                    input) == native)
            << kernels;
    }
}

TEST_F(FrameworkPeer, BakennTakesAnomalyDetectionOncePrepared) {
    const std::string zoo = variable("METAMORPH_MODEL_ZOO");
    if (zoo.empty()) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO is not set";
    }
    need("bakenn");
    if (IsSkipped()) {
        return;
    }
    const fs::path model = fs::path(zoo) / "ad01_int8.tflite";
    const std::string input = noise(std::size_t{20} * 640), native = native_outputs(model, 640, 640, input);
    ASSERT_EQ(native.size(), input.size());
    generate::ForeignCode code = generated("bakenn", model);
    const auto outputs = [&] {
        return foreign_outputs(code, "#include \"bknn_net.h\"",
                               "bknn_net_infer(arena, (const int8_t *)x, (int8_t *)y);", 640, 640, input);
    };
    const std::string bakenn = outputs();
    ASSERT_EQ(bakenn.size(), native.size());
    int different = 0, step = 0;
    for (std::size_t i = 0; i < native.size(); ++i) {
        const int distance = std::abs(static_cast<signed char>(bakenn[i]) - static_cast<signed char>(native[i]));
        different += distance > 0 ? 1 : 0;
        step = std::max(step, distance);
    }
    EXPECT_EQ(step, 1);
    EXPECT_EQ(different, 1) << "of " << native.size();
    // Why: the reference multiplies the scales of a fully connected layer's input and filter as floats, bakenn as
    // doubles, so their fixed-point multipliers differ by less than 1e-7. With the reference's, all is the same.
    const std::vector<std::string> multipliers = native_multipliers(model);
    ASSERT_EQ(multipliers.size(), 10U);
    std::string& weights = code.files.at("bknn_net_weights.c");
    for (std::size_t op = 0; op < multipliers.size(); ++op) {
        const std::size_t begin = weights.find(fmt::format("op{}_multiplier[", op));
        ASSERT_NE(begin, std::string::npos) << op;
        const std::size_t numbers = weights.find('{', begin) + 1, end = weights.find('}', begin);
        const auto count = std::count(weights.begin() + static_cast<std::ptrdiff_t>(numbers),
                                      weights.begin() + static_cast<std::ptrdiff_t>(end), ',') +
                           1;
        std::string same;
        for (std::ptrdiff_t i = 0; i < count; ++i) {
            same += multipliers[op] + ", ";
        }
        weights.replace(numbers, end - numbers, same);
    }
    EXPECT_TRUE(outputs() == native);
}

TEST_F(FrameworkPeer, BakennsImpossibleNetworksAreToldBeforeItRuns) {
    need("bakenn");
    if (IsSkipped()) {
        return;
    }
    generate::DriverRequest request;
    request.model = k_digits / "digits_int8.tflite";
    const auto code = generate::run_generator(app::find_framework("bakenn").value(), request);
    ASSERT_FALSE(code.has_value());
    EXPECT_EQ(code.error().code, ErrorCode::model);
    EXPECT_EQ(
        code.error().message,
        "bakenn has no SOFTMAX: operator 6 (SOFTMAX), which makes 'Identity'; end the network before it, in logits");
    EXPECT_EQ(code.error().where, "bakenn (prepare the model)");
}

TEST_F(FrameworkPeer, EmxReadsTheDigits) {
    need("emx-onnx-cgen");
    if (IsSkipped()) {
        return;
    }
    const Digits images = digits();
    for (const std::string name : {"digits_float", "digits_qdq"}) {
        const generate::ForeignCode code = generated("emx-onnx-cgen", k_digits / (name + ".onnx"));
        EXPECT_EQ(code.generator, "emx-onnx-cgen 1.4.0");
        EXPECT_EQ(code.sources, std::vector<std::string>{"net.c"});
        EXPECT_EQ(code.files.at("net.c").find("malloc("), std::string::npos);
        const std::string outputs = foreign_outputs(
            code, "void net(const float image[restrict 1][1][8][8], float probabilities[restrict 1][10]);",
            "net((const float (*)[1][8][8])(void *)x, (float (*)[10])(void *)y);", 256, 40, images.floats);
        EXPECT_EQ(right_of(outputs, images.labels), 356) << name << " (models/digits/accuracy.json)";
        EXPECT_EQ(generated("emx-onnx-cgen", k_digits / (name + ".onnx")).files, code.files) << "the same every time";
    }
}

TEST_F(FrameworkPeer, EmxFailsOnGarbageWithItsLastLinesAndALog) {
    need("emx-onnx-cgen");
    if (IsSkipped()) {
        return;
    }
    const ScratchFolder scratch = ScratchFolder::make("metamorph-peers").value();
    ASSERT_TRUE(write_file_if_changed(scratch.path() / "bad.onnx", "garbage"));
    generate::DriverRequest request;
    request.model = scratch.path() / "bad.onnx";
    const auto code = generate::run_generator(app::find_framework("emx-onnx-cgen").value(), request);
    ASSERT_FALSE(code.has_value());
    EXPECT_EQ(code.error().code, ErrorCode::toolchain);
    EXPECT_NE(code.error().message.find("emx-onnx-cgen failed: exit status 1; its last lines:\n"), std::string::npos);
    EXPECT_TRUE(fs::is_regular_file(code.error().where)) << code.error().where;
    fs::remove_all(fs::path(code.error().where).parent_path());
}

TEST_F(FrameworkPeer, EmlearnReadsTheDigits) {
    need("emlearn");
    if (IsSkipped()) {
        return;
    }
    const Digits images = digits();
    const std::string trees = foreign_outputs(
        generated("emlearn", k_digits / "digits_trees.pkl"),
        "int net_predict_proba(const float *, int32_t, float *, int);",
        "net_predict_proba((const float *)(void *)x, 64, (float *)(void *)y, 10);", 256, 40, images.floats);
    EXPECT_EQ(right_of(trees, images.labels), 314) << "as models/digits/README.md says";
    const std::string dense = foreign_outputs(
        generated("emlearn", k_digits / "digits_dense.pkl"), "void net_by_layers(const float *, float *);",
        "net_by_layers((const float *)(void *)x, (float *)(void *)y);", 256, 40, images.floats);
    EXPECT_EQ(right_of(dense, images.labels), 349);
    const std::string loop =
        foreign_outputs(generated("emlearn", k_digits / "digits_dense.pkl", {{"layers", "loop"}}),
                        "int net_regress(const float *, int32_t, float *, int32_t);",
                        "net_regress((const float *)(void *)x, 64, (float *)(void *)y, 10);", 256, 40, images.floats);
    EXPECT_TRUE(loop == dense) << "our flat entry and emlearn's own loop are the same to the bit";
}

// Bit-exact where the network is the same, and of the others the same digits.
TEST_F(FrameworkPeer, ComparedSideBySide) {
    need("bakenn");
    need("emx-onnx-cgen");
    if (IsSkipped()) {
        return;
    }
    const ProcessOutcome told =
        run({METAMORPH_PROGRAM, "compare", k_digits / "digits_int8.tflite", k_digits / "digits_int8_logits.tflite",
             k_digits / "digits_float.onnx", "--generators", "native,bakenn,emx-onnx-cgen", "--dataset",
             k_digits / "digits_heldout.bin", "--inferences", "20", "--tasks", "2", "--json"});
    const auto json = nlohmann::json::parse(told.output, nullptr, false);
    ASSERT_TRUE(json.is_object() && json["generators"].size() == 3) << told.output;
    for (const auto& row : json["generators"]) {
        EXPECT_EQ(row["state"], "measured") << row["problem"];
        EXPECT_EQ(row["images_right"], 20) << row["name"];
    }
    const auto &bakenn = json["generators"][1], &emx = json["generators"][2];
    EXPECT_EQ(bakenn["model"], "digits_int8_logits.tflite") << "it has no Softmax";
    EXPECT_EQ(bakenn["difference"]["reference"], "native, digits_int8_logits.tflite");
    EXPECT_EQ(bakenn["difference"]["exact"], true);
    EXPECT_EQ(emx["difference"]["exact"], false);
    EXPECT_EQ(emx["difference"]["same_answer"], 20);
    EXPECT_LT(emx["difference"]["greatest"].get<double>(), 0.05) << "probabilities, float beside int8";
}

}  // namespace
}  // namespace metamorph
