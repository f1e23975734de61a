// Programs of the corpus on a device: some are proven in the emulator, and what a device lacks is said before anything
// is built.
#include <algorithm>

#include <gtest/gtest.h>

#include "adopt/program.h"
#include "app/device.h"
#include "powerloss/firmware/firmware_fixture.h"

namespace metamorph::corpus {
namespace {

const char* const k_device = "cortex-m4-mapped";

Program program_called(const std::string& name) {
    const std::vector<Program> all = read_corpus(std::filesystem::path(METAMORPH_SOURCE_DIR) / "test/adopt/corpus");
    const auto found = std::find_if(all.begin(), all.end(), [&](const Program& p) { return p.name == name; });
    EXPECT_NE(found, all.end()) << name;
    return found == all.end() ? Program{} : *found;
}

Error refusal(const generate::ForeignCode& code) {
    const app::Device device = app::find_device(k_device).value();
    pipeline::WeaveRequest request;
    request.model = "net";
    request.split = tasks::parse_split("layer").value();
    request.device = &device;
    const auto woven = pipeline::weave_foreign(code, request);
    EXPECT_FALSE(woven);
    return woven ? Error{} : woven.error();
}

class CorpusOnADevice : public testing::TestWithParam<const char*> {};

TEST_P(CorpusOnADevice, SurvivesAnyNumberOfCuts) {
    if (const auto missing = missing_compiler(k_device, "gcc")) {
        GTEST_SKIP() << *missing;
    }
    const Program program = program_called(GetParam());
    pipeline::VerifyRequest request = verify_request(program.name, "layer", {k_device});
    request.foreign = &program.code;
    request.inferences = 2;
    EXPECT_TRUE(prove(request).is_right());
}

// Its plain program needs a heap; a static of a layer in a copy of the sources.
INSTANTIATE_TEST_SUITE_P(Some, CorpusOnADevice, testing::Values("malloc_constant_size", "state_in_a_layer"),
                         [](const auto& name) { return std::string(name.param); });

TEST(CorpusRefusedOnADevice, HasNoHeapForLayers) {
    const Error error = refusal(program_called("malloc_in_a_layer").code);
    EXPECT_EQ(error.where, "generated/malloc_in_a_layer.c:5");
    EXPECT_NE(error.message.find("cortex-m4-mapped has no heap"), std::string::npos) << error.message;
}

TEST(CorpusRefusedOnADevice, HasTooLittleStackForThePlainProgram) {
    Program program = program_called("local_arrays");
    std::string& text = program.code.files.at("local_arrays.c");
    const std::string old = "a[16], b[16]";
    text.replace(text.find(old), old.size(), "a[150000], b[130000]");
    const Error error = refusal(program.code);
    EXPECT_NE(error.message.find("the plain program, which the application is compared with, needs 280"),
              std::string::npos)
        << error.message;
    EXPECT_NE(error.message.find("280000 B the stack, for the locals of its entry"), std::string::npos)
        << error.message;
}

}  // namespace
}  // namespace metamorph::corpus
