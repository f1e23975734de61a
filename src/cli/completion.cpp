#include "cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace metamorph::cli {
namespace {

enum class ValueKind { none, words, file, words_or_file, anything };

struct OptionShape {
    std::vector<std::string> long_names, short_names;
    std::string description, placeholder;
    ValueKind kind = ValueKind::none;
    std::vector<std::string> words;

    std::vector<std::string> spellings() const {
        std::vector<std::string> all;
        for (const std::string& name : short_names) {
            all.push_back("-" + name);
        }
        for (const std::string& name : long_names) {
            all.push_back("--" + name);
        }
        return all;
    }
};

std::vector<OptionShape> shapes_of(const Subcommand& subcommand) {
    std::vector<OptionShape> shapes;
    const CLI::App& app = subcommand.app();
    for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->nonpositional(); })) {
        OptionShape shape;
        shape.long_names = option->get_lnames();
        shape.short_names = option->get_snames();
        shape.description = option->get_description();
        shape.placeholder = option->get_option_text();
        const auto choices = subcommand.choices().find(option->get_name());
        if (choices != subcommand.choices().end() && !choices->second.empty()) {
            shape.kind = shape.placeholder == "DEVICE" ? ValueKind::words_or_file : ValueKind::words;
            shape.words = choices->second;
        } else if (shape.placeholder == "FILE" || shape.placeholder == "DIR") {
            shape.kind = ValueKind::file;
        } else if (!shape.placeholder.empty()) {
            shape.kind = ValueKind::anything;
        }
        shapes.push_back(std::move(shape));
    }
    return shapes;
}

std::vector<std::string> positional_words(const Subcommand& subcommand) {
    const auto found = subcommand.choices().find("");
    return found != subcommand.choices().end() ? found->second : std::vector<std::string>{};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// Inside single quotes of a POSIX shell and zsh; fish escapes otherwise.
std::string shell_quoted(const std::string& text) {
    return "'" + replaced(text, "'", "'\\''") + "'";
}
std::string fish_quoted(const std::string& text) {
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string bash_script(const std::vector<const Subcommand*>& subcommands) {
    std::vector<std::string> names;
    std::string values, options;
    for (const Subcommand* subcommand : subcommands) {
        const std::string name = subcommand->app().get_name();
        names.push_back(name);
        std::vector<std::string> all;
        for (const OptionShape& shape : shapes_of(*subcommand)) {
            std::vector<std::string> keys;
            for (const std::string& spelling : shape.spellings()) {
                all.push_back(spelling);
                keys.push_back(name + ":" + spelling);
            }
            const std::string reply =
                shape.kind == ValueKind::words
                    ? fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); ", fmt::join(shape.words, " "))
                : shape.kind == ValueKind::words_or_file
                    ? fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$current\") $(compgen -f -- \"$current\")); ",
                                  fmt::join(shape.words, " "))
                : shape.kind == ValueKind::file ? "COMPREPLY=($(compgen -f -- \"$current\")); "
                                                : "";
            if (shape.kind != ValueKind::none) {
                values += fmt::format("        {}) {}return ;;\n", fmt::join(keys, "|"), reply);
            }
        }
        options += fmt::format("        {}) options=\"{}\"; words=\"{}\"; files={} ;;\n", name, fmt::join(all, " "),
                               fmt::join(positional_words(*subcommand), " "), subcommand->takes_file() ? 1 : 0);
    }
    return fmt::format(R"(# bash completion for metamorph: source <(metamorph completion bash)
_metamorph() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
    local options="" words="" files=0
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "{} help --help --version" -- "$current"))
        return
    fi
    case "$command:$before" in
{}    esac
    case "$command" in
{}        help) words="{}" ;;
    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    else
        if [[ -n $words ]]; then
            COMPREPLY=($(compgen -W "$words" -- "$current"))
        fi
        if [[ $files -eq 1 ]]; then
            COMPREPLY+=($(compgen -f -- "$current"))
        fi
    fi
}}
complete -o filenames -F _metamorph metamorph
)",
                       fmt::join(names, " "), values, options, fmt::join(names, " "));
}

std::string zsh_words_or_file(const std::vector<std::string>& words) {
    return fmt::format("{{_alternative \"words:word:({})\" \"files:file:_files\"}}", fmt::join(words, " "));
}

