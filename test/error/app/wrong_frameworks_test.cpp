// Framework descriptions that are wrong: each with what is said, at which line and column, and what to do.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/framework.h"

namespace metamorph::app {
namespace {

constexpr const char* k_good = R"(name = "gen"
description = "a generator"

[generator]
kind = "python"
module = "gen"
distribution = "gen-dist"
version_min = "1.2"
version_below = "2"
packages = ["gen-dist==1.4"]

[model]
formats = ["onnx"]

[prepare]
arguments = ["{python}", "{folder}/prepare.py", "{model}"]
output = "prepared.onnx"

[command]
arguments = ["{python}", "-m", "gen", "{options}", "{prepared}"]
seconds_max = 60

[[option]]
name = "speed"
description = "how fast"
choices = ["fast", "slow"]
flags = ["--speed", "{value}"]
default = "fast"
excludes = ["size"]

[[option]]
name = "size"
description = "how small"
choices = { small = ["--small"], large = [] }

[output]
sources = ["{prefix}.c"]
headers = ["*.h"]

[entry]
function = "{prefix}_run"

[[entry.parameter]]
name = "arena"
role = "arena"
bytes_macro = "{PREFIX}_BYTES"

[[hazard]]
text = "it calls malloc"
contains = "malloc("
refuse = true
)";

// The good description with the first `from` replaced by `to`.
struct Wrong {
    const char* name;
    const char* from;
    const char* to;
    const char* at;  // where the error points: the first such text in the description; "": its beginning
    const char* message;
    const char* hint;  // a part of it
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.to;
}

std::string position_of(const std::string& text, const std::string& what) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const std::size_t begin = text.rfind('\n', at) + 1;
    return fmt::format("lab/framework.toml:{}:{}", line, what.empty() ? 1 : at - begin + 1);
}

class WrongFramework : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFramework, IsRefusedWithLineAndColumn) {
    const Wrong& wrong = GetParam();
    std::string text = k_good;
    const std::size_t at = text.find(wrong.from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string(wrong.from).size(), wrong.to);
    const auto framework = read_framework(text, "lab/framework.toml");
    ASSERT_FALSE(framework.has_value());
    EXPECT_EQ(framework.error().code, ErrorCode::options);
    EXPECT_EQ(framework.error().message, wrong.message);
    EXPECT_EQ(framework.error().where, position_of(text, wrong.at));
    EXPECT_NE(framework.error().hint.find(wrong.hint), std::string::npos) << framework.error().hint;
    EXPECT_FALSE(std::string(wrong.hint).empty());
}

