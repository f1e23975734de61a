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
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no remarks");
    }

    Result<int> execute(const Commands&) const override {
        MM_TRY(const std::string shell, needed("SHELL", "metamorph completion bash"));
        MM_TRY(const std::size_t index, read_choice("SHELL", shell, shell_choices()));
        const std::string& name = shell_choices()[index];
        m_doors.out(common().json ? completion_json(name, m_subcommands) : completion_script(name, m_subcommands));
        return 0;
    }

private:
    const std::vector<const Subcommand*>& m_subcommands;
    const Doors& m_doors;
};

// The whole command line: the parser, and its subcommands in the order in which help shows them.
struct Parser {
    Parser(const Commands& commands, const Doors& doors) {
        root.set_help_flag("-h,--help", "show this help");
        root.set_version_flag("--version", "metamorph " METAMORPH_VERSION);
        root.allow_extras();
        root.require_subcommand(0, 1);  // a further name of a command is an argument: libs verify
        owned.push_back(make_inspect(root, commands.framework_names));
        owned.push_back(make_generate(root, commands.framework_names));
        owned.push_back(make_weave(root, commands.device_names, commands.framework_names));
        owned.push_back(make_run(root, commands.framework_names));
        owned.push_back(make_verify(root, commands.device_names, commands.framework_names));
        owned.push_back(make_compare(root, commands.device_names, commands.framework_names));
        owned.push_back(make_init(root));
        owned.push_back(make_matrix(root));
        owned.push_back(make_report(root));
        owned.push_back(make_why(root));
        owned.push_back(make_devices(root, commands.device_names));
        owned.push_back(make_frameworks(root, commands.framework_names));
        owned.push_back(make_libs(root, commands.device_names));
        owned.push_back(make_doctor(root, commands.framework_names));
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
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names{"help", "--help", "--version"};
    std::string hint;
    for (const Subcommand* subcommand : parser.subcommands) {
        names.push_back(subcommand->app().get_name());
        const std::vector<std::string> options = subcommand->option_names();
        if (hint.empty() && std::find(options.begin(), options.end(), name) != options.end()) {
            hint = fmt::format("it belongs behind the command: metamorph {} {}", subcommand->app().get_name(), name);
        }
    }
    if (hint.empty()) {
        hint = did_you_mean(word, names);
    }
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

tl::unexpected<Error> refuse(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

// What no command knows what to do with: an unknown option before a word too many, which may only be its value.
Status check_extras(const Subcommand& chosen) {
    std::vector<std::string> extras = chosen.app().remaining();
    std::erase(extras, "--");
    const auto option = std::find_if(extras.begin(), extras.end(),
                                     [](const std::string& word) { return word.size() > 1 && word.front() == '-'; });
    if (option != extras.end()) {
        return refuse(unknown_argument(chosen, *option));
    }
    if (!extras.empty()) {
        return refuse(unknown_argument(chosen, extras.front()));
    }
    return {};
}

// What CLI11 lets pass: an option twice, an option as another's value, a value for an option that takes none.
Status check_form(const Subcommand& chosen, const std::vector<std::string>& arguments) {
    const std::string help = fmt::format("metamorph {} --help tells which", chosen.app().get_name());
    const std::vector<std::string> names = chosen.option_names();
    for (const CLI::Option* option : static_cast<const CLI::App&>(chosen.app()).get_options()) {
        const std::string name = option->get_name();
        if (option->get_expected_max() == 0) {
            const auto with_value = std::find_if(arguments.begin(), arguments.end(), [&](const std::string& argument) {
                return argument.starts_with(name + "=");
            });
            if (with_value != arguments.end()) {
                return refuse(error_of(name, fmt::format("{} takes no value", name), fmt::format("write {}", name)));
            }
            continue;
        }
        for (const std::string& value : option->results()) {
            if (!option->get_positional() &&
                std::find(names.begin(), names.end(), value.substr(0, value.find('='))) != names.end()) {
                return refuse(
                    error_of(name, fmt::format("{} needs a value, and '{}' is an option", name, value), help));
            }
        }
        if (option->count() > 1 && !chosen.may_repeat(name)) {
            return refuse(error_of(name, fmt::format("{} is given {} times", name, option->count()), "give it once"));
        }
    }
    return {};
}

Result<int> execute(const Parser& parser, const std::vector<std::string>& arguments, const Commands& commands) {
    const Subcommand* chosen = parser.chosen();
    if (const std::vector<std::string> extras = parser.root.remaining(); !extras.empty()) {
        return refuse(unknown_word(parser, extras.front()));
    }
    if (chosen == nullptr) {
        return refuse(error_of("metamorph", "no command was given", "metamorph --help lists the commands"));
    }
    MM_CHECK(check_extras(*chosen));
    MM_CHECK(check_form(*chosen, arguments));
    return chosen->execute(commands);
}

Result<int> help(const Parser& parser, const Doors& doors) {
    if (const std::vector<std::string> extras = parser.root.remaining(); !extras.empty()) {
        return refuse(unknown_word(parser, extras.front()));
    }
    const Subcommand* chosen = parser.chosen();
    doors.out(chosen != nullptr ? help_of(*chosen, doors.width) : help_of_all(parser.subcommands, doors.width));
    return 0;
}

Result<int> parse_and_execute(Parser& parser, const std::vector<std::string>& arguments, const Commands& commands,
                              const Doors& doors) {
    try {
        parser.root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 wants it reversed
    } catch (const CLI::CallForHelp&) {
        return help(parser, doors);
    } catch (const CLI::CallForVersion&) {
        doors.out("metamorph " METAMORPH_VERSION "\n");
        return 0;
    } catch (const CLI::ParseError& thrown) {
        return refuse(of_parse_error(parser, thrown));
    }
    return execute(parser, arguments, commands);
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments, const Commands& commands, const Doors& doors) {
    Parser parser(commands, doors);
    std::vector<std::string> words = arguments;
    if (words.empty()) {
        doors.err(help_of_all(parser.subcommands, doors.width));
        return static_cast<int>(ErrorCode::options);
    }
    if (words.front() == "help") {
        words.erase(words.begin());
        words.push_back("--help");
    }
    const Result<int> status = parse_and_execute(parser, words, commands, doors);
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
