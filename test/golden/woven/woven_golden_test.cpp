// The project in examples/ is what weaving gives, byte for byte. To accept a change: `make examples`, then look at the
// diff.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "pipeline/pipeline.h"
#include "pipeline/project_folder.h"
#include "util/interrupt.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

const fs::path k_source = METAMORPH_SOURCE_DIR;

std::string read_all(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::set<std::string> files_below(const fs::path& folder) {
    std::set<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files.insert(fs::relative(entry.path(), folder).generic_string());
        }
    }
    return files;
}

TEST(WovenGolden, TheExampleIsWhatWeavingGives) {
    const auto woven = pipeline::weave_model({k_source / "models/digits/digits_int8.tflite",
                                              "",
                                              tasks::parse_split("3,3").value(),
                                              tasks::NvmMode::bus,
                                              {}});
    ASSERT_TRUE(woven.has_value()) << describe(woven.error());
    const auto scratch = ScratchFolder::make("metamorph-example").value();
    ASSERT_TRUE(pipeline::write_project(scratch.path() / "digits", woven->project.files));
    const fs::path golden = k_source / "examples/digits";
    EXPECT_EQ(files_below(scratch.path() / "digits"), files_below(golden)) << "make examples, and look at the diff";
    for (const std::string& file : files_below(golden)) {
        EXPECT_EQ(read_all(scratch.path() / "digits" / file), read_all(golden / file))
            << file << ": make examples, and look at the diff";
    }
}

// The walk-through names files and figures: they have to be there.
TEST(WovenGolden, TheReadmeOfTheExamplesIsTrue) {
    const std::string readme = read_all(k_source / "examples/README.md");
    std::size_t named = 0;
    for (std::size_t at = 0; (at = readme.find("**`digits/", at)) != std::string::npos; ++named) {
        at += 3;
        const std::string path = readme.substr(at, readme.find('`', at) - at);
        EXPECT_TRUE(fs::exists(k_source / "examples" / path)) << path;
    }
    EXPECT_EQ(named, 6U);
    const std::string tasks = read_all(k_source / "examples/digits/app/digits_int8_tasks.c");
    EXPECT_NE(tasks.find("arena[2304]"), std::string::npos);
    const std::string tables = read_all(k_source / "examples/digits/app/digits_int8_tables.c");
    EXPECT_NE(tables.find("commit_01[] = {\n    {.home = 128u, .sram = &digits_int8_sram_arena[0], .bytes = 1280u"),
              std::string::npos);
}

}  // namespace
}  // namespace metamorph
