// The driver with a generator that the test writes: a shell script that does what each test says.
#include "generate/driver/driver.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "generate/driver/collect.h"
#include "generate/driver/generator_process.h"
#include "generate/driver/opaque_archive.h"

namespace metamorph::generate {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_version = "[ \"$1\" = --version ] && { echo 'fakegen release 1.5 of 2020'; exit 0; }\n";
constexpr const char* k_writes = R"(
cat > "$1.h" <<END
#define FAKE_$(echo "$1" | tr a-z A-Z)_BYTES (640u)
void $1_run(unsigned char *arena, const signed char *x, signed char *y);
END
printf '#include "%s.h"\nvoid %s_run(unsigned char *arena, const signed char *x, signed char *y)\n{\n    y[0] = x[0];\n}\n' \
    "$1" "$1" > "$1.c"
echo 'not C' > notes.txt
)";

class Driver : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "driver_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_folder = pattern;
        ::setenv("METAMORPH_VENVS", (m_folder / "venvs").c_str(), 1);
        ::setenv("TMPDIR", m_folder.c_str(), 1);  // what the driver leaves behind is seen
        write("net.onnx", "network");
    }
    void TearDown() override {
        fs::remove_all(m_folder);
        ::unsetenv("METAMORPH_VENVS");
        ::unsetenv("TMPDIR");
    }

    void write(const std::string& path, const std::string& contents) {
        fs::create_directories((m_folder / path).parent_path());
        std::ofstream(m_folder / path) << contents;
    }
    void script(const std::string& body) {
        write("fakegen", "#!/bin/sh\n" + body);
        fs::permissions(m_folder / "fakegen", fs::perms::owner_all);
    }

    app::Framework framework(const std::string& more = "") const {
        const std::string text = fmt::format(R"(
name = "fake"
description = "a fake"
[generator]
kind = "program"
program = "{}"
version_arguments = ["--version"]
version_min = "1.2"
version_below = "2"
install = "build fakegen 1.2 or later"
[model]
formats = ["onnx"]
[command]
arguments = ["{{program}}", "{{prefix}}", "{{options}}", "{{model}}"]
seconds_max = 20
[output]
sources = ["{{prefix}}.c"]
headers = ["*.h"]
[entry]
function = "{{prefix}}_run"
[[entry.parameter]]
name = "arena"
role = "arena"
bytes_macro = "FAKE_{{PREFIX}}_BYTES"
{})",
                                             (m_folder / "fakegen").string(), more);
        auto read = app::read_framework(text, m_folder / "framework.toml");
        EXPECT_TRUE(read.has_value()) << describe(read.error());
        return *read;
    }
    DriverRequest request() const {
        DriverRequest request;
        request.model = m_folder / "net.onnx";
        return request;
    }
    Error error_of(const Result<ForeignCode>& code) const {
        EXPECT_FALSE(code.has_value());
        return code ? Error{} : code.error();
    }
    std::vector<std::string> left_behind() const {  // files in scratch folders
        std::vector<std::string> names;
        for (const auto& entry : fs::recursive_directory_iterator(m_folder)) {
            if (entry.is_regular_file() && entry.path().string().find("metamorph-generator") != std::string::npos) {
                names.push_back(entry.path().filename().string());
            }
        }
        return names;
    }

    fs::path m_folder;
};

TEST_F(Driver, TakesWhatComesOut) {
    script(std::string(k_version) + k_writes);
    const auto code = run_generator(framework(), request());
    ASSERT_TRUE(code.has_value()) << describe(code.error());
    EXPECT_EQ(code->generator, "fake 1.5");
    EXPECT_EQ(code->prefix, "net");
    EXPECT_EQ(code->entry, "net_run");
    EXPECT_EQ(code->sources, std::vector<std::string>{"net.c"});
    EXPECT_EQ(code->include_dirs, std::vector<std::string>{"."});
    ASSERT_EQ(code->files.size(), 2U) << "what no pattern names is left out";
    EXPECT_TRUE(code->files.contains("net.h"));
    ASSERT_EQ(code->parameters.size(), 1U);
    EXPECT_EQ(code->parameters[0].role, ForeignParameter::Role::arena);
    EXPECT_EQ(code->parameters[0].bytes, 640) << "of the macro in net.h";
    EXPECT_TRUE(code->notes.empty());
    EXPECT_TRUE(left_behind().empty());
}

