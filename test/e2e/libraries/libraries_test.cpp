// The program, real compilers, and a framework that is added from nothing: a link cycle, features, a debug variant, a
// generated header, a patch.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class LibrariesTest : public testing::Test {
protected:
    void SetUp() override {
        auto made = ScratchFolder::make("libraries");
        ASSERT_TRUE(made);
        m_scratch.emplace(std::move(*made));
        folder = m_scratch->path();
        fs::copy(fs::path(RING_FOLDER) / "frameworks", folder / "frameworks", fs::copy_options::recursive);
    }

    ProcessOutcome libs(std::vector<std::string> arguments) {
        ProcessRequest request;
        request.argv = {METAMORPH_PROGRAM, "libs"};
        request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
        request.directory = folder;
        request.environment = {{"METAMORPH_STORE", (folder / "store").string()}};
        const auto outcome = run_process(request);
        EXPECT_TRUE(outcome);
        return outcome ? *outcome : ProcessOutcome{};
    }
    json libs_json(std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        const ProcessOutcome outcome = libs(arguments);
        const json document = json::parse(outcome.output, nullptr, false);
        EXPECT_FALSE(document.is_discarded()) << outcome.output << outcome.errors;
        return document;
    }
    static std::map<std::string, std::string> outcomes(const json& document) {
        std::map<std::string, std::string> found;
        for (const json& one : document["libraries"]) {
            found[one["name"]] = one["outcome"];
        }
        return found;
    }

    // Links the application with what was built, and runs it.
    std::string run(const json& built) {
        ProcessRequest request;
        request.argv = {"gcc", (fs::path(RING_FOLDER) / "ring_app.c").string()};
        for (const char* key : {"include_arguments", "link_arguments"}) {
            for (const json& argument : built[key]) {
                request.argv.push_back(argument);
            }
        }
        request.argv.insert(request.argv.end(), {"-o", (folder / "app").string()});
        const auto linked = run_process(request);
        EXPECT_TRUE(linked && linked->succeeded()) << (linked ? linked->errors : "");
        request.argv = {(folder / "app").string()};
        const auto ran = run_process(request);
        return ran ? ran->output : "";
    }
    void edit(const std::string& file, const std::string& from, const std::string& to) {
        std::ifstream in(folder / file);
        std::string text((std::istreambuf_iterator<char>(in)), {});
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        std::ofstream(folder / file) << text.replace(at, from.size(), to);
    }

    std::optional<ScratchFolder> m_scratch;
    fs::path folder;
};

TEST_F(LibrariesTest, AFrameworkFromNothing) {
    const json plain = libs_json({"build", "ring-kernels"});
    EXPECT_EQ(outcomes(plain),
              (std::map<std::string, std::string>{{"ring-base", "built"}, {"ring-kernels+ring-runtime", "built"}}));
    EXPECT_EQ(run(plain), "sum add 1 270 2 plain\n");
    const json again = libs_json({"build", "ring-kernels"});
    EXPECT_EQ(outcomes(again),
              (std::map<std::string, std::string>{{"ring-base", "hit"}, {"ring-kernels+ring-runtime", "hit"}}));
    EXPECT_EQ(again["link_arguments"], plain["link_arguments"]);

    const json fast = libs_json({"build", "ring-kernels", "--feature", "fast", "--feature", "wide"});
    EXPECT_EQ(run(fast), "sum add 1 665 2 fast\n");
    EXPECT_EQ(outcomes(fast).at("ring-base"), "hit");
    const json debug = libs_json({"build", "ring-kernels", "--feature", "debug", "--rebuild-check"});
    EXPECT_EQ(run(debug), "sum add 1 270 2 plain\n");

    const ProcessOutcome both = libs({"build", "ring-kernels", "--feature", "fast", "--feature", "debug"});
    EXPECT_EQ(both.status, 2);
    EXPECT_NE(both.errors.find("exclude each other"), std::string::npos) << both.errors;

    const json list = libs_json({"list"});
    EXPECT_EQ(list["stored"].size(), 4U);
    const json explained = libs_json({"explain", plain["libraries"][1]["key"], debug["libraries"][1]["key"]});
    std::vector<std::string> fields;
    for (const json& difference : explained["differences"]) {
        fields.push_back(difference["field"]);
    }
    EXPECT_EQ(fields, (std::vector<std::string>{"ring-kernels/flag", "ring-runtime/flag", "ring-kernels/feature",
                                                "ring-runtime/feature"}));

    // Damage is found, and mended by the next use.
    const fs::path archive = plain["link_arguments"].back().get<std::string>();
    fs::permissions(archive, fs::perms::owner_all);
    std::ofstream(archive, std::ios::app) << "x";
    EXPECT_EQ(libs({"verify"}).status, 1);
    EXPECT_EQ(outcomes(libs_json({"build", "ring-kernels"})).at("ring-base"), "built");
    EXPECT_EQ(libs({"verify"}).status, 0);
    EXPECT_EQ(libs_json({"gc", "--bytes", "0"})["objects_left"], 0);
}

