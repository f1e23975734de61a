// The program itself: what main() adds to the parser.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <nlohmann/json.hpp>

#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

ProcessOutcome metamorph(std::vector<std::string> arguments) {
    ProcessRequest request;
    request.argv = std::move(arguments);
    request.argv.insert(request.argv.begin(), METAMORPH_PROGRAM);
    request.environment = {{"COLUMNS", "100"}};
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome);
    return outcome ? *outcome : ProcessOutcome{};
}

TEST(Program, TellsItsVersion) {
    const ProcessOutcome outcome = metamorph({"--version"});
    EXPECT_TRUE(outcome.succeeded());
    EXPECT_TRUE(outcome.output.starts_with("metamorph 0."));
    EXPECT_EQ(outcome.errors, "");
}

TEST(Program, ErrorsGoToStandardErrorAndFixTheExitStatus) {
    const ProcessOutcome outcome = metamorph({"inspet"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.output, "");
    EXPECT_TRUE(outcome.errors.starts_with("error: there is no command 'inspet'\n"));
}

TEST(Program, ErrorsAreJsonOnStandardOutputWhereWanted) {
    const ProcessOutcome outcome = metamorph({"inspect", "no-such-model.tflite", "--json"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.errors, "");
    const nlohmann::json parsed = nlohmann::json::parse(outcome.output, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded());
    EXPECT_EQ(parsed["error"]["code"], "options");
    EXPECT_EQ(parsed["error"]["message"], "there is no file 'no-such-model.tflite'");
}

const std::string k_digits = METAMORPH_SOURCE_DIR "/models/digits/digits_int8.tflite";

TEST(Program, InspectSaysHowManySlicesALayerCanBecome) {
    const ProcessOutcome text = metamorph({"inspect", k_digits});
    ASSERT_TRUE(text.succeeded()) << text.errors;
    for (const char* end :
         {"weights B  slices\n", "       208  64 positions\n", "      3240  10 channels\n", "         0  -\n"}) {
        EXPECT_NE(text.output.find(end), std::string::npos) << end << text.output;
    }
    const ProcessOutcome outcome = metamorph({"inspect", k_digits, "--json"});
    const nlohmann::json parsed = nlohmann::json::parse(outcome.output, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded()) << outcome.output;
    const auto scratch = ScratchFolder::make("metamorph-slices").value();
    int checked = 0;
    for (const nlohmann::json& layer : parsed["operators"]) {
        if (layer["layer"].is_null()) {
            EXPECT_EQ(layer["slices_max"], 1);
            continue;
        }
        // The most is possible, by number or by the name that inspect gives, in turn; one more is not.
        const int most = layer["slices_max"];
        const std::string named = checked % 2 == 0 ? layer["layer"].dump() : layer["function"].get<std::string>();
        const std::string slice = named + "=" + std::to_string(most);
        const ProcessOutcome woven = metamorph({"weave", k_digits, "-o", scratch.path() / "app", "--slice", slice});
        EXPECT_TRUE(woven.succeeded()) << slice << woven.errors;
        const std::string more = layer["layer"].dump() + "=" + std::to_string(most + 1);
        const ProcessOutcome refused = metamorph({"weave", k_digits, "-o", scratch.path() / "app", "--slice", more});
        EXPECT_EQ(refused.status, 2) << more;
        EXPECT_NE(refused.errors.find("at --slice"), std::string::npos) << refused.errors;
        ++checked;
    }
    EXPECT_EQ(checked, 6);
}

TEST(Program, RunSaysWhatWasSlicedAndWhatItWrote) {
    const std::vector<std::string> command{"run", k_digits, "--slice", "0=16", "--slice", "auto:512B", "--cut", "none"};
    const ProcessOutcome text = metamorph(command);
    ASSERT_TRUE(text.succeeded()) << text.errors;
    EXPECT_NE(text.output.find("(--tasks layer --slice 0=16 --slice auto:512B)"), std::string::npos) << text.output;
    std::vector<std::string> as_json = command;
    as_json.push_back("--json");
    const ProcessOutcome outcome = metamorph(as_json);
    const nlohmann::json parsed = nlohmann::json::parse(outcome.output, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded()) << outcome.output;
    ASSERT_EQ(parsed["woven"].size(), 2U);
    for (const nlohmann::json& woven : parsed["woven"]) {
        EXPECT_EQ(woven["slices"], (nlohmann::json{"0=16", "auto:512B"}));
        EXPECT_EQ(woven["task_names"].size(), 16U + 2 + 3 + 3 + 2);
        EXPECT_EQ(woven["crossing_bytes_per_inference"], 3732);
        EXPECT_LE(woven["write_ratio"].get<double>(), 1.05);
    }
}

TEST(Program, DoctorTellsWhatIsInstalled) {
    const ProcessOutcome outcome = metamorph({"doctor", "--json"});
    const nlohmann::json parsed = nlohmann::json::parse(outcome.output, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded()) << outcome.output;
    bool clang_is_there = false;
    for (const nlohmann::json& tool : parsed["tools"]) {
        EXPECT_FALSE(tool["name"].get<std::string>().empty());
        EXPECT_FALSE(tool["package"].get<std::string>().empty());
        clang_is_there =
            clang_is_there || (tool["name"] == "clang-19" && tool["found"] == true && tool["version"] != "");
    }
    EXPECT_TRUE(clang_is_there) << "this project is built with Clang 19's packages";
    EXPECT_EQ(outcome.status, parsed["core_complete"] == true ? 0 : 4);
}

TEST(Program, DevicesAreListedALineEach) {
    const ProcessOutcome list = metamorph({"devices"});
    const ProcessOutcome names = metamorph({"devices", "--quiet"});
    ASSERT_TRUE(list.succeeded() && names.succeeded()) << list.errors << names.errors;
    EXPECT_EQ(names.output, "cortex-m4-mapped\ncortex-m4-spi\nhost\nrv32imc-mapped\nrv32imc-spi\n");
    EXPECT_NE(list.output.find("cortex-m4-spi     Cortex-M4F with a 4-Mbit FRAM behind SPI\n"), std::string::npos)
        << list.output;
    const nlohmann::json parsed = nlohmann::json::parse(metamorph({"devices", "--json"}).output, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded());
    EXPECT_EQ(parsed["schema"], "metamorph-devices-1");
    ASSERT_EQ(parsed["devices"].size(), 5U);
    EXPECT_EQ(parsed["devices"][1]["nvm"], "bus");
}

TEST(Program, ADeviceIsDescribedWithTheSourceOfEveryFigure) {
    const ProcessOutcome text = metamorph({"devices", "cortex-m4-spi"});
    ASSERT_TRUE(text.succeeded()) << text.errors;
    EXPECT_NE(text.output.find("MB85RS4MT data sheet: 4 Mbit"), std::string::npos) << text.output;
    const std::string path = METAMORPH_SOURCE_DIR "/devices/cortex-m4-spi.toml";
    EXPECT_EQ(metamorph({"devices", path}).output, text.output) << "a file of one's own is described alike";
    const nlohmann::json parsed =
        nlohmann::json::parse(metamorph({"devices", "cortex-m4-spi", "--json"}).output, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded());
    EXPECT_EQ(parsed["schema"], "metamorph-device-1");
    EXPECT_EQ(parsed["memories"].size(), 3U);
    ASSERT_FALSE(parsed["figures"].empty());
    for (const nlohmann::json& figure : parsed["figures"]) {
        EXPECT_NE(figure["source"], "") << figure["key"];
    }
}

TEST(Program, AMisspeltDeviceIsSuggested) {
    const ProcessOutcome outcome = metamorph({"devices", "cortex-m4-sip"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(outcome.errors.starts_with("error: there is no device 'cortex-m4-sip'\n  at DEVICE\n"))
        << outcome.errors;
    EXPECT_NE(outcome.errors.find("did you mean 'cortex-m4-spi'"), std::string::npos) << outcome.errors;
}

TEST(Program, DoctorWithoutToolsSaysHowToGetThem) {
    ProcessRequest request;
    request.argv = {METAMORPH_PROGRAM, "doctor"};
    request.environment = {{"PATH", "/nowhere"}};
    const auto outcome = run_process(request);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->status, 4);
    EXPECT_NE(outcome->output.find("apt-get install -y --no-install-recommends"), std::string::npos);
    EXPECT_NE(outcome->output.find("clang-19"), std::string::npos);
}

}  // namespace
}  // namespace metamorph