TEST_F(Driver, TheUsersParametersWinOverTheDescriptions) {
    script(std::string(k_version) + k_writes);
    DriverRequest wanted = request();
    wanted.prefix = "mine";
    wanted.parameters = {{"arena", ForeignParameter::Role::arena, 1000, 0}, {"x", ForeignParameter::Role::input, 4, 0}};
    const auto code = run_generator(framework(), wanted);
    ASSERT_TRUE(code.has_value()) << describe(code.error());
    EXPECT_EQ(code->entry, "mine_run");
    ASSERT_EQ(code->parameters.size(), 2U);
    EXPECT_EQ(code->parameters[0].bytes, 1000);
    EXPECT_EQ(code->parameters[1].name, "x");
}

TEST_F(Driver, ACrashShowsTheLastLinesTheCommandAndTheLog) {
    script(std::string(k_version) +
           "echo half > \"$1.c\"\necho 'reading the network'\necho 'cannot do Gelu' >&2\nkill -SEGV $$\n");
    const Error error = error_of(run_generator(framework(), request()));
    EXPECT_EQ(error.code, ErrorCode::toolchain);
    EXPECT_EQ(
        error.message,
        "fake failed: signal 11 (Segmentation fault); its last lines:\n    reading the network\n    cannot do Gelu");
    ASSERT_EQ(error.context.size(), 1U);
    EXPECT_EQ(error.context[0], fmt::format("while running {0}/fakegen net {0}/net.onnx", m_folder.string()));
    std::ifstream log(error.where);
    std::string first;
    std::getline(log, first);
    EXPECT_EQ(first, "$ " + error.context[0].substr(std::string("while running ").size()));
    EXPECT_EQ(left_behind(), std::vector<std::string>{"fake.log"}) << "and no half-made source";
}

TEST_F(Driver, AHangEndsAtTheTimeLimit) {
    script(std::string(k_version) + "echo thinking\nsleep 600\n");
    DriverRequest wanted = request();
    wanted.timeout = std::chrono::milliseconds(500);
    const Error error = error_of(run_generator(framework(), wanted));
    EXPECT_EQ(error.code, ErrorCode::toolchain);
    EXPECT_EQ(error.message, "fake did not end within 0.5 s; its last lines:\n    thinking");
}

// Its log has the beginning and the end, and the message the end, however much there is between them.
TEST_F(Driver, AGeneratorThatPrintsWithoutEnd) {
    script(std::string(k_version) + "echo first\nhead -c 9000000 /dev/zero | tr '\\0' 'x'\necho\necho last\nexit 1\n");
    const Error error = error_of(run_generator(framework(), request()));
    EXPECT_NE(error.message.find("failed: exit status 1; its last lines:\n"), std::string::npos) << error.message;
    EXPECT_TRUE(error.message.ends_with("\n    last")) << error.message.substr(error.message.size() - 40);
    std::ifstream file(error.where);
    const std::string log(std::istreambuf_iterator<char>(file), {});
    EXPECT_LT(log.size(), 5U << 20);
    EXPECT_NE(log.find("\nfirst\n"), std::string::npos);
    EXPECT_NE(log.find(" bytes are left out here]\n"), std::string::npos);
}

TEST_F(Driver, AGeneratorThatIsNotThere) {
    const Error error = error_of(run_generator(framework(), request()));
    EXPECT_EQ(error.code, ErrorCode::toolchain);
    EXPECT_EQ(error.message, fmt::format("the generator fake is not installed: there is no program '{}'",
                                         (m_folder / "fakegen").string()));
    EXPECT_EQ(error.hint, "build fakegen 1.2 or later");
}

