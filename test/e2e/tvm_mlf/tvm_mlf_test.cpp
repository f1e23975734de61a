// What TVM 0.8 to 0.18 left behind (frameworks/tvm-mlf): the plain entry computes what the archive's own entry
// computes, and what is not understood is refused with its place. The archives here were written by hand, in TVM's
// form.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

const std::string k_framework = METAMORPH_SOURCE_DIR "/frameworks/tvm-mlf";
const fs::path k_archives = METAMORPH_SOURCE_DIR "/test/e2e/tvm_mlf";

ProcessOutcome run(std::vector<std::string> argv, const fs::path& directory = {}) {
    ProcessRequest request;
    request.argv = std::move(argv);
    request.directory = directory;
    request.environment = {{"PYTHONDONTWRITEBYTECODE", "1"}};
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome);
    return outcome ? *outcome : ProcessOutcome{};
}

ProcessOutcome adopt(const fs::path& archive, const fs::path& output, const std::vector<std::string>& more = {}) {
    std::vector<std::string> command{"python3", k_framework + "/adopt_mlf.py", archive, "--output", output, "--prefix",
                                     "plain"};
    command.insert(command.end(), more.begin(), more.end());
    return run(command);
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files[fs::relative(entry.path(), folder)] = text_of(entry.path());
        }
    }
    return files;
}

// All C of the folders, and a main of ours: what it prints.
std::string built_and_run(const fs::path& folder, const std::vector<fs::path>& sources,
                          const std::vector<std::string>& options, const std::string& main_text) {
    write(folder / "main.c", main_text);
    std::vector<std::string> command{"gcc",
                                     "-std=c11",
                                     "-O1",
                                     "-Wall",
                                     "-Wextra",
                                     "-Werror",
                                     "-fsanitize=undefined,address",
                                     "-fno-sanitize-recover=all",
                                     "-I" + folder.string(),
                                     "-o",
                                     folder / "program",
                                     folder / "main.c"};
    command.insert(command.end(), options.begin(), options.end());
    for (const fs::path& source : sources) {
        if (fs::is_regular_file(source)) {
            command.push_back(source);
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(source)) {
            if (entry.path().extension() == ".c" && entry.path().filename() != "main.c") {
                command.push_back(entry.path());
            }
        }
    }
    const ProcessOutcome compiled = run(command);
    EXPECT_TRUE(compiled.succeeded()) << compiled.errors;
    const ProcessOutcome ran = run({folder / "program"});
    EXPECT_TRUE(ran.succeeded()) << ran.print() << ran.errors;
    return ran.output;
}

class TvmMlf : public testing::Test {
protected:
    fs::path folder() const { return m_scratch.path(); }

    // A copy of an archive with one text replaced in one file.
    fs::path changed(const std::string& archive, const std::string& file, const std::string& from,
                     const std::string& to) const {
        const fs::path copy = folder() / "changed";
        fs::remove_all(copy);
        fs::copy(k_archives / archive, copy, fs::copy_options::recursive);
        std::string text = text_of(copy / file);
        const std::size_t place = text.find(from);
        EXPECT_NE(place, std::string::npos) << from;
        write(copy / file, text.replace(place, from.size(), to));
        return copy;
    }

    ScratchFolder m_scratch = ScratchFolder::make("metamorph-mlf").value();
};

// Runs `call` on 50 inputs of all kinds of bytes, and prints every output byte.
std::string driver(const std::string& head, int output_bytes, const std::string& call) {
    return head + R"(
#include <stdio.h>
int main(void) {
    static _Alignas(16) int8_t a[8], b[8];
    static _Alignas(16) int32_t result[4];
    static _Alignas(16) uint8_t workspace[256];
    uint32_t seed = 1;
    for (int k = 0; k < 50; ++k) {
        for (int i = 0; i < 8; ++i) {
            seed = seed * 1664525u + 1013904223u;
            a[i] = (int8_t)(seed >> 24);
            b[i] = (int8_t)(seed >> 16);
        }
        for (int i = 0; i < 256; ++i) {
            workspace[i] = (uint8_t)(seed >> 8);
        }
        )" +
           call + "\n        for (int i = 0; i < " + std::to_string(output_bytes) + R"(; ++i) {
            printf("%02x", ((uint8_t *)result)[i]);
        }
        printf("%c", b[0] == 0 && workspace[0] == 0 ? '.' : '\n');
    }
    return 0;
}
)";
}

