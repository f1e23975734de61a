// The frameworks that come with Metamorph, those of a user's own, and versions.
#include "app/framework.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace metamorph::app {
namespace {

namespace fs = std::filesystem;

class ShippedFramework : public testing::TestWithParam<std::string> {};

TEST_P(ShippedFramework, IsReadAndIsCalledLikeItsFolder) {
    const auto framework = find_framework(GetParam());
    ASSERT_TRUE(framework.has_value()) << describe(framework.error());
    EXPECT_EQ(framework->name, GetParam());
    EXPECT_TRUE(framework->folder.empty());
    EXPECT_TRUE(framework->companions.contains("framework.toml"));
}

TEST_P(ShippedFramework, CanBeGivenAsAFileOrAsItsFolder) {
    const fs::path folder = fs::path(METAMORPH_SOURCE_DIR) / "frameworks" / GetParam();
    for (const fs::path& path : {folder / "framework.toml", folder}) {
        const auto framework = find_framework(path.string());
        ASSERT_TRUE(framework.has_value()) << describe(framework.error());
        EXPECT_EQ(framework->text, find_framework(GetParam())->text);
        EXPECT_EQ(framework->folder, folder);
    }
}

// What is installed today must be what is installed tomorrow.
TEST_P(ShippedFramework, PinsWhatItInstallsWithinItsVersions) {
    const Framework framework = find_framework(GetParam()).value();
    if (framework.kind != GeneratorKind::python) {
        EXPECT_TRUE(framework.packages.empty());
        return;
    }
    const auto own =
        std::find_if(framework.packages.begin(), framework.packages.end(),
                     [&](const std::string& package) { return package.starts_with(framework.distribution + "=="); });
    ASSERT_NE(own, framework.packages.end());
    const std::string version = own->substr(own->find("==") + 2);
    EXPECT_GE(compare_versions(version, framework.version_min), 0);
    EXPECT_LT(compare_versions(version, framework.version_below), 0);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedFramework, testing::ValuesIn(framework_names()), [](const auto& name) {
    std::string word = name.param;
    std::replace(word.begin(), word.end(), '-', '_');
    return word;
});

TEST(Frameworks, AnUnknownNameGetsASuggestion) {
    EXPECT_EQ(find_framework("native").error().message,
              "'native' is Metamorph's own generator, and has no description");
    const auto framework = find_framework("emx-onx-cgen");
    ASSERT_FALSE(framework.has_value());
    EXPECT_EQ(framework.error().code, ErrorCode::options);
    EXPECT_EQ(framework.error().where, "--generator");
    EXPECT_EQ(framework.error().message, "there is no generator 'emx-onx-cgen'");
    EXPECT_NE(framework.error().hint.find("did you mean 'emx-onnx-cgen'?"), std::string::npos);
}

TEST(Frameworks, VersionsAreComparedByNumbers) {
    EXPECT_LT(compare_versions("1.4", "1.10"), 0);
    EXPECT_GT(compare_versions("2", "1.99.99"), 0);
    EXPECT_EQ(compare_versions("1.4.0", "1.4"), 0);
    EXPECT_GT(compare_versions("1.4.1", "1.4"), 0);
    EXPECT_EQ(compare_versions("1.4.0rc1", "1.4.0"), 0) << "what follows the numbers does not count";
    EXPECT_LT(compare_versions("0.9", "1"), 0);
}

// One of a user's own, beside his project, wins over ours of the same name, and knows files of its folder.
TEST(Frameworks, AFolderBesideTheProjectIsFoundByItsName) {
    std::string pattern = testing::TempDir() + "frameworks_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    const fs::path project = pattern, before = fs::current_path();
    for (const std::string name : {"mine", "custom"}) {
        fs::create_directories(project / "frameworks" / name);
        std::ofstream(project / "frameworks" / name / "framework.toml")
            << "name = \"" << name << "\"\ndescription = \"ours\"\n[generator]\nkind = \"none\"\n"
            << "[model]\nformats = [\"folder\"]\n[output]\nsources = [\"*.c\"]\n"
            << "[[file]]\npath = \"vendor.h\"\nfrom = \"stub.h\"\n";
        std::ofstream(project / "frameworks" / name / "stub.h") << "#define VENDOR\n";
    }
    fs::current_path(project);
    const auto mine = find_framework("mine"), custom = find_framework("custom");
    const std::vector<std::string> names = reachable_framework_names();
    fs::current_path(before);
    fs::remove_all(project);
    ASSERT_TRUE(mine.has_value()) << describe(mine.error());
    ASSERT_EQ(mine->files.size(), 1U);
    EXPECT_EQ(mine->files[0].path, "vendor.h");
    EXPECT_EQ(mine->files[0].contents, "#define VENDOR\n");
    ASSERT_TRUE(custom.has_value()) << describe(custom.error());
    EXPECT_EQ(custom->description, "ours");
    EXPECT_NE(std::find(names.begin(), names.end(), "mine"), names.end());
    EXPECT_EQ(std::count(names.begin(), names.end(), "custom"), 1);
}

// Who works elsewhere (a run of a matrix) is told where the project's descriptions are; the libraries of one that is
// given by its path win over all others.
TEST(Frameworks, AFolderElsewhereIsNamedByTheEnvironment) {
    std::string pattern = testing::TempDir() + "frameworks_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    const fs::path project = pattern;
    const auto describe_kernels = [&](const fs::path& folder, const std::string& text) {
        fs::create_directories(folder);
        std::ofstream(folder / "framework.toml")
            << "name = \"mine\"\ndescription = \"ours\"\n[[library]]\nname = \"kernels\"\ndescription = \"" << text
            << "\"\nsource = \"src\"\nsources = [\"*.c\"]\n";
        return read_framework(
            [&] {
                std::ifstream file(folder / "framework.toml");
                return std::string(std::istreambuf_iterator<char>(file), {});
            }(),
            folder / "framework.toml");
    };
    const auto found = [](const Framework* at_path) {
        const auto all = find_libraries(at_path);
        EXPECT_TRUE(all.has_value());
        const auto kernels =
            std::find_if(all->begin(), all->end(), [](const Library& l) { return l.name == "kernels"; });
        return kernels == all->end() ? std::string("none") : kernels->description;
    };
    describe_kernels(project / "descriptions/mine", "in the folder");
    const auto other = describe_kernels(project / "other", "at a path");
    ASSERT_TRUE(other.has_value()) << describe(other.error());
    EXPECT_EQ(found(nullptr), "none");
    EXPECT_EQ(found(&*other), "at a path");
    ::setenv("METAMORPH_FRAMEWORKS", (project / "descriptions").c_str(), 1);
    const std::string by_folder = found(nullptr), by_path = found(&*other);
    ::unsetenv("METAMORPH_FRAMEWORKS");
    fs::remove_all(project);
    EXPECT_EQ(by_folder, "in the folder");
    EXPECT_EQ(by_path, "at a path");
}

}  // namespace
}  // namespace metamorph::app
