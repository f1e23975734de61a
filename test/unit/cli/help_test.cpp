#include "cli/help.h"

#include <sstream>

#include "unit/cli/fake_commands.h"

namespace metamorph::cli {
namespace {

const std::vector<std::string> k_commands{"inspect",    "generate", "weave",      "run",    "verify",
                                          "compare",    "devices",  "frameworks", "libs",   "doctor",
                                          "completion", "init",     "matrix",     "report", "why"};

std::string help(const std::vector<std::string>& arguments) {
    FakeCommands fake;
    EXPECT_EQ(fake(arguments), 0);
    EXPECT_EQ(fake.err, "");
    EXPECT_FALSE(fake.called());
    return fake.out;
}

std::size_t longest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) {
        longest = std::max(longest, line.size());
    }
    return longest;
}

TEST(Help, NamesEveryCommandAndExitStatus) {
    const std::string text = help({"--help"});
    for (const std::string& command : k_commands) {
        EXPECT_NE(text.find("\n  " + command + " "), std::string::npos) << command;
    }
    for (const char* status : {"  0 ", "  1 ", "  2 ", "  3 ", "  4 ", "  5 ", "  70"}) {
        EXPECT_NE(text.find(std::string("\n") + status), std::string::npos) << status;
    }
    EXPECT_EQ(help({"-h"}), text);
    EXPECT_EQ(help({"help"}), text);
}

TEST(Help, EveryCommandTeachesByTwoExamplesOrMore) {
    for (const std::string& command : k_commands) {
        const std::string text = help({command, "--help"});
        const std::size_t begin = text.find("Examples:\n"), end = text.find("\nOptions:\n");
        ASSERT_NE(begin, std::string::npos) << command;
        ASSERT_NE(end, std::string::npos) << command;
        const std::string examples = text.substr(begin, end - begin);
        std::size_t count = 0;
        for (std::size_t at = 0; (at = examples.find("metamorph " + command, at)) != std::string::npos; ++at) {
            ++count;
        }
        EXPECT_GE(count, 2U) << command;
        EXPECT_EQ(help({"help", command}), text);
    }
}

TEST(Help, AnArgumentThatMayBeLeftOutIsInBrackets) {
    EXPECT_NE(help({"devices", "--help"}).find("Usage: metamorph devices [DEVICE] [OPTIONS]\n"), std::string::npos);
    EXPECT_NE(help({"inspect", "--help"}).find("Usage: metamorph inspect MODEL [OPTIONS]\n"), std::string::npos);
}

TEST(Help, FitsTheWidth) {
    for (const std::string& command : k_commands) {
        EXPECT_LE(longest_line(help({command, "--help"})), 80U) << command;
    }
    EXPECT_LE(longest_line(help({"--help"})), 80U);
}

TEST(Help, WithoutACommandItIsAnErrorWithHelp) {
    FakeCommands fake;
    EXPECT_EQ(fake({}), 2);
    EXPECT_NE(fake.err.find("Usage: metamorph"), std::string::npos);
    EXPECT_EQ(fake.out, "");
}

TEST(Help, Version) {
    EXPECT_EQ(help({"--version"}).substr(0, 10), "metamorph ");
}

TEST(Help, WrapsAtSpacesOnly) {
    EXPECT_EQ(wrapped("one two three", 0, 2, 7), "one two\n  three");
    EXPECT_EQ(wrapped("a-word-that-is-too-long x", 0, 0, 5), "a-word-that-is-too-long\nx");
    EXPECT_EQ(wrapped("", 0, 0, 5), "");
    EXPECT_EQ(wrapped("one two", 5, 5, 12), "one two");
    EXPECT_EQ(wrapped("one two", 6, 5, 12), "one\n     two");
}

TEST(Help, EveryOptionIsDocumented) {
    std::stringstream document;
    document << std::ifstream(METAMORPH_SOURCE_DIR "/docs/command-line.md").rdbuf();
    for (const std::string& command : k_commands) {
        std::istringstream words(help({command, "--help"}));
        for (std::string word; words >> word;) {
            if (word.starts_with("--") && word.size() > 2) {
                const std::string option = word.substr(0, word.find_first_of(",;.:)"));
                EXPECT_NE(document.str().find(option), std::string::npos) << option << " of " << command;
            }
        }
        EXPECT_NE(document.str().find("metamorph " + command), std::string::npos) << command;
    }
}

// Examples are what people copy: each must parse.
TEST_F(CommandLineTest, TheExamplesOfTheHelpAreAccepted) {
    for (const char* name :
         {"digits_int8.tflite", "kws.tflite", "digits.onnx", "net.onnx", "framework.toml", "data.bin"}) {
        std::ofstream(path(name)) << "x";
    }
    int tried = 0;
    for (const std::string& command : k_commands) {
        std::istringstream lines(help({command, "--help"}));
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with("  metamorph ") || line.starts_with("  metamorph completion")) {
                continue;
            }
            std::istringstream words(line.substr(12, line.find(" |") - 12));
            std::vector<std::string> arguments;
            for (std::string word; words >> word;) {
                const bool is_ours = std::filesystem::exists(path(word));
                arguments.push_back(is_ours ? path(word) : word);
            }
            FakeCommands fake;
            EXPECT_EQ(fake(arguments), 0) << line << "\n" << fake.err;
            EXPECT_TRUE(fake.called()) << line;
            ++tried;
        }
    }
    EXPECT_GE(tried, 10);
}

}  // namespace
}  // namespace metamorph::cli