const std::vector<Wrong> k_wrong{
    {"NoToml", "kind = \"python\"", "kind = python", "python\n",
     "this is not TOML: Error while parsing value: could not determine value type", "docs/frameworks.md"},
    {"UnknownKey", "seconds_max = 60", "second_max = 60", "second_max", "there is no key 'command.second_max' here",
     "did you mean 'seconds_max'?"},
    {"UnknownTable", "[prepare]", "[preparation]", "preparation", "there is no key 'preparation' here", "the keys are"},
    {"Missing", "seconds_max = 60\n", "", "[command]", "'command.seconds_max' is missing",
     "add 'seconds_max = …', an integer; docs/frameworks.md"},
    {"NoGenerator", "[generator]\nkind", "[generated]\nkind", "generated", "there is no key 'generated' here",
     "did you mean 'generator'?"},
    {"WrongType", "formats = [\"onnx\"]", "formats = \"onnx\"", "formats", "'model.formats' is a text",
     "an array of texts"},
    {"UnknownKind", "kind = \"python\"", "kind = \"pyton\"", "kind", "'generator.kind' is 'pyton'",
     "did you mean 'python'?"},
    {"NameOfAPath", "name = \"gen\"", "name = \"../gen\"", "name", "'../gen' is no name here", "use letters"},
    {"NotPinned", "gen-dist==1.4", "gen-dist>=1.4", "packages", "'gen-dist>=1.4' is not pinned", "name==1.2.3"},
    {"AnAddressAsPackage", "gen-dist==1.4", "gen @ http:==1", "packages", "'gen @ http:==1' is not pinned",
     "name==1.2.3"},
    {"NoInstallation", "packages = [\"gen-dist==1.4\"]\n", "", "[generator]",
     "nothing says how the generator is installed", "add packages"},
    {"NoVersion", "version_min = \"1.2\"", "version_min = \"new\"", "version_min", "'new' is no version",
     "numbers with dots"},
    {"NoVersionLeft", "version_below = \"2\"", "version_below = \"1.2\"", "version_below",
     "no version is at least 1.2 and below 1.2", "the first version that is not accepted"},
    {"FormatWithADot", "formats = [\"onnx\"]", "formats = [\".onnx\"]", "formats", "'.onnx' is no ending of files",
     "without the dot"},
    {"UnknownPlaceholder", "\"{options}\", \"{prepared}\"", "\"{options}\", \"{modl}\"",
     "arguments = [\"{python}\", \"-m\"", "'{modl}' means nothing here", "did you mean 'model'?"},
    {"PreparedWithoutPreparation",
     "[prepare]\narguments = [\"{python}\", \"{folder}/prepare.py\", \"{model}\"]\noutput = \"prepared.onnx\"\n", "",
     "arguments", "'{prepared}' means nothing here", "known here: {python}"},
    {"OptionsWithinAnArgument", "\"{options}\"", "\"-x{options}\"", "arguments = [\"{python}\", \"-m\"",
     "{options} stands for any number of arguments", "an argument of its own"},
    {"EmptyCommand", "arguments = [\"{python}\", \"-m\", \"gen\", \"{options}\", \"{prepared}\"]", "arguments = []",
     "arguments = []", "'command.arguments' is empty", "begin with"},
    {"OptionWithoutEffect", "choices = [\"fast\", \"slow\"]\nflags = [\"--speed\", \"{value}\"]",
     "flags = [\"--speed\"]", "flags", "no flag holds {value}, so the value has no effect", "--flag={value}"},
    {"DefaultThatIsNoChoice", "default = \"fast\"", "default = \"fat\"", "default", "'fat' is none of the choices",
     "fast, slow"},
    {"TwoOptionsOfOneName", "name = \"size\"", "name = \"speed\"", "name = \"speed\"\ndescription = \"how small\"",
     "there are two options 'speed'", "rename one"},
    {"ExcludesNobody", "excludes = [\"size\"]", "excludes = [\"siz\"]", "excludes", "'siz' is no other option",
     "did you mean 'size'?"},
    {"SourceElsewhere", "sources = [\"{prefix}.c\"]", "sources = [\"../{prefix}.c\"]", "sources",
     "'../{prefix}.c' does not stay below its folder", "relative path"},
    {"NoSources", "sources = [\"{prefix}.c\"]", "sources = []", "sources", "'output.sources' is empty", "name the C"},
    {"NoEntry",
     "[entry]\nfunction = \"{prefix}_run\"\n\n[[entry.parameter]]\nname = \"arena\"\nrole = \"arena\"\n"
     "bytes_macro = \"{PREFIX}_BYTES\"\n",
     "", "", "nothing says which function is the inference entry", "[entry]"},
    {"UnknownRole", "role = \"arena\"", "role = \"arenas\"", "role", "'entry.parameter[0].role' is 'arenas'",
     "did you mean 'arena'?"},
    {"TwoExtents", "bytes_macro", "bytes = 4\nbytes_macro", "bytes", "'bytes' contradicts 'bytes_macro'", "leave one"},
    {"ConstantWithoutValue", "role = \"arena\"", "role = \"constant\"", "[[entry.parameter]]",
     "'value' belongs to the role \"constant\", and to no other", "value = 10"},
    {"RefusedAlways", "contains = \"malloc(\"\n", "", "refuse", "what is always refused cannot be used at all",
     "add contains"},
    {"NoSuchCompanion", "[entry]\n", "[[file]]\npath = \"a.h\"\nfrom = \"nowhere.h\"\n[entry]\n", "from",
     "'nowhere.h' cannot be read: cannot read lab/nowhere.h: No such file or directory", "beside the description"},
};

INSTANTIATE_TEST_SUITE_P(All, WrongFramework, testing::ValuesIn(k_wrong),
                         [](const auto& wrong) { return std::string(wrong.param.name); });

constexpr const char* k_opaque = R"(name = "gen"
description = "a generator of C++"
[generator]
kind = "program"
program = "gen"
version_arguments = []
install = "build it"
[source]
crate = "genlib==1.2.0"
sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
folder = "lib"
option = "tree"
[model]
formats = ["onnx"]
[command]
arguments = ["{program}", "{source}", "{options}", "{model}"]
seconds_max = 60
[[option]]
name = "tree"
description = "another tree"
flags = []
[output]
sources = ["{prefix}.c"]
[opaque]
stand_ins = ["{prefix}_stand_in.c"]
archive = "lib{prefix}.a"
arguments = ["{program}", "{compiler}", "{flags}", "{source}", "{archive}"]
[entry]
function = "{prefix}_run"
)";