TEST_F(Driver, AWrongVersion) {
    for (const auto& [answer, problem] :
         {std::pair{"fakegen 1.1.9", "version 1.1.9 is older than 1.2"},
          std::pair{"fakegen 2.0", "version 2.0 is not below 2"}, std::pair{"hello", "its version cannot be read"}}) {
        script(fmt::format("[ \"$1\" = --version ] && {{ echo '{}'; exit 0; }}\n{}", answer, k_writes));
        const Error error = error_of(run_generator(framework(), request()));
        EXPECT_EQ(error.code, ErrorCode::toolchain);
        EXPECT_EQ(error.message, fmt::format("the generator fake cannot be used: {}", problem));
        EXPECT_EQ(error.hint, "build fakegen 1.2 or later");
    }
    script("exit 9\n");
    const Error error = error_of(run_generator(framework(), request()));
    EXPECT_NE(error.message.find("asked for its version with"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("exit status 9"), std::string::npos) << error.message;
}

TEST_F(Driver, AGeneratorThatWritesNothingOrSomethingElse) {
    script(std::string(k_version) + "echo done\n");
    Error error = error_of(run_generator(framework(), request()));
    EXPECT_EQ(error.code, ErrorCode::toolchain);
    EXPECT_EQ(error.message, "fake ended well, but wrote no file 'net.c'");
    EXPECT_EQ(error.hint, "there are no files at all");
    EXPECT_TRUE(fs::is_regular_file(error.where)) << error.where;
    script(std::string(k_version) + "echo 1 > other.c\n");
    error = error_of(run_generator(framework(), request()));
    EXPECT_EQ(error.hint, "there are other.c");
}

TEST_F(Driver, AGeneratorThatWritesGarbage) {
    script(std::string(k_version) + "printf 'a\\0b' > \"$1.c\"\n");
    Error error = error_of(run_generator(framework(), request()));
    EXPECT_EQ(error.code, ErrorCode::toolchain);
    EXPECT_EQ(error.message, "'net.c' is no text");
    script(std::string(k_version) + "echo '#define FAKE_NET_BYTES 1' > a.h; echo 'Traceback: none' > \"$1.c\"\n");
    error = error_of(run_generator(framework(), request()));
    EXPECT_EQ(error.code, ErrorCode::model);
    EXPECT_EQ(error.message, "no source defines a function 'net_run'");
    EXPECT_EQ(error.hint, "no source defines any function");
}

// What is not C, and a source tree: in place of a compiler, the archive's command says what it was given.
class OpaqueDriver : public Driver {
protected:
    void SetUp() override {
        Driver::SetUp();
        script(std::string(k_version) + k_writes + k_says);
        fs::create_directories(m_folder / "tree");
    }
    app::Framework opaque(const std::string& archive_script) const {
        return framework(fmt::format(
            "[source]\ncrate = \"fake-tree==1.0.0\"\nsha256 = \"{:064}\"\nfolder = \"lib\"\noption = \"tree\"\n"
            "[[option]]\nname = \"tree\"\ndescription = \"another\"\nflags = []\n"
            "[opaque]\nstand_ins = [\"{{prefix}}_says.c\"]\narchive = \"lib{{prefix}}.a\"\narguments = "
            "[\"sh\", \"-c\", '''{}''', \"{{source}}\", \"{{compiler}}\", \"{{flags}}\"]\n",
            0, archive_script));
    }
    DriverRequest request_with(const std::string& tree) const {
        DriverRequest wanted = request();
        wanted.options = {{"tree", (m_folder / tree).string()}};
        return wanted;
    }

    static constexpr const char* k_says =
        "printf 'void %s_mix(int *x)\\n{\\n    *x = 1;\\n}\\n' \"$1\" > \"$1_says.c\"\n";
};

TEST_F(OpaqueDriver, AnArchiveIsMadeForATarget) {
    const auto code = run_generator(opaque("echo \"$@\" > libnet.a; cat net_says.c >> libnet.a"), request_with("tree"));
    ASSERT_TRUE(code.has_value()) << describe(code.error());
    EXPECT_EQ(code->sources, std::vector<std::string>{"net.c"}) << "what stands in is not compiled";
    ASSERT_TRUE(code->opaque.has_value());
    EXPECT_EQ(code->opaque->stand_ins, std::vector<std::string>{"net_says.c"});
    EXPECT_NE(code->notes.back().find("net_mix is not C, so it was not read"), std::string::npos) << code->notes.back();
    const auto archive = build_archive(*code, nullptr, "far-gcc", {"-mcpu=far", "-x"});
    ASSERT_TRUE(archive.has_value()) << describe(archive.error());
    EXPECT_EQ(*archive, "far-gcc -mcpu=far -x\n" + code->files.at("net_says.c"));
    EXPECT_TRUE(left_behind().empty());
}

TEST_F(OpaqueDriver, ALibraryIsFoundForThisMachineAndForTheDevice) {
    const app::Framework with_library = framework(
        "[[option]]\nname = \"feature\"\ndescription = \"of it\"\nchoices = [\"none\", \"debug\", \"small\"]\nflags = "
        "[]\n"
        "default = \"none\"\nrepeats = true\nlibrary_feature = true\n"
        "[opaque]\nstand_ins = [\"{prefix}_says.c\"]\narchive = \"lib{prefix}.a\"\nlibrary = \"core\"\narguments = "
        "[\"sh\", \"-c\", 'echo $1 > libnet.a', \"sh\", \"{library}\"]\n");
    DriverRequest wanted = request();
    wanted.options = {{"feature", "small"}, {"feature", "debug"}};
    std::vector<LibraryNeed> needs;
    std::vector<const app::Device*> devices;
    wanted.find_archive = [&](const LibraryNeed& need, const app::Device* device) -> Result<fs::path> {
        needs.push_back(need);
        devices.push_back(device);
        return fs::path("/store/libcore.a");
    };
    const auto code = run_generator(with_library, wanted);
    ASSERT_TRUE(code.has_value()) << describe(code.error());
    EXPECT_TRUE(needs.empty()) << "its own command does not ask for {library}";
    const app::Device board;
    EXPECT_EQ(build_archive(*code, &board, "far-gcc", {}).value(), "/store/libcore.a\n");
    ASSERT_EQ(needs.size(), 1U);
    EXPECT_EQ(needs[0].name, "core");
    EXPECT_EQ(needs[0].features, (std::vector<std::string>{"small", "debug"}));
    EXPECT_EQ(devices[0], &board);
}

TEST_F(OpaqueDriver, AnArchiveThatCannotBeMade) {
    const auto error = [&](const std::string& archive_script) {
        const auto code = run_generator(opaque(archive_script), request_with("tree"));
        const auto archive = build_archive(code.value(), nullptr, "far-gcc", {});
        EXPECT_FALSE(archive.has_value());
        return archive ? Error{} : archive.error();
    };
    Error told = error("echo 'metamorph: no library for far'; exit 3");
    EXPECT_EQ(told.code, ErrorCode::model);
    EXPECT_EQ(told.message, "no library for far");
    EXPECT_EQ(told.where, "fake (for far-gcc)");
    told = error("echo broken; exit 1");
    EXPECT_EQ(told.code, ErrorCode::toolchain);
    EXPECT_NE(told.message.find("exit status 1; its last lines:\n    broken"), std::string::npos) << told.message;
    EXPECT_TRUE(fs::is_regular_file(told.where)) << told.where;
    told = error("true");
    EXPECT_EQ(told.code, ErrorCode::toolchain);
    EXPECT_EQ(told.message, "fake ended well, but wrote no 'libnet.a'");
}

TEST_F(OpaqueDriver, AStandInThatDoesNotComeOut) {
    script(std::string(k_version) + k_writes);
    const Error error = error_of(run_generator(opaque("true"), request_with("tree")));
    EXPECT_EQ(error.code, ErrorCode::toolchain);
    EXPECT_EQ(error.message, "fake ended well, but wrote no file 'net_says.c'");
}

TEST_F(OpaqueDriver, ASourceTreeThatIsNotThere) {
    Error error = error_of(run_generator(opaque("true"), request()));
    EXPECT_EQ(error.code, ErrorCode::toolchain);
    EXPECT_EQ(error.message, "the generator fake is not installed: there is no source tree of fake-tree 1.0.0");
    error = error_of(run_generator(opaque("true"), request_with("nowhere")));
    EXPECT_EQ(error.code, ErrorCode::options);
    EXPECT_EQ(error.where, "--option tree");
}

// cargo is a script of ours: what it fetches counts only with the hash that the description names, and then even where
// cargo itself fails at a crate that is not wanted.
TEST_F(OpaqueDriver, ACrateIsFetchedAndItsHashCounts) {
    const std::string path = std::getenv("PATH");
    write("bin/cargo",
          "#!/bin/sh\ngrep -q 'fake-tree = \"=1.0.0\"' Cargo.toml || exit 1\n"
          "mkdir -p \"$CARGO_HOME/registry/cache/r\" fake-tree-1.0.0/lib\necho int > fake-tree-1.0.0/lib/a.cc\n"
          "tar -cf - --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go-w fake-tree-1.0.0 |\n"
          "    gzip -n > \"$CARGO_HOME/registry/cache/r/fake-tree-1.0.0.crate\"\nexit 101\n");
    fs::permissions(m_folder / "bin/cargo", fs::perms::owner_all);
    ::setenv("PATH", ((m_folder / "bin").string() + ":" + path).c_str(), 1);
    app::Framework fake = opaque("true");
    const auto say = [](const std::string&) {};
    const auto refused = install(fake, say);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::toolchain);
    const std::string told = refused.error().message, begins = "the crate has the hash ";
    ASSERT_TRUE(told.starts_with(begins)) << told;
    EXPECT_FALSE(fs::exists(m_folder / "venvs/fake/source"));
    EXPECT_EQ(find_installation(fake)->state, Installation::State::missing);

    fake.source->sha256 = told.substr(begins.size(), 64);
    const auto made = install(fake, say);
    ASSERT_TRUE(made.has_value()) << describe(made.error());
    EXPECT_EQ(made->version, "1.0.0");
    EXPECT_TRUE(fs::is_regular_file(m_folder / "venvs/fake/source/lib/a.cc"));

    write("bin/cargo", "#!/bin/sh\necho 'error: no network' >&2\nexit 101\n");
    const auto failed = install(fake, say);
    ::setenv("PATH", path.c_str(), 1);
    ASSERT_FALSE(failed.has_value());
    EXPECT_NE(failed.error().message.find("error: no network"), std::string::npos) << failed.error().message;
    EXPECT_FALSE(fs::exists(m_folder / "venvs/fake/source.part"));
}

