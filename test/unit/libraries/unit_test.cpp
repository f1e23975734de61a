#include "libraries/unit.h"

#include "unit/libraries/sample_description.h"

namespace metamorph::libraries {
namespace {

// Libraries of one source each, from "a → b c" (needs) and "[x]" (the cycle they declare).
struct Spec {
    std::string name;
    std::vector<std::string> needs;
    std::string cycle;
};

std::vector<app::Library> libraries_of(const std::vector<Spec>& specs) {
    std::vector<app::Library> libraries;
    for (const Spec& spec : specs) {
        app::Library library;
        library.name = spec.name;
        library.cycle = spec.cycle;
        library.part.sources = {"x.c"};
        library.part.needs = spec.needs;
        library.features = {{"debug", "", {}, {}, {}}};
        libraries.push_back(library);
    }
    return libraries;
}

Result<std::vector<std::string>> unit_names(const std::vector<Spec>& specs, const std::vector<std::string>& names,
                                            const std::vector<std::string>& features = {}) {
    const auto trees = [](const app::Library&) -> Result<SourceTree> { return tree_of_files({{"x.c", ""}}, "t"); };
    MM_TRY(const std::vector<Unit> units, units_for(libraries_of(specs), names, features, Target{}, trees));
    std::vector<std::string> found;
    for (const Unit& unit : units) {
        found.push_back(unit.name());
    }
    return found;
}

using Names = std::vector<std::string>;

TEST(Units, ComeBehindWhatTheyNeed) {
    EXPECT_EQ(*unit_names({{"a", {"b", "c"}, ""}, {"b", {"c"}, ""}, {"c", {}, ""}, {"d", {}, ""}}, {"a"}),
              (Names{"c", "b", "a"}));
    EXPECT_EQ(*unit_names({{"a", {}, ""}, {"b", {"a"}, ""}}, {"a", "b"}), (Names{"a", "b"}));
}

TEST(Units, ADeclaredCycleIsOneUnitAndOnlyThatGroup) {
    const std::vector<Spec> specs{
        {"app", {"k"}, ""}, {"k", {"r", "z"}, "tvm"}, {"r", {"k"}, "tvm"}, {"z", {}, ""}, {"y", {"r"}, ""}};
    EXPECT_EQ(*unit_names(specs, {"app"}), (Names{"z", "k+r", "app"}));
    EXPECT_EQ(*unit_names(specs, {"y"}), (Names{"z", "k+r", "y"}));
}

TEST(Units, CyclesMustBeDeclaredAndReal) {
    const auto undeclared = unit_names({{"k", {"r"}, ""}, {"r", {"k"}, ""}}, {"k"});
    ASSERT_FALSE(undeclared);
    EXPECT_NE(undeclared.error().message.find("k and r need each other"), std::string::npos);
    const auto half = unit_names({{"k", {"r"}, "x"}, {"r", {"k"}, ""}}, {"k"});
    EXPECT_FALSE(half);
    const auto unreal = unit_names({{"k", {"r"}, "x"}, {"r", {}, "x"}}, {"k"});
    ASSERT_FALSE(unreal);
    EXPECT_NE(unreal.error().message.find("do not need each other"), std::string::npos);
}

TEST(Units, UnknownNamesAreToldWithTheNearest) {
    const auto library = unit_names({{"kernels", {}, ""}}, {"kernel"});
    ASSERT_FALSE(library);
    EXPECT_EQ(library.error().hint, "did you mean 'kernels'?");
    const auto need = unit_names({{"kernels", {"bas"}, ""}, {"base", {}, ""}}, {"kernels"});
    ASSERT_FALSE(need);
    EXPECT_EQ(need.error().where, "library 'kernels'");
    const auto feature = unit_names({{"kernels", {}, ""}}, {"kernels"}, {"debgu"});
    ASSERT_FALSE(feature);
    EXPECT_EQ(feature.error().hint, "did you mean 'debug'?");
}

TEST(Units, ALibraryIsForItsTargetsAlone) {
    std::vector<app::Library> all = libraries_of({{"app", {"k"}, ""}, {"k", {}, ""}, {"other", {}, ""}});
    all[1].targets.cores = {"cortex-m4f"};
    all[1].targets.toolchains = {"gcc"};
    all[1].targets_reason = "it wants arm_acle.h";
    const auto trees = [](const app::Library&) -> Result<SourceTree> { return tree_of_files({{"x.c", ""}}, "t"); };
    Target target{"m4", "gcc", "cortex-m4f", "bus", "cc", {}, {}};
    EXPECT_TRUE(units_for(all, {"app"}, {}, target, trees));
    target.toolchain = "clang";
    EXPECT_TRUE(units_for(all, {"other"}, {}, target, trees));
    const auto refused = units_for(all, {"app"}, {}, target, trees);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::options);
    EXPECT_EQ(refused.error().message,
              "'app' needs 'k': 'k' is for the core cortex-m4f, the toolchain gcc, and not for m4 with clang: it wants "
              "arm_acle.h");
}

}  // namespace
}  // namespace metamorph::libraries