// One argument of zsh's _arguments: '--nvm[description]:KIND:(mapped bus)'.
std::string zsh_argument(const std::string& spelling, const OptionShape& shape) {
    std::string description = shape.description;
    for (const char* special : {"[", "]", ":"}) {
        description = replaced(description, special, std::string("\\") + special);
    }
    std::string text = fmt::format("{}[{}]", spelling, description);
    if (shape.kind != ValueKind::none) {
        const std::string action = shape.kind == ValueKind::words ? fmt::format("({})", fmt::join(shape.words, " "))
                                   : shape.kind == ValueKind::words_or_file ? zsh_words_or_file(shape.words)
                                   : shape.kind == ValueKind::file          ? "_files"
                                                                            : " ";
        text += fmt::format(":{}:{}", shape.placeholder, action);
    }
    return shell_quoted(text);
}

std::string zsh_script(const std::vector<const Subcommand*>& subcommands) {
    std::string names, cases;
    for (const Subcommand* subcommand : subcommands) {
        const std::string name = subcommand->app().get_name();
        names += fmt::format("        {}\n", shell_quoted(name + ":" + subcommand->app().get_description()));
        cases += fmt::format("        {})\n            _arguments", name);
        for (const OptionShape& shape : shapes_of(*subcommand)) {
            for (const std::string& spelling : shape.spellings()) {
                cases += " \\\n                " + zsh_argument(spelling, shape);
            }
        }
        if (const std::vector<std::string> words = positional_words(*subcommand); !words.empty()) {
            cases += subcommand->takes_file()
                         ? fmt::format(" \\\n                '1:word:{}'", zsh_words_or_file(words))
                         : fmt::format(" \\\n                '1:word:({})'", fmt::join(words, " "));
        } else if (subcommand->takes_file()) {
            cases += " \\\n                '1:file:_files'";
        }
        cases += " ;;\n";
    }
    return fmt::format(R"(#compdef metamorph
# zsh completion for metamorph: metamorph completion zsh > a folder of $fpath, as _metamorph
_metamorph() {{
    local -a commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{}    esac
}}
if [[ $funcstack[1] == _metamorph ]]; then
    _metamorph "$@"
else
    compdef _metamorph metamorph
fi
)",
                       names, cases);
}

std::string fish_script(const std::vector<const Subcommand*>& subcommands) {
    std::string text = "# fish completion for metamorph: metamorph completion fish | source\n";
    for (const Subcommand* subcommand : subcommands) {
        const std::string name = subcommand->app().get_name();
        text += fmt::format("complete -c metamorph -n __fish_use_subcommand -f -a {} -d {}\n", name,
                            fish_quoted(subcommand->app().get_description()));
        const std::string start = fmt::format("complete -c metamorph -n '__fish_seen_subcommand_from {}'", name);
        for (const OptionShape& shape : shapes_of(*subcommand)) {
            text += start;
            for (const std::string& long_name : shape.long_names) {
                text += " -l " + long_name;
            }
            for (const std::string& short_name : shape.short_names) {
                text += " -s " + short_name;
            }
            text += shape.kind == ValueKind::words           ? fmt::format(" -x -a '{}'", fmt::join(shape.words, " "))
                    : shape.kind == ValueKind::words_or_file ? fmt::format(" -r -a '{}'", fmt::join(shape.words, " "))
                    : shape.kind == ValueKind::file          ? " -r"
                    : shape.kind == ValueKind::anything      ? " -x"
                                                             : "";
            text += fmt::format(" -d {}\n", fish_quoted(shape.description));
        }
        if (const std::vector<std::string> words = positional_words(*subcommand); !words.empty()) {
            text += fmt::format("{}{} -a '{}'\n", start, subcommand->takes_file() ? "" : " -f", fmt::join(words, " "));
        }
    }
    return text;
}

}  // namespace

const std::vector<std::string>& shell_choices() {
    static const std::vector<std::string> shells{"bash", "zsh", "fish"};
    return shells;
}

std::string completion_script(const std::string& shell, const std::vector<const Subcommand*>& subcommands) {
    return shell == "bash"  ? bash_script(subcommands)
           : shell == "zsh" ? zsh_script(subcommands)
                            : fish_script(subcommands);
}

std::string completion_json(const std::string& shell, const std::vector<const Subcommand*>& subcommands) {
    const nlohmann::ordered_json document{
        {"schema", "metamorph-completion-1"}, {"shell", shell}, {"script", completion_script(shell, subcommands)}};
    return document.dump(2) + "\n";
}

}  // namespace metamorph::cli
