// A generator that gives a layer in C++: it is woven beside the C, on the word of its stand-in; and where that word is
// false, cutting the power shows it.
#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include "util/file.h"
#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

class Opaque : public testing::Test {
protected:
    ProcessOutcome metamorph(const std::string& subcommand, std::vector<std::string> more) const {
        EXPECT_TRUE(write_file_if_changed(m_scratch.path() / "small.net", "a network"));
        ProcessRequest request;
        request.argv = {METAMORPH_PROGRAM, subcommand, (m_scratch.path() / "small.net").string(), "--generator",
                        OPAQUE_FOLDER "/mixed/framework.toml"};
        request.argv.insert(request.argv.end(), more.begin(), more.end());
        request.timeout = std::chrono::minutes(2);
        const auto outcome = run_process(request);
        EXPECT_TRUE(outcome.has_value());
        return outcome ? *outcome : ProcessOutcome{};
    }

    ScratchFolder m_scratch = ScratchFolder::make("metamorph-opaque").value();
};

TEST_F(Opaque, IsWovenBesideC) {
    const ProcessOutcome inspected = metamorph("inspect", {});
    EXPECT_NE(inspected.output.find("note: small_mix is not C, so it was not read: that it touches no memory but as "
                                    "small_stand_in.c says is the word of its framework"),
              std::string::npos)
        << inspected.output << inspected.errors;
    EXPECT_NE(inspected.output.find("    1  small_step_01_mix"), std::string::npos) << inspected.output;
    const ProcessOutcome run = metamorph("run", {"--tasks", "layer", "--inferences", "2", "--nvm", "bus"});
    EXPECT_TRUE(run.succeeded()) << run.output << run.errors;
    EXPECT_NE(run.output.find("wrong results        0\n"), std::string::npos) << run.output;
}

TEST_F(Opaque, StateThatItsStandInHidesIsFound) {
    const ProcessOutcome run =
        metamorph("run", {"--tasks", "layer", "--inferences", "2", "--nvm", "bus", "--option", "keeps=state"});
    EXPECT_FALSE(run.succeeded());
    EXPECT_EQ(run.output.find("wrong results        0\n"), std::string::npos) << run.output << run.errors;
    EXPECT_NE(run.output.find("wrong results"), std::string::npos) << run.output << run.errors;
}

TEST_F(Opaque, IsCompiledForADevice) {
    if (!find_program("arm-none-eabi-g++")) {
        GTEST_SKIP() << "arm-none-eabi-g++ is not installed";
    }
    const ProcessOutcome proof = metamorph("verify", {"--tasks", "layer", "--device", "cortex-m4-spi"});
    EXPECT_NE(proof.output.find("proven: after any number of power cuts"), std::string::npos)
        << proof.output << proof.errors;
    const ProcessOutcome clang = metamorph("verify", {"--device", "cortex-m4-spi", "--toolchain", "clang"});
    EXPECT_NE(clang.errors.find("needs a C library, which this toolchain has not"), std::string::npos) << clang.errors;
}

}  // namespace
}  // namespace metamorph