TEST_F(TvmMlf, ThePlainEntryComputesWhatTheArchivesOwnDoes) {
    struct Case {
        std::string archive, own_call, plain_call;
        int output_bytes;
    };
    const Case cases[] = {{"blocks", "struct tvmgen_tiny_inputs in = {a, b};",
                           "plain_run((uint8_t *)a, (uint8_t *)b, (uint8_t *)result, workspace);", 4},
                          {"pools", "struct tvmgen_tiny_inputs in = {a};", "plain_run(a, result, workspace);", 16}};
    for (const Case& each : cases) {
        const fs::path output = folder() / each.archive;
        const ProcessOutcome adopted = adopt(k_archives / each.archive, output);
        ASSERT_TRUE(adopted.succeeded()) << adopted.errors;
        const std::string include = "-I" + (output / "include").string();
        const std::string plain = built_and_run(output, {output}, {include},
                                                driver("#include \"plain.h\"\n", each.output_bytes, each.plain_call));
        // The archive as it is, on our headers and run time.
        const fs::path own_folder = folder() / (each.archive + "_own");
        fs::create_directories(own_folder);
        const std::string own = built_and_run(
            own_folder, {k_archives / each.archive / "codegen/host/src", fs::path(k_framework) / "workspace.c"},
            {include, "-DTVM_WORKSPACE_BYTES=128"},
            driver("#include <tvmgen_tiny.h>\n", each.output_bytes,
                   each.own_call +
                       " struct tvmgen_tiny_outputs out = {result}; if (tvmgen_tiny_run(&in, &out) != 0) return 1;"));
        EXPECT_EQ(plain, own) << each.archive;
        EXPECT_GT(own.size(), 50U * each.output_bytes);
    }
}

TEST_F(TvmMlf, TheEntryIsFlatAndItsMemoryPlanned) {
    ASSERT_TRUE(adopt(k_archives / "blocks", folder() / "out").succeeded());
    const std::string entry = text_of(folder() / "out/plain.c");
    EXPECT_NE(entry.find("(void)tvmgen_tiny_fused_scale((void *)(workspace + 0), (void *)(workspace + 16));"),
              std::string::npos)
        << entry;
    EXPECT_EQ(entry.find("TVMBackend"), std::string::npos) << entry;
    EXPECT_EQ(contents(folder() / "out").count("workspace.c"), 0);
    const nlohmann::json manifest = nlohmann::json::parse(text_of(folder() / "out/manifest.json"));
    EXPECT_EQ(manifest["parameters"].size(), 4);
    EXPECT_EQ(manifest["parameters"][3], (nlohmann::json{{"name", "workspace"}, {"role", "arena"}, {"bytes", 32}}));
}

TEST_F(TvmMlf, AnArchiveIsItsFolder) {
    const fs::path archive = folder() / "tiny.tar";
    ASSERT_TRUE(run({"tar", "-C", k_archives / "pools", "-cf", archive, "."}).succeeded());
    ASSERT_TRUE(adopt(archive, folder() / "one").succeeded());
    ASSERT_TRUE(adopt(k_archives / "pools", folder() / "two").succeeded());
    EXPECT_EQ(contents(folder() / "one"), contents(folder() / "two"));
}

TEST_F(TvmMlf, MetamorphTakesIt) {
    const ProcessOutcome generated = run({METAMORPH_PROGRAM, "generate", k_archives / "blocks", "--generator",
                                          "tvm-mlf", "--prefix", "plain", "-o", folder() / "out"});
    ASSERT_TRUE(generated.succeeded()) << generated.errors;
    EXPECT_NE(generated.output.find("entry plain_run"), std::string::npos) << generated.output;
    EXPECT_TRUE(fs::exists(folder() / "out/plain.c"));
    const ProcessOutcome refused =
        run({METAMORPH_PROGRAM, "generate", changed("pools", "metadata.json", "\"aot\"", "\"graph\""), "--generator",
             "tvm-mlf", "--prefix", "plain", "-o", folder() / "no"});
    EXPECT_EQ(refused.status, 3) << refused.errors;
    EXPECT_NE(refused.errors.find("error: module 'tiny' is for the executor graph"), std::string::npos)
        << refused.errors;
}

TEST_F(TvmMlf, BlocksOfUnknownSizeAreServedByTheRunTime) {
    const fs::path archive =
        changed("blocks", "codegen/host/src/tiny_lib1.c", "(uint64_t)16, 0, 16)", "(uint64_t)(p0[0] & 0) + 16, 0, 16)");
    const ProcessOutcome adopted = adopt(archive, folder() / "out");
    ASSERT_TRUE(adopted.succeeded()) << adopted.errors;
    const std::string entry = text_of(folder() / "out/plain.c");
    EXPECT_NE(
        entry.find("    if (tvmgen_tiny_fused_scale((void *)(workspace + 0), (void *)(workspace + 16)) != 0) {\n"),
        std::string::npos)
        << entry;
    EXPECT_TRUE(fs::exists(folder() / "out/workspace.c"));
    const nlohmann::json manifest = nlohmann::json::parse(text_of(folder() / "out/manifest.json"));
    EXPECT_EQ(manifest["defines"], nlohmann::json({"TVM_WORKSPACE_BYTES=4096"}));
    EXPECT_EQ(manifest["notes"].size(), 2);
}

