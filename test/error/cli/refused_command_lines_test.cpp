// Command lines that must be refused: each with what is said, where, and what to do.
#include <sstream>

#include "unit/cli/fake_commands.h"

namespace metamorph::cli {
namespace {

struct Refusal {
    const char* name;
    const char* arguments;  // NET, INPUTS and APP are existing files and a folder, NEW is a path where nothing is
    const char* message;
    const char* where;
    const char* hint;  // a part of it; "" for none
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
    *out << refusal.arguments;
}

class RefusedCommandLine : public CommandLineTest, public testing::WithParamInterface<Refusal> {};

TEST_P(RefusedCommandLine, TellsWhatWhereAndWhatToDo) {
    const Refusal& refusal = GetParam();
    std::istringstream words(refusal.arguments);
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) {
        arguments.push_back(word == "NET"      ? path("net.tflite")
                            : word == "INPUTS" ? path("inputs.bin")
                            : word == "APP"    ? path("app")
                            : word == "NEW"    ? path("new")
                                               : word);
    }
    EXPECT_EQ(m_fake(arguments), 2);
    EXPECT_FALSE(m_fake.called());
    EXPECT_EQ(m_fake.out, "");
    std::string err = m_fake.err;
    for (std::size_t at; (at = err.find(m_folder.string() + "/")) != std::string::npos;) {
        err.erase(at, m_folder.string().size() + 1);
    }
    const std::string start = std::string("error: ") + refusal.message + "\n  at " + refusal.where + "\n";
    EXPECT_EQ(err.substr(0, start.size()), start) << err;
    EXPECT_NE(err.find(refusal.hint), std::string::npos) << err;
    EXPECT_EQ(std::string(refusal.hint).empty(), err.find("hint:") == std::string::npos) << err;
}

constexpr const char* k_split_hint = "write 'whole', 'layer', layers per task as in '3,3,3'";

const std::vector<Refusal> k_refusals{
    {"LibsProjectOfOne", "libs build a --project p.toml", "--project belongs to build --all", "--project", "leave"},
    {"LibsWithoutAction", "libs", "ACTION is missing", "metamorph libs", "metamorph libs list"},
    {"LibsUnknownAction", "libs lst", "'lst' is not possible here", "ACTION", "did you mean 'list'?"},
    {"LibsBuildWithoutName", "libs build", "build needs the NAME of a library", "metamorph libs", "libs list"},
    {"LibsBuildNameAndAll", "libs build a --all", "NAME contradicts --all", "NAME", "one of them"},
    {"LibsAllOfList", "libs list --all", "--all belongs to build", "--all", "leave it out"},
    {"LibsExplainOne", "libs explain ab", "explain needs two keys", "metamorph libs", "explain A B"},
    {"LibsTooMany", "libs verify a", "'a' is one argument too many for verify", "metamorph libs", "--help"},
    {"LibsTooManyOfBuild", "libs build a b", "'b' is one argument too many for build", "metamorph libs", "--help"},
    {"LibsFeatureOfList", "libs list --feature a", "--feature belongs to build, why and path", "--feature", "leave"},
    {"LibsBytesOfVerify", "libs verify --bytes 1", "--bytes belongs to gc", "--bytes", "leave it out"},
    {"LibsRebuildOfWhy", "libs why a --rebuild-check", "--rebuild-check belongs to build", "--rebuild-check", "leave"},
    {"LibsJobs", "libs build a -j 0", "0 is out of range", "--jobs", "from 1 to 256"},
    {"MatrixResumeWithAxis", "matrix --resume --device host",
     "--device contradicts --resume: the session says what is run", "--device", "leave one of them out"},
    {"MatrixResumeWithGroup", "matrix quick --resume", "a group contradicts --resume: the session says what is run",
     "GROUP", "leave one of them out"},
    {"MatrixRetryAlone", "matrix --retry", "--retry belongs to --resume", "--retry", "add --resume"},
    {"MatrixSessionAlone", "matrix --session 3", "--session belongs to --resume", "--session", "add --resume"},
    {"MatrixJobs", "matrix -j 0", "0 is out of range", "--jobs", "from 1 to 256"},
    {"InitNoFolder", "init NEW", "there is no folder 'new'", "FOLDER", ""},
    {"ReportFailIfAlone", "report --fail-if a", "there is nothing to compare with", "--fail-if", "add --compare"},
    {"ReportCompareAndSort", "report --compare 1 --sort code", "--compare contradicts --sort", "--compare",
     "that belongs to the table: leave one of them out"},
    {"ReportSizes", "report --sizes file", "'file' is not possible here", "--sizes", "library, layer, function"},
    {"ReportFormat", "report --format cvs", "'cvs' is not possible here", "--format", "did you mean 'csv'?"},
    {"SlicesInOne", "weave NET -o out --slice 0=4,1=4", "'0=4,1=4' names several layers", "--slice", "for each"},
    {"WhyWhat", "why", "RUN is missing", "metamorph why", "metamorph report"},
    {"VerifyReplayWithDepth", "verify NET --replay 17 --depth 1", "--replay contradicts --depth", "--replay",
     "leave --depth out"},
    {"VerifyCutsWithoutNoMerge", "verify NET --cut 5", "--cut is for --no-merge: the search looks at every cut",
     "--cut", "add --no-merge"},
    {"VerifyGdbWithoutReplay", "verify NET --gdb NEW", "--gdb is for --replay: it writes the state of a failure",
     "--gdb", "add --replay ID"},
    {"VerifyDepthOutOfRange", "verify NET --depth 10", "10 is out of range", "--depth", "1 to 9"},
    {"VerifyUnknownToolchain", "verify NET --toolchain gc", "'gc' is not possible here", "--toolchain", "gcc"},
    {"VerifyWovenWithTasks", "verify APP --tasks 3,3", "--tasks is for weaving, and 'app' is woven already", "--tasks",
     "leave it out"},
    {"CompareOneGenerator", "compare NET --generators native", "two generators or more are compared", "--generators",
     "'metamorph verify' looks at one"},
    {"CompareTwiceTheSame", "compare NET --generators native,custom,native", "'native' is named twice", "--generators",
     "native,bakenn"},
    {"CompareNoName", "compare NET --generators native,,custom", "a name is missing", "--generators",
     "with a comma between them"},
    {"CompareNoGenerators", "compare NET", "--generators is missing", "metamorph compare",
     "--generators native,bakenn"},
    {"CompareNoModel", "compare --generators native,custom", "MODEL is missing", "metamorph compare",
     "metamorph compare MODEL"},
    {"CompareOptionOfNobody", "compare NET --generators native,custom --option kernels=x",
     "'kernels=x' does not say whose option it is, or has no name or no value", "--option", "NAME:OPTION=VALUE"},
    {"CompareOptionOfAnother", "compare NET --generators native,custom --option bakenn:kernels=x",
     "'bakenn' is not among the generators", "--option", "native,custom"},
    {"CompareDatasetAndSeed", "compare NET --generators native,custom --dataset INPUTS --seed 1",
     "--dataset contradicts --seed", "--dataset", "leave one of them out"},
    {"CompareInferences", "compare NET --generators native,custom --inferences 0", "0 is out of range", "--inferences",
     "1 to 10000"},
    {"CompareNoSuchFile", "compare NET nut.tflite --generators native,custom", "there is no file 'nut.tflite'", "MODEL",
     ""},
    {"VerifyNoModel", "verify", "MODEL is missing", "metamorph verify", "metamorph verify MODEL"},
    {"UnknownCommand", "inspet NET", "there is no command 'inspet'", "metamorph", "did you mean 'inspect'?"},
    {"UnknownCommandFarFromAll", "xyzzy", "there is no command 'xyzzy'", "metamorph", "--help lists the commands"},
    {"UnknownCommandWithHelp", "wea --help", "there is no command 'wea'", "metamorph", "--help"},
    {"UnknownTopic", "help inspet", "there is no command 'inspet'", "metamorph", "did you mean 'inspect'?"},
    {"UnknownGlobalOption", "--versoin", "there is no option '--versoin'", "metamorph", "did you mean '--version'?"},
    {"OptionBeforeTheCommand", "--explain weave NET", "there is no option '--explain'", "metamorph",
     "it belongs behind the command: metamorph weave --explain"},
    {"UnknownOption", "run NET --taks 3,3", "there is no option '--taks'", "metamorph run", "did you mean '--tasks'?"},
    {"UnknownOptionWithValue", "run NET --nvn=bus", "there is no option '--nvn'", "metamorph run",
     "did you mean '--nvm'?"},
    {"UnknownOptionTakesTheModelsPlace", "run --cut-bugdet 30 NET", "there is no option '--cut-bugdet'",
     "metamorph run", "did you mean '--cut-budget'?"},
    {"OptionOfAnotherCommand", "inspect NET --tasks 3", "there is no option '--tasks'", "metamorph inspect",
     "metamorph inspect --help lists the options"},
    {"OneArgumentTooMany", "inspect NET APP", "'app' is one argument too many", "metamorph inspect", "--help"},
    {"NoValue", "run NET --tasks", "--tasks needs a value", "--tasks", "metamorph run --help tells which"},
    {"AnOptionAsValue", "generate NET -o --json=x", "--output needs a value, and '--json=x' is an option", "--output",
     "metamorph generate --help tells which"},
    {"AnOptionInsteadOfAValue", "run NET --keep --quiet", "--keep needs a value, and '--quiet' is an option", "--keep",
     "metamorph run --help tells which"},
    {"AValueTooMany", "run NET --explain=no", "--explain takes no value", "--explain", "write --explain"},
    {"Twice", "run NET --tasks 3 --tasks 4", "--tasks is given 2 times", "--tasks", "give it once"},
    {"NoModel", "inspect", "MODEL is missing", "metamorph inspect", "metamorph inspect MODEL"},
    {"NoOutput", "generate NET", "--output is missing", "metamorph generate", "metamorph generate MODEL -o DIR"},
    {"NoOutputOfWeave", "weave NET", "--output is missing", "metamorph weave", "metamorph weave MODEL -o DIR"},
    {"NoShell", "completion", "SHELL is missing", "metamorph completion", "metamorph completion bash"},
    {"UnknownShell", "completion csh", "'csh' is not possible here", "SHELL", "choose from bash, zsh, fish"},
    {"NoSuchFile", "inspect NEW", "there is no file 'new'", "MODEL", ""},
    {"ADeviceIsNoModel", "inspect /dev/null", "'/dev/null' is not a regular file", "MODEL",
     "write what it holds to a file"},
    {"AFolderIsNoModel", "inspect APP", "'app' is a folder, not a file", "MODEL", ""},
    {"OutputIsAFile", "weave NET -o INPUTS", "'inputs.bin' is there already, and is not a folder", "--output",
     "name a folder"},
    {"KeepIsAFile", "run NET --keep INPUTS", "'inputs.bin' is there already, and is not a folder", "--keep",
     "name a folder"},
    {"NoInputs", "run NET --inputs NEW", "there is no file 'new'", "--inputs", ""},
    {"NoDataset", "run NET --dataset NEW", "there is no file 'new'", "--dataset", ""},
    {"NoSuchDescription", "weave NET -o NEW --device ./board.toml", "there is no file './board.toml'", "--device", ""},
    {"NoSuchDescriptionToShow", "devices NEW.toml", "there is no file 'NEW.toml'", "DEVICE", ""},
    {"TwoDevices", "devices host host", "'host' is one argument too many", "metamorph devices", "--help"},
    {"DeviceAndNvm", "weave NET -o NEW --nvm bus --device host", "--nvm contradicts --device", "--nvm",
     "the device says how its memory is attached"},
    {"SplitOfAWord", "run NET --tasks layr", "'layr' is no way to split a network", "--tasks",
     "did you mean 'layer'? write"},
    {"SplitWithAHole", "run NET --tasks 3,,3", "'3,,3' is no way to split a network", "--tasks", k_split_hint},
    {"SplitWithAComma", "run NET --tasks 3,3,", "'3,3,' is no way to split a network", "--tasks", k_split_hint},
    {"SplitWithZero", "run NET --tasks 3,0", "0 is out of range", "--tasks", "give a number from 1 to 100000"},
    {"NegativeSplit", "run NET --tasks=-3", "'-3' is no way to split a network", "--tasks", k_split_hint},
    {"TaskCountOfAList", "run NET --task-count 3,3", "'3,3' is not a whole number", "--task-count", "give a number"},
    {"TasksTwiceDifferently", "run NET --tasks 3 --task-count 3", "--task-count contradicts --tasks", "--task-count",
     "give one of them"},
    {"SliceOfNothing", "run NET --slice 4", "'4' is no way to slice a layer", "--slice",
     "as in '3=4', or 'auto:4096B'"},
    {"SliceWithoutALayer", "run NET --slice==4", "'=4' is no way to slice a layer", "--slice", "as in '3=4'"},
    {"SliceIntoNone", "weave NET -o NEW --slice 3=0", "0 is out of range", "--slice", "give a number from 1 to 10000"},
    {"SliceIntoAWord", "weave NET -o NEW --slice 3=four", "'four' is not a whole number", "--slice", "give a number"},
    {"SliceWithoutAUnit", "run NET --slice auto:4096", "'auto:4096' does not say how large a slice may be", "--slice",
     "'auto:4096B' (bytes of output a slice) or 'auto:50000MACs'"},
    {"SliceOfAnUnknownUnit", "run NET --slice auto:4KiB", "'auto:4KiB' does not say how large a slice may be",
     "--slice", "'auto:4096B'"},
    {"SliceWithoutASize", "run NET --slice auto:MACs", "'auto:MACs' does not say how large a slice may be", "--slice",
     "'auto:50000MACs'"},
    {"SliceOfNoSize", "run NET --slice auto:0B", "0 is out of range", "--slice", "give a number from 1"},
    {"TheSecondSliceIsRead", "run NET --slice 0=2 --slice 1=x", "'x' is not a whole number", "--slice",
     "give a number"},
    {"SliceWhatIsWoven", "run APP --slice 0=2", "--slice is for weaving, and 'app' is woven already", "--slice",
     "run the model itself"},
    {"Nvm", "run NET --nvm mapd", "'mapd' is not possible here", "--nvm", "did you mean 'mapped'?"},
    {"WeaveForBoth", "weave NET -o NEW --nvm both", "'both' is not possible here", "--nvm", "choose from mapped, bus"},
    {"Stage", "run NET --dump-after waeve", "'waeve' is not possible here", "--dump-after", "did you mean 'weave'?"},
    {"StageAsJson", "run NET --dump-after tasks --json=1", "--json takes no value", "--json", "write --json"},
    {"PrefixWithADash", "generate NET -o NEW --prefix my-net", "'my-net' cannot begin names in C", "--prefix",
     "use 'my_net'"},
    {"PrefixWithUnderscore", "generate NET -o NEW --prefix _net", "'_net' cannot begin names in C", "--prefix",
     "use 'net'"},
    {"PrefixIsAKeyword", "generate NET -o NEW --prefix while", "'while' cannot begin names in C", "--prefix", "use '"},
    {"LongPrefix", "generate NET -o NEW --prefix aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "the prefix has 41 characters", "--prefix", "at most 40"},
    {"CutWhere", "run NET --cut evry", "'evry' does not say where to cut", "--cut", "did you mean 'every'?"},
    {"CutAtAFraction", "run NET --cut 1.5", "'1.5' is not a whole number", "--cut", "give a number"},
    {"CutTooOften", "run NET --cut 99999999999999999999", "99999999999999999999 is out of range", "--cut",
     "give a number"},
    {"BudgetWithAUnit", "run NET --cut-budget 5min", "'5min' is not a whole number", "--cut-budget", "give a number"},
    {"NoBudget", "run NET --cut-budget 0", "0 is out of range", "--cut-budget", "from 1 to 604800"},
    {"BudgetWithoutCuts", "run NET --cut none --cut-budget 5",
     "--cut-budget contradicts --cut none: there is nothing to spend it on", "--cut-budget", "leave it out"},
    {"SecondWithoutFirst", "run NET --cut none --second every",
     "--second contradicts --cut none: there is nothing to spend it on", "--second", "leave it out"},
    {"NoInferences", "run NET --inferences 0", "0 is out of range", "--inferences", "from 1 to 1000000"},
    {"NegativeSeed", "run NET --seed -5", "'-5' is not a whole number", "--seed", "give a number"},
    {"TooManyJobs", "run NET --jobs 257", "257 is out of range", "--jobs", "from 1 to 256"},
    {"InputsAndSeed", "run NET --inputs INPUTS --seed 3", "--inputs contradicts --seed", "--inputs",
     "the seed is for random inputs"},
    {"InputsAndDataset", "run NET --inputs INPUTS --dataset INPUTS", "--inputs contradicts --dataset", "--inputs",
     "brings its own inputs"},
    {"DatasetAndSeed", "run NET --dataset INPUTS --seed 3", "--dataset contradicts --seed", "--dataset",
     "brings its own inputs"},
    {"ReplayOfNonsense", "run NET --nvm bus --replay cut:", "'cut:' is not the id of a failure", "--replay",
     "cut:17 or cut:17+3"},
    {"ReplayOfHalfAnId", "run NET --nvm bus --replay cut:17+", "'cut:17+' is not the id of a failure", "--replay",
     "cut:17 or cut:17+3"},
    {"ReplayAndCut", "run NET --nvm bus --replay cut:17 --cut every", "--replay contradicts --cut", "--replay",
     "leave --cut out"},
    {"ReplayOfWhichMemory", "run NET --replay cut:17", "the id of a failure belongs to one kind of non-volatile memory",
     "--replay", "add --nvm mapped or --nvm bus"},
    {"EntryOfNative", "generate NET -o NEW --entry f", "--entry is for the C of others, and the generator is native",
     "--entry", "add --generator NAME"},
    {"OptionOfNative", "generate NET -o NEW --generator native --option a=b",
     "--option is for the C of others, and the generator is native", "--option", "add --generator NAME"},
    {"PrefixOfWhatIsShown", "inspect NET --prefix a", "--prefix changes nothing that is shown here", "--prefix",
     "leave it out"},
    {"GeneratorAndFramework", "generate NET -o NEW --generator x --framework NET",
     "--framework contradicts --generator", "--framework", "leave one of them out"},
    {"FrameworkOfAName", "generate NET -o NEW --framework bakenn", "'bakenn' is no path of a description",
     "--framework", "--generator bakenn"},
    {"NoSuchFramework", "generate NET -o NEW --framework ./f.toml", "there is no file './f.toml'", "--framework", ""},
    {"NoSuchFrameworkToShow", "frameworks ./f.toml", "there is no file './f.toml'", "NAME", ""},
    {"FolderForNative", "generate APP -o NEW", "'app' is a folder, not a file", "MODEL", ""},
    {"OptionWithoutAValue", "generate NET -o NEW --generator x --option fast", "'fast' has no name, or no value",
     "--option", "as in NAME=VALUE"},
    {"ArenaWithoutABytes", "generate NET -o NEW --generator x --arena a=", "'' is not a whole number", "--arena",
     "give a number"},
    {"ArenaOfNoName", "generate NET -o NEW --generator x --arena 3=4", "'3' names no parameter", "--arena",
     "'#0' is the first"},
    {"ParameterWithoutARole", "generate NET -o NEW --generator x --parameter a",
     "'a' does not say what the parameter is for", "--parameter", "input, output, arena"},
    {"ParameterOfAnUnknownRole", "generate NET -o NEW --generator x --parameter a=inptu",
     "'inptu' is not possible here", "--parameter", "did you mean 'input'?"},
    {"ConstantWithoutAValue", "generate NET -o NEW --generator x --parameter n=constant",
     "'n=constant' does not say which value is passed", "--parameter", "as in 'n=constant:10'"},
    {"InputOfNoBytes", "generate NET -o NEW --generator x --parameter a=input:0", "0 is out of range", "--parameter",
     "give a number from 1"},
    {"DefineOfANumber", "generate NET -o NEW --generator x --define 3=4", "'3=4' defines no macro", "--define",
     "'NAME=1'"},
    {"CommandOfWhom", "frameworks --show-command NET", "NAME is missing: which generator's command?", "--show-command",
     "metamorph frameworks NAME"},
    {"OptionOfNoCommand", "frameworks bakenn --option a=b",
     "--option is for --show-command: it says what the command is for", "--option", "add --show-command MODEL"},
    {"WeavingWhatIsWoven", "run APP --tasks 3,3", "--tasks is for weaving, and 'app' is woven already", "--tasks",
     "run the model itself"},
    {"MemoryOfWhatIsWoven", "run APP --nvm bus", "--nvm is for weaving, and 'app' is woven already", "--nvm",
     "run the model itself"},
};

INSTANTIATE_TEST_SUITE_P(All, RefusedCommandLine, testing::ValuesIn(k_refusals),
                         [](const testing::TestParamInfo<Refusal>& param) { return std::string(param.param.name); });

TEST_F(CommandLineTest, AMisspeltFileIsFoundAmongItsNeighbours) {
    EXPECT_EQ(m_fake({"inspect", path("nte.tflite")}), 2);
    EXPECT_NE(m_fake.err.find("did you mean 'net.tflite'?"), std::string::npos) << m_fake.err;
    EXPECT_EQ(m_fake({"inspect", path("nowhere/net.tflite")}), 2);
    EXPECT_NE(m_fake.err.find("nowhere' does not exist, either"), std::string::npos) << m_fake.err;
}

TEST_F(CommandLineTest, AStageCannotBeDumpedIntoJson) {
    EXPECT_EQ(m_fake({"run", path("net.tflite"), "--dump-after", "tasks", "--json"}), 2);
    EXPECT_NE(m_fake.out.find("--dump-after contradicts --json"), std::string::npos) << m_fake.out;
}

TEST_F(CommandLineTest, ControlCharactersDoNotReachTheTerminal) {
    EXPECT_EQ(m_fake({"run", path("net.tflite"), "--nvm", "\033[31mred"}), 2);
    EXPECT_EQ(m_fake.err.find('\033'), std::string::npos);
}

}  // namespace
}  // namespace metamorph::cli