TEST_F(Driver, AnEntryThatDoesNotExistGetsASuggestion) {
    script(std::string(k_version) + k_writes);
    DriverRequest wanted = request();
    wanted.entry = "net_rum";
    const Error error = error_of(run_generator(framework(), wanted));
    EXPECT_EQ(error.code, ErrorCode::model);
    EXPECT_EQ(error.where, "--entry");
    EXPECT_EQ(error.hint, "did you mean 'net_run'?");
}

TEST_F(Driver, AMacroThatIsNoNumber) {
    script(std::string(k_version) + k_writes + "sed -i 's/(640u)/(A + B)/' \"$1.h\"\n");
    const Error error = error_of(run_generator(framework(), request()));
    EXPECT_EQ(error.code, ErrorCode::toolchain);
    EXPECT_EQ(error.message, "no file that came out defines 'FAKE_NET_BYTES' as a plain number");
}

TEST_F(Driver, AFileOfAnotherFormat) {
    write("net.tflite", "x");
    DriverRequest wanted = request();
    wanted.model = m_folder / "net.tflite";
    const Error error = error_of(run_generator(framework(), wanted));
    EXPECT_EQ(error.code, ErrorCode::options) << "told before that the generator is missing";
    EXPECT_EQ(error.message, "the generator fake does not take such a file");
    EXPECT_NE(error.hint.find("it takes .onnx"), std::string::npos) << error.hint;
}