const std::vector<Wrong> k_wrong_opaque = {
    {"UnpinnedCrate", "genlib==1.2.0", "genlib", "crate", "'genlib' is no pinned crate", "write it as"},
    {"CrateWithAPath", "genlib==1.2.0", "../genlib==1.2.0", "crate", "'../genlib==1.2.0' is no pinned crate", "write"},
    {"ShortHash", "sha256 = \"0123456789abcdef", "sha256 = \"", "sha256",
     "'0123456789abcdef0123456789abcdef0123456789abcdef' is no SHA-256", "64 small hexadecimal digits"},
    {"FolderElsewhere", "\"lib\"", "\"../lib\"", "folder", "'../lib' does not stay below its folder", "without '..'"},
    {"NoSuchOption", "[[option]]\nname = \"tree\"\ndescription = \"another tree\"\nflags = []\n", "", "option",
     "there is no option 'tree'", "[[option]]"},
    {"SourceOfPython", "kind = \"program\"\nprogram = \"gen\"\nversion_arguments = []",
     "kind = \"python\"\nmodule = \"g\"\ndistribution = \"g\"", "source]",
     "'source' is for generators of kind \"program\"", "leave it out"},
    {"NoStandIns", "[\"{prefix}_stand_in.c\"]", "[]", "stand_ins",
     "nothing says what the code that is not read reads and writes", "stand in for it"},
    {"StandInThatIsCompiled", "sources = [\"{prefix}.c\"]", "sources = [\"{prefix}_stand_in.c\"]", "stand_ins",
     "'{prefix}_stand_in.c' is compiled, too", "only read"},
    {"ArchiveElsewhere", "\"lib{prefix}.a\"", "\"/lib{prefix}.a\"", "archive",
     "'/lib{prefix}.a' does not stay below its folder", "relative"},
    {"FlagsInOneArgument", "\"{flags}\"", "\"-x{flags}\"", "arguments = [\"{program}\", \"{compiler}\"",
     "{flags} stands for any number of arguments", "an argument of its own"},
    {"NoModelForAnArchive", "\"{archive}\"", "\"{model}\"", "arguments = [\"{program}\", \"{compiler}\"",
     "'{model}' means nothing here", "known here"},
    {"LibraryThatIsNotNamed", "\"{archive}\"", "\"{library}\", \"{archive}\"", "[opaque]",
     "{library} stands for a runtime library, and 'opaque.library' names none", "add library"},
    {"FeatureOfNoLibrary", "flags = []\n[output]", "flags = []\nlibrary_feature = true\n[output]", "option]]",
     "values of 'tree' are features of a library, and 'opaque.library' names none", "add library"},
};

TEST(WrongOpaqueFramework, IsRefusedWithLineAndColumn) {
    const auto good = read_framework(k_opaque, "lab/framework.toml");
    ASSERT_TRUE(good.has_value()) << describe(good.error());
    for (const Wrong& wrong : k_wrong_opaque) {
        SCOPED_TRACE(wrong.name);
        std::string text = k_opaque;
        const std::size_t at = text.find(wrong.from);
        ASSERT_NE(at, std::string::npos);
        text.replace(at, std::string(wrong.from).size(), wrong.to);
        const auto framework = read_framework(text, "lab/framework.toml");
        ASSERT_FALSE(framework.has_value());
        EXPECT_EQ(framework.error().code, ErrorCode::options);
        EXPECT_EQ(framework.error().message, wrong.message);
        EXPECT_EQ(framework.error().where, position_of(text, wrong.at));
        EXPECT_NE(framework.error().hint.find(wrong.hint), std::string::npos) << framework.error().hint;
    }
}

TEST(GoodFramework, IsReadWhole) {
    const auto framework = read_framework(k_good, "lab/framework.toml");
    ASSERT_TRUE(framework.has_value()) << describe(framework.error());
    EXPECT_EQ(framework->kind, GeneratorKind::python);
    EXPECT_EQ(framework->seconds_max, 60U);
    ASSERT_EQ(framework->options.size(), 2U);
    EXPECT_EQ(framework->options[0].default_value, "fast");
    EXPECT_EQ(framework->options[1].choices, (std::vector<std::string>{"large", "small"}));
    EXPECT_EQ(framework->options[1].flags_of_choice.at("small"), std::vector<std::string>{"--small"});
    EXPECT_EQ(framework->parameters.at(0).bytes_macro, "{PREFIX}_BYTES");
    EXPECT_TRUE(framework->hazards.at(0).refuse);
    EXPECT_EQ(framework->folder.filename(), "lab");
}

}  // namespace
}  // namespace metamorph::app
