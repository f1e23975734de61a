// The program itself: what main() adds to the parser.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <nlohmann/json.hpp>

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
