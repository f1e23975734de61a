// Our stand-in for the MAX78000's generator: a network in parts ends as the whole network ends, and its C compiles.
#include "stand_in_project.h"

#include <gtest/gtest.h>

#include "util/interrupt.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

ScratchFolder scratch() {
    return ScratchFolder::make("ai8x-stand-in").value();
}

void expect_done(const ProcessOutcome& outcome) {
    EXPECT_TRUE(outcome.succeeded()) << outcome.print() << outcome.errors;
}

void make_parts(const fs::path& folder) {
    const auto output = [&](const char* part) { return (folder / part / "L.npy").string(); };
    expect_done(stand_in(folder, "part_0", {"--stop-after", "0", "--sample-numpy-filename", "L"}));
    expect_done(stand_in(folder, "part_1",
                         {"--skip-yaml-layers", "1", "--skip-checkpoint-layers", "1", "--input-offset", "0x2000",
                          "--sample-input", output("part_0"), "--stop-after", "3", "--sample-numpy-filename", "L"}));
    expect_done(stand_in(folder, "part_2",
                         {"--skip-yaml-layers", "4", "--skip-checkpoint-layers", "3", "--input-offset", "0",
                          "--sample-input", output("part_1")}));
}

TEST(Ai8xStandIn, PartsEndAsTheWholeNetworkDoes) {
    const ScratchFolder folder = scratch();
    make_parts(folder.path());
    expect_done(stand_in(folder.path(), "whole", {}));
    const std::string whole = text_of(folder.path() / "whole" / "sampleoutput.h");
    EXPECT_NE(whole.find("SAMPLE_OUTPUT"), std::string::npos);
    EXPECT_EQ(text_of(folder.path() / "part_2" / "sampleoutput.h"), whole);
    EXPECT_NE(text_of(folder.path() / "part_1" / "sampleoutput.h"), whole);
}

TEST(Ai8xStandIn, ItsPartsCompileAgainstOurStubs) {
    const ScratchFolder folder = scratch();
    make_parts(folder.path());
    std::vector<std::vector<std::string>> compilers{{"cc"}};
    if (find_program("arm-none-eabi-gcc")) {
        compilers.push_back({"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"});
    }
    for (const auto& compiler : compilers) {
        for (const char* part : {"part_0", "part_1", "part_2"}) {
            for (const char* source : {"cnn.c", "main.c"}) {
                ProcessRequest request;
                request.argv = compiler;
                for (const std::string& word :
                     {std::string("-std=gnu11"), std::string("-w"), "-I" + (k_ai8x / "stubs").string(),
                      std::string("-c"), std::string(source), std::string("-o"), std::string("/dev/null")}) {
                    request.argv.push_back(word);
                }
                request.directory = folder.path() / part;
                expect_done(run_process(request).value());
            }
        }
    }
}

TEST(Ai8xStandIn, RefusesWhatItDoesNotDo) {
    const ScratchFolder folder = scratch();
    const ProcessOutcome twice = stand_in(folder.path(), "whole", {"--stop-after", "9"});
    EXPECT_EQ(twice.status, 1);
    EXPECT_NE(twice.errors.find("layers 0 to 9 are not among the 5 layers"), std::string::npos) << twice.errors;
    EXPECT_EQ(stand_in(folder.path(), "whole", {"--fifo"}).status, 2);
    EXPECT_FALSE(fs::exists(folder.path() / "whole"));
}

}  // namespace
}  // namespace metamorph
