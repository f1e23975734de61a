// CLI11 throws what it finds wrong. All of that ends here: below this file there are only Results. Unknown options and
// commands are told first, as they are the likeliest cause of whatever else seems wrong.
#include "cli/command_line.h"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/completion.h"
#include "cli/error_json.h"
#include "cli/help.h"
#include "cli/subcommand.h"
#include "cli/values.h"
#include "util/text.h"

namespace metamorph::cli {
namespace {

class Completion : public Subcommand {
public:
    Completion(CLI::App& root, const std::vector<const Subcommand*>& subcommands, const Doors& doors)
        : Subcommand(root, "completion", "Print a script that completes commands and options in a shell",
                     {{"source <(metamorph completion bash)", "for this shell; put the line into ~/.bashrc to keep it"},
                      {"metamorph completion fish > ~/.config/fish/completions/metamorph.fish", "for good, in fish"}}),
          m_subcommands(subcommands),
          m_doors(doors) {
        add_words("SHELL", "bash, zsh or fish", shell_choices());
        add_flag("--json", "print errors as JSON");
        add_flag("-q,--quiet", "no remarks");
    }

    Result<int> execute(const Commands&) const override {
        MM_TRY(const std::string shell, needed("SHELL", "metamorph completion bash"));
        MM_TRY(const std::size_t index, read_choice("SHELL", shell, shell_choices()));
        m_doors.out(completion_script(shell_choices()[index], m_subcommands));
        return 0;
    }

private:
    const std::vector<const Subcommand*>& m_subcommands;
    const Doors& m_doors;
};

// The whole command line: the parser, and its subcommands in the order in which help shows them.
struct Parser {
    explicit Parser(const Doors& doors) {
        root.set_help_flag("-h,--help", "show this help");
        root.set_version_flag("--version", "metamorph " METAMORPH_VERSION);
        root.allow_extras();
        owned.push_back(make_inspect(root));
        owned.push_back(make_generate(root));
        owned.push_back(make_weave(root));
        owned.push_back(make_run(root));
        owned.push_back(make_doctor(root));
        owned.push_back(std::make_unique<Completion>(root, subcommands, doors));
        for (const std::unique_ptr<Subcommand>& subcommand : owned) {
            subcommands.push_back(subcommand.get());
        }
    }
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    const Subcommand* chosen() const {
        for (const Subcommand* subcommand : subcommands) {
            if (subcommand->app().parsed()) {
                return subcommand;
            }
        }
        return nullptr;
    }

    CLI::App root{"", "metamorph"};
    std::vector<std::unique_ptr<Subcommand>> owned;
    std::vector<const Subcommand*> subcommands;
};

Error error_of(std::string where, std::string message, std::string hint) {
    return Error{ErrorCode::options, std::move(message), std::move(where), std::move(hint), {}};
}

Error unknown_word(const Parser& parser, const std::string& word) {
    std::vector<std::string> names{"help", "--help", "--version"};
    for (const Subcommand* subcommand : parser.subcommands) {
        names.push_back(subcommand->app().get_name());
    }
    const std::string hint = did_you_mean(word, names);
    return error_of("metamorph",
                    fmt::format("there is no {} '{}'", word.starts_with("-") ? "option" : "command", printable(word)),
                    hint.empty() ? "metamorph --help lists the commands" : hint);
}

Error unknown_argument(const Subcommand& subcommand, const std::string& word) {
    const std::string command = "metamorph " + subcommand.app().get_name();
    const std::string help = command + " --help lists the options";
    if (word.size() < 2 || word.front() != '-') {
        return error_of(command, fmt::format("'{}' is one argument too many", printable(word)),
                        command + " --help shows how it is written");
    }
    const std::string name = word.substr(0, word.find('='));
    const std::string hint = did_you_mean(name, subcommand.option_names());
    return error_of(command, fmt::format("there is no option '{}'", printable(name)), hint.empty() ? help : hint);
}

// CLI11 says "--tasks: 1 required TEXT missing".
Error of_parse_error(const Parser& parser, const CLI::ParseError& thrown) {
    const Subcommand* chosen = parser.chosen();
    const std::string command = chosen != nullptr ? "metamorph " + chosen->app().get_name() : "metamorph";
    const std::string text = thrown.what();
    const std::string option = text.substr(0, text.find(':'));
    if (option.starts_with("-") && text.find("missing") != std::string::npos) {
        return error_of(option, option + " needs a value", command + " --help tells which");
    }
    return error_of(command, printable(text, 200), command + " --help shows how it is written");
}

Result<int> execute(const Parser& parser, const Commands& commands) {
    const Subcommand* chosen = parser.chosen();
    if (const std::vector<std::string> extras = parser.root.remaining(); !extras.empty()) {
        return tl::unexpected<Error>(unknown_word(parser, extras.front()));
    }
    if (chosen == nullptr) {
        return tl::unexpected<Error>(
            error_of("metamorph", "no command was given", "metamorph --help lists the commands"));
    }
    const std::vector<std::string> extras = chosen->app().remaining();
    const auto unknown = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
        return word.size() > 1 && word.front() == '-' && word != "--";
    });
    if (unknown != extras.end()) {
        return tl::unexpected<Error>(unknown_argument(*chosen, *unknown));
    }
    for (const std::string& word : extras) {
        if (word != "--") {
            return tl::unexpected<Error>(unknown_argument(*chosen, word));
        }
    }
    for (const CLI::Option* option : static_cast<const CLI::App&>(chosen->app()).get_options()) {
        if (option->get_type_size() > 0 && option->count() > 1) {
            return tl::unexpected<Error>(
                error_of(option->get_name(), fmt::format("{} is given {} times", option->get_name(), option->count()),
                         "give it once"));
        }
    }
    return chosen->execute(commands);
}

Result<int> parse_and_execute(Parser& parser, std::vector<std::string> arguments, const Commands& commands,
                              const Doors& doors) {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants it
    try {
        parser.root.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        const Subcommand* chosen = parser.chosen();
        doors.out(chosen != nullptr ? help_of(*chosen, doors.width) : help_of_all(parser.subcommands, doors.width));
        return 0;
    } catch (const CLI::CallForVersion&) {
        doors.out("metamorph " METAMORPH_VERSION "\n");
        return 0;
    } catch (const CLI::ParseError& thrown) {
        return tl::unexpected<Error>(of_parse_error(parser, thrown));
    }
    return execute(parser, commands);
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments, const Commands& commands, const Doors& doors) {
    Parser parser(doors);
    std::vector<std::string> words = arguments;
    if (words.empty()) {
        doors.err(help_of_all(parser.subcommands, doors.width));
        return static_cast<int>(ErrorCode::options);
    }
    if (words.front() == "help") {
        words.erase(words.begin());
        words.push_back("--help");
    }
    const Result<int> status = parse_and_execute(parser, std::move(words), commands, doors);
    if (status) {
        return *status;
    }
    // Looked for as text, as the command line may be beyond parsing.
    const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    if (json) {
        doors.out(to_json(status.error()));
    } else {
        doors.err(describe(status.error()));
    }
    return static_cast<int>(status.error().code);
}

}  // namespace metamorph::cli