constexpr const char* k_options = R"(
[[option]]
name = "speed"
description = "how fast"
choices = ["fast", "slow"]
flags = ["--speed={value}"]
default = "fast"
excludes = ["size"]
[[option]]
name = "size"
description = "how small"
choices = { small = ["--small", "{prefix}"], large = [] }
[[option]]
name = "dim"
description = "a dimension"
flags = ["--dim", "{value}"]
repeats = true
)";

std::vector<std::string> flags_for(const app::Framework& framework, DriverRequest request,
                                   std::vector<std::pair<std::string, std::string>> options) {
    request.options = std::move(options);
    const auto commands = plan_commands(framework, {}, request);
    EXPECT_TRUE(commands.has_value()) << describe(commands.error());
    const std::vector<std::string>& argv = commands->back().argv;
    return {argv.begin() + 2, argv.end() - 1};
}

TEST_F(Driver, OptionsBecomeFlagsInTheOrderOfTheDescription) {
    using Flags = std::vector<std::string>;
    const app::Framework fake = framework(k_options);
    EXPECT_EQ(flags_for(fake, request(), {}), Flags{"--speed=fast"});
    EXPECT_EQ(flags_for(fake, request(), {{"dim", "N=1"}, {"speed", "slow"}, {"dim", "M=2"}}),
              (Flags{"--speed=slow", "--dim", "N=1", "--dim", "M=2"}));
    EXPECT_EQ(flags_for(fake, request(), {{"size", "small"}}), (Flags{"--small", "net"}))
        << "no default of an option that contradicts a given one";
    EXPECT_EQ(flags_for(fake, request(), {{"size", "large"}}), Flags{});
}

