// The stand-in's parts merged: what is shared and renamed, what crosses; and every check of the merge, broken once.
#include "parts/merge.h"

#include <gtest/gtest.h>

#include "stand_in_project.h"
#include "util/interrupt.h"

namespace metamorph::parts {
namespace {

namespace fs = std::filesystem;

PartProject project_of(const fs::path& folder, const std::string& name) {
    PartProject project;
    project.name = name;
    for (const auto& entry : fs::directory_iterator(folder / name)) {
        if (entry.path().extension() == ".c" || entry.path().extension() == ".h") {
            project.files[entry.path().filename().string()] = text_of(entry.path());
        }
    }
    return project;
}

// Made once: three parts, the last with a softmax.
const MergeRequest& parts_of_five_layers() {
    static const MergeRequest request = [] {
        const ScratchFolder folder = ScratchFolder::make("ai8x-merge").value();
        const fs::path& root = folder.path();
        const auto run = [&](const std::string& prefix, const std::vector<std::string>& flags) {
            const ProcessOutcome done = stand_in(root, prefix, flags);
            EXPECT_TRUE(done.succeeded()) << done.errors;
        };
        run("part_0", {"--stop-after", "0", "--sample-numpy-filename", "L"});
        run("part_1",
            {"--skip-yaml-layers", "1", "--skip-checkpoint-layers", "1", "--input-offset", "0x2000", "--sample-input",
             root / "part_0" / "L.npy", "--stop-after", "3", "--sample-numpy-filename", "L"});
        run("part_2", {"--skip-yaml-layers", "4", "--skip-checkpoint-layers", "3", "--input-offset", "0",
                       "--sample-input", root / "part_1" / "L.npy", "--softmax"});
        MergeRequest made;
        made.prefix = "net";
        made.generator = "ai8x";
        made.input_processors = 1;
        for (const char* part : {"part_0", "part_1", "part_2"}) {
            made.parts.push_back(project_of(root, part));
        }
        for (const auto& entry : fs::directory_iterator(k_ai8x / "stubs")) {
            made.stubs[entry.path().filename().string()] = text_of(entry.path());
        }
        return made;
    }();
    return request;
}

MergeRequest with(std::size_t part, const std::string& file, const std::string& old_text, const std::string& new_text) {
    MergeRequest request = parts_of_five_layers();
    std::string& text = request.parts[part].files.at(file);
    const std::size_t at = text.find(old_text);
    EXPECT_NE(at, std::string::npos) << old_text;
    text.replace(at, old_text.size(), new_text);
    return request;
}

TEST(Ai8xMerge, BuffersHoldExactlyWhatCrosses) {
    const auto merged = merge(parts_of_five_layers());
    ASSERT_TRUE(merged) << describe(merged.error());
    const auto& parameters = merged->code.parameters;
    ASSERT_EQ(parameters.size(), 5U);
    EXPECT_EQ(parameters[0].bytes, 8 * 8);       // one channel of 8 x 8
    EXPECT_EQ(parameters[1].bytes, 10 * 2);      // softmax, 16 bits each
    EXPECT_EQ(parameters[2].bytes, 6 * 8 * 8);   // six channels: a word and a half
    EXPECT_EQ(parameters[3].bytes, 70 * 4 * 4);  // 70 channels: two passes
    EXPECT_EQ(parameters[4].bytes, 10 * 4);
    EXPECT_EQ(merged->known_at_cut[0].size(), 6U * 64);
    EXPECT_EQ(merged->known_at_cut[1].size(), 70U * 16);
    ASSERT_EQ(merged->model.entry.steps.size(), 4U);
    EXPECT_EQ(merged->model.entry.steps[3].text, "net_softmax(cut_2, output)");
}

TEST(Ai8xMerge, RenamesWhatIsAPartsOwnAndSharesTheRest) {
    const auto merged = merge(parts_of_five_layers());
    ASSERT_TRUE(merged) << describe(merged.error());
    const auto& files = merged->code.adopted->files;
    const auto has = [&](const char* file, const char* text) { return files.at(file).find(text) != std::string::npos; };
    EXPECT_TRUE(has("net_part_1.c", "int cnn_configure_1(void)\n{"));
    EXPECT_TRUE(has("net_part_1.c", "MXC_NVIC_SetVector(CNN_IRQn, CNN_ISR_1)"));
    EXPECT_TRUE(has("net_shared.c", "int cnn_disable(void)\n{"));
    EXPECT_TRUE(has("net_shared.c", "void softmax_q17p14_q15(const q31_t"));
    EXPECT_FALSE(has("net_parts.h", "q31_t"));  // a type of the parts' headers, which callers of steps do not include
    EXPECT_FALSE(has("net_part_1.c", "cnn_disable(void)"));
    // The same text in all parts, but of another macro's numbers in each.
    EXPECT_FALSE(has("net_shared.c", "cnn_load_weights"));
    EXPECT_TRUE(has("net_part_2.c", "static const uint32_t kernels_2[] = KERNELS;"));
    EXPECT_TRUE(has("net_part_2.c", "softmax_q17p14_q15((const q31_t *) ml_data_2, CNN_NUM_OUTPUTS, ml_softmax_2);"));
}

TEST(Ai8xMerge, AFunctionOfTheSameTextIsNotSharedWhereAMacroDiffers) {
    const auto merged = merge(with(1, "cnn.h", "#define CNN_OK 1", "#define CNN_OK 2"));
    ASSERT_TRUE(merged) << describe(merged.error());
    const auto& files = merged->code.adopted->files;
    EXPECT_EQ(files.at("net_shared.c").find("cnn_disable"), std::string::npos);
    EXPECT_NE(files.at("net_part_0.c").find("int cnn_disable_0(void)\n{"), std::string::npos);
}

struct Broken {
    std::size_t part;
    const char *file, *old_text, *new_text, *message;
};
const std::vector<Broken> k_broken{
    Broken{1, "cnn.c", "int cnn_stop(void)", "int cnn_pause(void) { return 0; }\nint cnn_stop(void)", "'cnn_pause'"},
    Broken{1, "cnn.c", "int cnn_stop(void)", "static int count;\nint cnn_stop(void)", "'count' can be written"},
    Broken{1, "cnn.c", "*dst++ = *src++", "*dst++ = *src++ + 1", "does not copy as it is known to"},
    Broken{1, "cnn.c", "  cnn_time = 0;\n\n  *((volatile uint32_t *) 0x50100000) = 0x",
           "  cnn_time = 0;\n  *((volatile uint32_t *) 0x40000000) = 1;\n  *((volatile uint32_t *) 0x50100000) = 0x",
           "0x40000000 is no register"},
    Broken{1, "cnn.c", "// Stop SM", "\n  if (cnn_time) return CNN_FAIL;", "is not understood"},
    Broken{1, "cnn.c", "int cnn_stop(void)\n{", "int cnn_stop(void)\n{\n  abort();", "calls 'abort'"},
    Broken{1, "cnn.c", "int cnn_stop(void)\n{", "int cnn_stop(void)\n{\n  asm volatile(\"nop\");", "inline assembly"},
    Broken{1, "cnn.c", "int cnn_init(void)\n{", "int cnn_init(void)\n{\n  undeclared = 1;", "undeclared"},
    Broken{1, "main.c", "cnn_start(); //", "cnn_stop(); cnn_start(); //", "is not understood: cnn_stop()"},
    Broken{1, "main.c", "  load_input(); // Load data input\n  cnn_start();",
           "  cnn_start();\n  load_input(); // Load data input", "and not cnn_enable, cnn_init"},
    Broken{1, "main.c", "memcpy32((uint32_t *) 0x5040", "memcpy32((uint32_t *) 0x5041", "loads"},
    Broken{1, "sampledata.h", "0x000", "0x010", "loads"},
    Broken{2, "sampleoutput.h", "0x00000000 \\", "0x00000001 \\", "end"},
    Broken{2, "weights.h", "0x50180", "0x50400", "is no register, weight or bias"}};

TEST(Ai8xMerge, WhatIsNotUnderstoodIsRefused) {
    for (const Broken& broken : k_broken) {
        SCOPED_TRACE(broken.new_text);
        const auto merged = merge(with(broken.part, broken.file, broken.old_text, broken.new_text));
        ASSERT_FALSE(merged);
        EXPECT_EQ(merged.error().code, ErrorCode::model);
        EXPECT_EQ(merged.error().where.find(broken.part == 2 ? "part_2" : "part_1"), 0U) << describe(merged.error());
        EXPECT_NE(merged.error().message.find(broken.message), std::string::npos) << describe(merged.error());
    }
}

TEST(Ai8xMerge, APartOfAnotherRunIsRefused) {
    MergeRequest request = parts_of_five_layers();
    std::swap(request.parts[0], request.parts[1]);
    const auto merged = merge(request);
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().code, ErrorCode::model);
}

TEST(Ai8xMerge, NewSourcesAndMissingFilesAreRefused) {
    MergeRequest request = parts_of_five_layers();
    request.parts[1].files["more.c"] = "int more;\n";
    EXPECT_EQ(merge(request).error().where, "part_1/more.c");
    request = parts_of_five_layers();
    request.parts[1].files.erase("sampleoutput.h");
    EXPECT_NE(merge(request).error().message.find("has no sampleoutput.h"), std::string::npos);
}

}  // namespace
}  // namespace metamorph::parts
