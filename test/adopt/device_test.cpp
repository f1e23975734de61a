// Programs of the corpus on a device: some are proven in the emulator, and what a device lacks is said before anything
// is built.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "adopt/program.h"
#include "app/device.h"
#include "powerloss/firmware/firmware_fixture.h"
#include "util/file.h"
#include "util/process.h"

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

// Its plain program needs a heap; a static of a layer in a copy of the sources; structures that are smaller there.
INSTANTIATE_TEST_SUITE_P(Some, CorpusOnADevice,
                         testing::Values("malloc_constant_size", "recursion_twice", "state_in_a_layer",
                                         "state_with_sizes"),
                         [](const auto& name) { return std::string(name.param); });

// Members of types whose sizes are the target's, in what crosses.
TEST(LayoutOfTypes, IsThatOfTheDevice) {
    const Program program = program_called("state_with_sizes");
    for (const char* const device_name : {"", "cortex-m4-mapped", "rv32imc-spi"}) {
        const bool is_host = *device_name == '\0';
        if (const auto missing = is_host ? std::nullopt : missing_compiler(device_name, "gcc")) {
            GTEST_SKIP() << *missing;
        }
        app::Device device;
        pipeline::WeaveRequest request;
        request.model = program.name;
        request.split = tasks::parse_split("layer").value();
        if (!is_host) {
            device = app::find_device(device_name).value();
            request.device = &device;
        }
        const auto woven = pipeline::weave_foreign(program.code, request);
        ASSERT_TRUE(woven) << describe(woven.error());
        // Arm's ABI makes enumerations as small as they can be, so its values begin three bytes before RISC-V's.
        const bool is_arm = device_name == std::string("cortex-m4-mapped");
        const std::int64_t bytes = is_host ? 48 : 32, values = is_host ? 20 : is_arm ? 9 : 12;
        const cfront::CodeModel& model = *woven->code_model;
        const auto is_state = [](const cfront::Object& o) { return o.name.find("state") != std::string::npos; };
        const auto state = std::find_if(model.entry.objects.begin(), model.entry.objects.end(), is_state);
        ASSERT_NE(state, model.entry.objects.end());
        EXPECT_EQ(state->bytes, bytes) << device_name;
        IntervalSet scaled;
        for (const cfront::Access& access : model.entry.steps[2].accesses) {
            scaled.add(access.writes);
        }
        EXPECT_EQ(scaled, IntervalSet(values, values + 16)) << device_name << " " << scaled.print();
        const std::string& steps = woven->code.adopted->files.at("net_steps.c");
        EXPECT_NE(steps.find(is_host ? "struct record r, 40 bytes" : "struct record r, 28 bytes"), std::string::npos)
            << steps;
        EXPECT_NE(steps.find(is_host ? "sizeof(long) == 8" : "sizeof(long) == 4"), std::string::npos) << steps;
        EXPECT_NE(steps.find(is_arm ? "mm_enumerator }) == 1" : "mm_enumerator }) == 4"), std::string::npos) << steps;
    }
}

// What was read for one layout is not built for another.
TEST(LayoutOfTypes, IsAssertedWhereItIsBuilt) {
    const Program program = program_called("state_with_sizes");
    const ScratchFolder scratch = ScratchFolder::make("metamorph-layout").value();
    pipeline::WeaveRequest request;
    request.model = program.name;
    request.split = tasks::parse_split("layer").value();
    const auto woven = pipeline::weave_foreign(program.code, request);
    ASSERT_TRUE(woven) << describe(woven.error());
    ASSERT_TRUE(write_files(scratch.path(), woven->project.files));
    for (const char* const flag : {"-g", "-funsigned-char", "-fshort-enums", "-mlong-double-64"}) {
        ProcessRequest compiler;
        compiler.argv = {"gcc", "-std=c11", "-Wall", "-Wextra", flag, "-fsyntax-only", "adopted/net_steps.c"};
        for (const std::string& dir : woven->code.adopted->include_dirs) {
            compiler.argv.push_back("-I" + dir);
        }
        compiler.directory = scratch.path();
        const auto outcome = run_process(compiler);
        ASSERT_TRUE(outcome) << describe(outcome.error());
        const bool is_refused =
            outcome->errors.find("this compiler lays out types in another way") != std::string::npos;
        EXPECT_EQ(is_refused, flag != std::string("-g")) << flag << outcome->errors;
        EXPECT_EQ(outcome->succeeded(), flag == std::string("-g")) << flag << outcome->errors;
    }
}

TEST(CorpusRefusedOnADevice, HasNoHeapForLayers) {
    if (const auto missing = missing_compiler(k_device, "gcc")) {
        GTEST_SKIP() << *missing;  // its C library's headers are read
    }
    const Error error = refusal(program_called("malloc_in_a_layer").code);
    EXPECT_EQ(error.where, "generated/malloc_in_a_layer.c:5");
    EXPECT_NE(error.message.find("cortex-m4-mapped has no heap"), std::string::npos) << error.message;
}

TEST(CorpusRefusedOnADevice, HasTooLittleStackForThePlainProgram) {
    if (const auto missing = missing_compiler(k_device, "gcc")) {
        GTEST_SKIP() << *missing;  // its C library's headers are read
    }
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