TEST_F(Driver, OptionsThatAreRefused) {
    const app::Framework fake = framework(k_options);
    const auto refused = [&](std::vector<std::pair<std::string, std::string>> options) {
        DriverRequest wanted = request();
        wanted.options = std::move(options);
        const auto commands = plan_commands(fake, {}, wanted);
        EXPECT_FALSE(commands.has_value());
        return commands ? std::string() : commands.error().message + "; " + commands.error().hint;
    };
    EXPECT_EQ(refused({{"sped", "fast"}}), "the generator fake has no option 'sped'; did you mean 'speed'?");
    EXPECT_EQ(refused({{"speed", "fats"}}), "'fats' is no value of it; did you mean 'fast'?");
    EXPECT_EQ(refused({{"speed", "fast"}, {"speed", "slow"}}), "it is given twice; leave one of them out");
    EXPECT_EQ(refused({{"size", "small"}, {"speed", "slow"}}), "'speed' contradicts 'size'; leave one of them out");
}

TEST_F(Driver, HazardsAreNotesOrRefusals) {
    script(std::string(k_version) + k_writes);
    auto code =
        run_generator(framework("[[hazard]]\ntext = \"rounds oddly\"\n[[hazard]]\ntext = \"copies\"\n"
                                "contains = \"y[0] = x[0]\"\n[[hazard]]\ntext = \"no\"\ncontains = \"malloc\"\n"),
                      request());
    ASSERT_TRUE(code.has_value()) << describe(code.error());
    EXPECT_EQ(code->notes, (std::vector<std::string>{"rounds oddly", "net.c:4: copies"}));
    code = run_generator(framework("[[hazard]]\ntext = \"copies\"\ncontains = \"y[0] = x[0]\"\nrefuse = true\n"),
                         request());
    EXPECT_EQ(error_of(code).code, ErrorCode::model);
    EXPECT_EQ(error_of(code).message, "copies");
    EXPECT_EQ(error_of(code).where, "net.c:4");
}

TEST_F(Driver, APreparationSaysWhatIsWrongWithTheModel) {
    script(std::string(k_version) + "[ \"$1\" = prepare ] && { echo 'metamorph: Gelu is not possible'; exit 3; }\n" +
           k_writes);
    const Error error = error_of(run_generator(
        framework("[prepare]\narguments = [\"{program}\", \"prepare\", \"{model}\"]\noutput = \"p.onnx\"\n"),
        request()));
    EXPECT_EQ(error.code, ErrorCode::model);
    EXPECT_EQ(error.message, "Gelu is not possible");
    EXPECT_TRUE(left_behind().empty());
}