TEST_F(TvmMlf, WhatIsNotUnderstoodIsRefusedWithItsPlace) {
    struct Case {
        std::string archive, file, from, to, message;
        std::vector<std::string> options;
    };
    const std::string lib0 = "codegen/host/src/tiny_lib0.c", lib1 = "codegen/host/src/tiny_lib1.c";
    const Case cases[] = {
        {"blocks",
         lib1,
         "  if (tvmgen_tiny_fused_pool(",
         "  for (;;) { }\n  if (tvmgen_tiny_fused_pool(",
         "src/tiny_lib1.c:63: this statement of the entry is not understood: for (;;) { }",
         {}},
        {"blocks",
         lib1,
         "tvmgen_tiny_fused_pool(sid_4,",
         "tvmgen_tiny_fused_pool(sid_4 + 1,",
         "src/tiny_lib1.c:63: the argument 'sid_4 + 1' of tvmgen_tiny_fused_pool is not understood",
         {}},
        {"blocks",
         lib1,
         "tvmgen_tiny_fused_pool(sid_4,",
         "elsewhere(sid_4,",
         "src/tiny_lib1.c:63: no source defines 'elsewhere'",
         {}},
        {"blocks",
         lib1,
         "tvmgen_tiny___tvm_main__(void* first",
         "tvmgen_tiny___main__(void* first",
         "no source defines tvmgen_tiny___tvm_main__",
         {}},
        {"blocks",
         lib1,
         "main__(void* first_buffer_var, void* second_buffer_var, void* output_buffer_var)",
         "main__(void* args, int32_t* arg_type_ids, int32_t num_args)",
         "has TVM's packed interface",
         {}},
        {"blocks", "metadata.json", "\"version\": 5", "\"version\": ", "metadata.json is none of TVM's", {}},
        {"blocks",
         "codegen/host/include/tvmgen_tiny.h",
         "#define TVMGEN_TINY_SECOND_SIZE 8",
         "",
         "the size of input 'second' is told neither by metadata.json nor by the header",
         {}},
        {"blocks",
         "metadata.json",
         "{",
         "{",
         "there is no tensor 'third'; there are: first, second, output",
         {"--bytes", "third=8"}},
        {"blocks",
         lib1,
         "for (int32_t i = 0; i < 4",
         "TVMBackendParallelLaunch(0, 0, 0); for (int32_t i = 0; i < 4",
         "kernels run in several threads",
         {}},
        {"pools",
         "metadata.json",
         "\"outputs\": {\"output\"",
         "\"outputs\": {\"more\": {}, \"output\"",
         "the entry has 2 tensors, metadata.json has 1 inputs and 2 outputs",
         {}},
        {"pools", "metadata.json", "{", "{", "the archive has no module 'big'; it has: tiny", {"--module", "big"}},
        {"pools",
         lib1,
         "uint8_t* global_workspace_1_var) {\n  void* constant",
         "void* device_context_ethos) {\n  void* constant",
         "devices beside the processor are not understood",
         {}},
    };
    for (const Case& each : cases) {
        const ProcessOutcome refused =
            adopt(changed(each.archive, each.file, each.from, each.to), folder() / "out", each.options);
        EXPECT_EQ(refused.status, 3) << each.message << refused.errors;
        EXPECT_TRUE(refused.errors.starts_with("metamorph: ")) << refused.errors;
        EXPECT_NE(refused.errors.find(each.message), std::string::npos) << each.message << "\n" << refused.errors;
        EXPECT_FALSE(fs::exists(folder() / "out"));
    }
    write(folder() / "rubbish.tar", "no archive");
    EXPECT_NE(adopt(folder() / "rubbish.tar", folder() / "out").errors.find("is no tar archive"), std::string::npos);
    fs::create_directories(folder() / "empty");
    EXPECT_NE(adopt(folder() / "empty", folder() / "out").errors.find("has no metadata.json"), std::string::npos);
}

TEST_F(TvmMlf, TheRunTimesStackGivesAlignedBlocksAndRefusesWhatItMust) {
    const std::string main_text = R"(
#include "c_backend_api.h"
#include <stdio.h>
int main(void) {
    uint8_t *const a = TVMBackendAllocWorkspace(1, 0, 20, 0, 8);
    uint8_t *const b = TVMBackendAllocWorkspace(1, 0, 16, 0, 8);
    for (int i = 0; i < 20; ++i) a[i] = 255;
    for (int i = 0; i < 16; ++i) b[i] = 255;
    printf("%d %d", (int)((uintptr_t)a % 16 + (uintptr_t)b % 16), b >= a + 20);
    printf(" %d", TVMBackendAllocWorkspace(1, 0, 48, 0, 8) == NULL);
    printf(" %d", TVMBackendAllocWorkspace(1, 0, UINT64_MAX, 0, 8) == NULL);
    printf(" %d", TVMBackendFreeWorkspace(1, 0, a));
    printf(" %d", TVMBackendFreeWorkspace(1, 0, b));
    printf(" %d", TVMBackendFreeWorkspace(1, 0, a));
    printf(" %d", TVMBackendFreeWorkspace(1, 0, a));
    printf(" %d", TVMBackendAllocWorkspace(1, 0, 112, 0, 8) == a);
    return 0;
}
)";
    EXPECT_EQ(built_and_run(folder(), {fs::path(k_framework) / "workspace.c"},
                            {"-I" + k_framework, "-DTVM_WORKSPACE_BYTES=128"}, main_text),
              "0 1 1 1 -1 0 0 -1 1");
}

}  // namespace
}  // namespace metamorph