// By extends: another source tree, a pattern adjusted, a generated header replaced, a feature changed and one added, in
// a link cycle of its own.
TEST_F(LibrariesTest, AFrameworkThatExtendsAnother) {
    const json plain = libs_json({"build", "ring8-kernels"});
    EXPECT_EQ(outcomes(plain),
              (std::map<std::string, std::string>{{"ring-base", "built"}, {"ring8-kernels+ring8-runtime", "built"}}));
    EXPECT_EQ(run(plain), "sum add 1 665 2 eight\n");
    EXPECT_EQ(outcomes(libs_json({"build", "ring8-kernels"})).at("ring8-kernels+ring8-runtime"), "hit");
    EXPECT_EQ(run(libs_json({"build", "ring8-kernels", "--feature", "double"})), "sum add 1 1330 2 eight\n");
    EXPECT_EQ(run(libs_json({"build", "ring8-kernels", "--feature", "fast"})), "sum add 1 665 2 fast eight\n");
    EXPECT_EQ(run(libs_json({"build", "ring8-kernels", "--feature", "debug"})), "sum add 1 665 2 texts\n");
    EXPECT_EQ(libs({"build", "ring8-kernels", "--feature", "fast", "--feature", "double"}).status, 2);

    edit("frameworks/ring8/framework.toml", "sources = [\"kernel_*.c\"]", "sources = [\"kernels_*.c\"]");
    const ProcessOutcome unknown = libs({"build", "ring8-kernels"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_NE(unknown.errors.find("'ring-kernels' has no 'kernels_*.c'"), std::string::npos) << unknown.errors;
    EXPECT_NE(unknown.errors.find("did you mean 'kernel_*.c'"), std::string::npos) << unknown.errors;
    edit("frameworks/ring8/framework.toml", "sources = [\"kernels_*.c\"]", "exclude = []");
    const ProcessOutcome unmatched = libs({"build", "ring8-kernels"});  // the pattern of the base is back
    EXPECT_EQ(unmatched.status, 2);
    EXPECT_NE(unmatched.errors.find("no file matches 'kernel_*.c' (sources)"), std::string::npos) << unmatched.errors;
}

// A broken flag: what is told, the script that repeats it, and what is built after it is mended.
TEST_F(LibrariesTest, AMistakeIsFoundRepeatedAndMended) {
    libs({"build", "ring-kernels", "-q"});
    edit("frameworks/ring/framework.toml", "flags = [\"-std=c11\", \"-Wall\"", "flags = [\"-std=c11\", \"-Wal\"");
    const ProcessOutcome broken = libs({"build", "ring-kernels"});
    EXPECT_EQ(broken.status, 4);
    EXPECT_NE(broken.errors.find("library 'ring-kernels'"), std::string::npos) << broken.errors;
    EXPECT_NE(broken.errors.find("-Wal"), std::string::npos) << broken.errors;
    const std::size_t begin = broken.errors.find("sh /"), end = broken.errors.find(" repeats it");
    ASSERT_NE(begin, std::string::npos) << broken.errors;
    const std::string script = broken.errors.substr(begin + 3, end - begin - 3);
    ProcessRequest request;
    request.argv = {"sh", script};
    const auto repeated = run_process(request);
    ASSERT_TRUE(repeated);
    EXPECT_FALSE(repeated->succeeded());
    EXPECT_NE(repeated->errors.find("-Wal"), std::string::npos) << repeated->errors;
    fs::remove_all(fs::path(script).parent_path());
    EXPECT_EQ(libs_json({"list"})["stored"].size(), 2U) << "what fails is not stored";
    edit("frameworks/ring/framework.toml", "-Wal\"", "-Wall\", \"-Wshadow\"");
    EXPECT_EQ(outcomes(libs_json({"build", "ring-kernels"})),
              (std::map<std::string, std::string>{{"ring-base", "hit"}, {"ring-kernels+ring-runtime", "built"}}));

    edit("frameworks/ring/framework.toml", "\"kernel_*.c\"", "\"kernel_*.c\", \"kernl_add.c\"");
    const ProcessOutcome unmatched = libs({"build", "ring-kernels"});
    EXPECT_EQ(unmatched.status, 2);
    EXPECT_NE(unmatched.errors.find("no file matches 'kernl_add.c' (sources)"), std::string::npos) << unmatched.errors;
    EXPECT_NE(unmatched.errors.find("did you mean 'kernel_add.c'"), std::string::npos) << unmatched.errors;
}

TEST_F(LibrariesTest, ManyProcessesAtOnceBuildOnce) {
    constexpr int k_processes = 6;
    std::vector<json> documents(k_processes);
    std::vector<std::jthread> threads;
    for (int i = 0; i < k_processes; ++i) {
        threads.emplace_back([&, i] { documents[static_cast<std::size_t>(i)] = libs_json({"build", "ring-base"}); });
    }
    threads.clear();
    std::map<std::string, int> counts;
    for (const json& document : documents) {
        ++counts[outcomes(document).at("ring-base")];
    }
    EXPECT_EQ(counts["built"], 1);
    EXPECT_EQ(counts["built"] + counts["waited"] + counts["hit"], k_processes);
}

TEST_F(LibrariesTest, OurRuntimeForADevice) {
    const auto arm = find_program("arm-none-eabi-gcc");
    if (!arm) {
        GTEST_SKIP() << "gcc-arm-none-eabi is not installed";
    }
    const json built = libs_json({"build", "metamorph-port", "--device", "cortex-m4-spi"});
    EXPECT_EQ(outcomes(built),
              (std::map<std::string, std::string>{{"metamorph-port", "built"}, {"metamorph-runtime", "built"}}));
    EXPECT_TRUE(
        fs::exists(fs::path(built["libraries"][0]["files"].get<std::string>()) / "include/metamorph/mm_runtime.h"));
    const ProcessOutcome why = libs({"why", "metamorph-runtime", "--device", "cortex-m4-spi", "--feature", "debug"});
    EXPECT_NE(why.output.find("is not stored"), std::string::npos) << why.output << why.errors;
    EXPECT_NE(why.output.find("    feature: debug → (none)\n    flag: -O0 -g3 → (none)\n"), std::string::npos)
        << why.output;
}

// What this target cannot have is told, and all else is built.
TEST_F(LibrariesTest, AllSkipsWhatATargetCannotHave) {
    const json built = libs_json({"build", "--all"});
    EXPECT_EQ(outcomes(built).at("ring-kernels+ring-runtime"), "built");
    std::map<std::string, std::string> skipped;
    for (const json& one : built["skipped"]) {
        skipped[one["name"]] = one["reason"];
    }
    ASSERT_TRUE(skipped.contains("metamorph-port"));
    EXPECT_NE(skipped["metamorph-port"].find("for the cores cortex-m4f or rv32imc, and not for host with gcc"),
              std::string::npos)
        << skipped["metamorph-port"];
    const ProcessOutcome refused = libs({"build", "metamorph-port"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.errors.find("not for host with gcc"), std::string::npos) << refused.errors;
}

}  // namespace
}  // namespace metamorph