TEST_F(Driver, AManifestSaysWhatADescriptionCannotKnow) {
    app::Framework fake = framework();
    fake.manifest = "entry.json";
    fake.parameters.clear();
    const std::string start = std::string(k_version) + k_writes + "cat > entry.json <<'END'\n";
    script(start + R"({"entry": "net_run", "notes": ["two classes"], "defines": ["FAST=1"],
        "parameters": [{"name": "#0", "role": "arena", "bytes": 12}, {"name": "n", "role": "constant", "value": -3}]})" +
           "\nEND\n");
    const auto code = run_generator(fake, request());
    ASSERT_TRUE(code.has_value()) << describe(code.error());
    EXPECT_FALSE(code->files.contains("entry.json"));
    EXPECT_EQ(code->notes, std::vector<std::string>{"two classes"});
    EXPECT_EQ(code->defines, std::vector<std::string>{"FAST=1"});
    ASSERT_EQ(code->parameters.size(), 2U);
    EXPECT_EQ(code->parameters[0].bytes, 12);
    EXPECT_EQ(code->parameters[1].value, -3);
    for (const auto& [text, message] :
         {std::pair{"[]", "this is no JSON object"},
          std::pair{"{\"entri\": 1}",
                    "'entri' is none of its keys: entry, "
                    "parameters, include_dirs, defines, notes"},
          std::pair{"{\"parameters\": [{\"name\": \"x\", \"role\": \"in\"}]}",
                    "parameter 'x' has a role that is none of input, output, arena, constant, null"},
          std::pair{"{\"parameters\": [{\"name\": \"x\", \"role\": \"input\", \"bytes\": -1}]}",
                    "the bytes of parameter 'x' are no size"}}) {
        script(start + text + "\nEND\n");
        const Error error = error_of(run_generator(fake, request()));
        EXPECT_EQ(error.code, ErrorCode::toolchain);
        EXPECT_EQ(error.message, message);
    }
}

TEST_F(Driver, TheUsersFolderIsTakenAsItIs) {
    write("firmware/net.c",
          "#include \"net.h\"\n#include <vendor/dma.h> // of the board\n#include \"cfg.h\"\n"
          "/* #include \"no.h\" */\nstatic int helper(int x)\n{\n    return x;\n}\n"
          "int infer(const float *x, float *y)\n{\n    y[0] = x[0];\n    return helper(0);\n}\n");
    write("firmware/net.h", "int infer(const float *x, float *y);\n");
    write("firmware/test/demo.c", "#include \"../net.h\"\nint main(void)\n{\n    return 0;\n}\n");
    write("firmware/README", "text");
    write("board/cfg.h", "#define A 1\n");
    DriverRequest wanted;
    wanted.model = m_folder / "firmware/";
    wanted.include_dirs = {m_folder / "board"};
    wanted.defines = {"RAM_FUNC="};
    const app::Framework custom = app::find_framework("custom").value();
    Error error = error_of(run_generator(custom, wanted));
    EXPECT_EQ(error.message, "--entry is missing");
    EXPECT_EQ(error.hint, "functions here: helper, infer");
    wanted.entry = "infer";
    const auto code = run_generator(custom, wanted);
    ASSERT_TRUE(code.has_value()) << describe(code.error());
    EXPECT_EQ(code->prefix, "firmware");
    EXPECT_EQ(code->generator, "custom");
    EXPECT_EQ(code->sources, std::vector<std::string>{"net.c"});
    EXPECT_EQ(code->include_dirs, (std::vector<std::string>{".", "include/0", "stubs"}));
    EXPECT_EQ(code->defines, std::vector<std::string>{"RAM_FUNC="});
    EXPECT_TRUE(code->files.contains("include/0/cfg.h"));
    EXPECT_TRUE(code->files.contains("stubs/vendor/dma.h"));
    EXPECT_FALSE(code->files.contains("stubs/no.h"));
    ASSERT_EQ(code->notes.size(), 2U);
    EXPECT_EQ(code->notes[0], "test/demo.c defines main, so it is left out");
    EXPECT_EQ(code->notes[1].substr(0, 53), "net.c:2: 'vendor/dma.h' is not there: an empty file s");
    wanted.include_dirs = {"boards"};
    EXPECT_EQ(error_of(run_generator(custom, wanted)).message, "there is no folder 'boards'");
}

// frameworks/ itself has folders called like the modules.
TEST_F(Driver, AFolderOfTheModulesNameIsNoInstallation) {
    if (!find_program("python3")) {
        GTEST_SKIP() << "python3 is not installed";
    }
    app::Framework python = framework();
    python.kind = app::GeneratorKind::python;
    python.module = "no_such_module";
    python.distribution = "no-such-package";
    write("no_such_module/readme", "");
    const fs::path before = fs::current_path();
    fs::current_path(m_folder);
    const auto found = find_installation(python);
    fs::current_path(before);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->state, Installation::State::missing);
}

TEST_F(Driver, WhatHasNoPackagesIsNotInstalled) {
    const auto made = install(framework(), [](const std::string&) {});
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, ErrorCode::options);
    EXPECT_EQ(made.error().message, "Metamorph cannot install fake: its description names no packages");
    EXPECT_EQ(made.error().hint, "build fakegen 1.2 or later");
}

TEST_F(Driver, AnInstallationThatFailsLeavesALogAndNoEnvironment) {
    ProcessRequest ask;
    ask.argv = {"python3", "-c", "import ensurepip, venv"};
    if (const auto answer = run_process(ask); !answer || !answer->succeeded()) {
        GTEST_SKIP() << "python3-venv is not installed";
    }
    ::setenv("PIP_NO_INDEX", "1", 1);  // no registry is asked
    app::Framework python = framework();
    python.kind = app::GeneratorKind::python;
    python.module = "no_such_module";
    python.distribution = "no-such-package";
    python.packages = {"no-such-package==1.0"};
    std::vector<std::string> said;
    const auto made = install(python, [&](const std::string& what) { said.push_back(what); });
    ::unsetenv("PIP_NO_INDEX");
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, ErrorCode::toolchain);
    EXPECT_NE(made.error().message.find("no-such-package==1.0"), std::string::npos) << made.error().message;
    EXPECT_EQ(made.error().where, (m_folder / "venvs/fake/install.log").string());
    EXPECT_TRUE(fs::is_regular_file(made.error().where));
    EXPECT_FALSE(fs::exists(m_folder / "venvs/fake/venv"));
    EXPECT_EQ(said.size(), 2U);
    EXPECT_EQ(find_installation(python)->state, Installation::State::missing);
}

TEST(Patterns, MatchWithinOnePartOfAPath) {
    EXPECT_TRUE(matches("*.c", "a.c"));
    EXPECT_TRUE(matches("*.c", "sub/a.c")) << "no slash: any folder";
    EXPECT_FALSE(matches("*.c", "a.cpp"));
    EXPECT_TRUE(matches("src/*.c", "src/a.c"));
    EXPECT_FALSE(matches("src/*.c", "src/sub/a.c"));
    EXPECT_TRUE(matches("a?.h", "ab.h"));
    EXPECT_FALSE(matches("a?.h", "a.h"));
}

TEST(DefinedFunctions, AreFoundWithoutAParser) {
    ForeignCode code;
    code.sources = {"a.c"};
    code.files["a.c"] =
        "#define CALL(x) { x(); }\nint declared(int);\nstatic const int table[] = {1, 2};\n"
        "static inline void one(void) { other(); if (1) { other(); } }\n"
        "struct s { int a; };\nvoid\ntwo(int a,\n    char *(*f)(int))\n{\n}\n// int no(void) {}\n"
        "const char *s = \"int never(void) {\";\nint three(void) __attribute__((unused));\n"
        "int three(void)\n{\n    return 0;\n}\n";
    EXPECT_EQ(defined_functions(code), (std::vector<std::string>{"one", "two", "three"}));
}

TEST(Logs, TheLastLinesArePrintable) {
    EXPECT_EQ(last_lines("a\n\nb\x01\r\n  c  \n\n", 2), (std::vector<std::string>{"b?", "  c"}));
    EXPECT_EQ(last_lines("", 2), std::vector<std::string>{});
    EXPECT_EQ(quoted({"a", "b c", "d'e", "", "x=1"}), "a 'b c' 'd'\\''e' '' x=1");
}

}  // namespace
}  // namespace metamorph::generate
