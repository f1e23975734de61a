#include "cli/help.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace metamorph::cli {
namespace {

constexpr std::size_t k_column_max = 26;  // where descriptions begin
constexpr std::size_t k_width_min = 40, k_width_max = 110;

struct Row {
    std::string name, description;
};

std::size_t clamped(int width) {
    return std::clamp(static_cast<std::size_t>(std::max(width, 0)), k_width_min, k_width_max);
}

std::string print_rows(const std::vector<Row>& rows, std::size_t width) {
    std::size_t column = 0;
    for (const Row& row : rows) {
        column = std::max(column, row.name.size() + 4);
    }
    column = std::min(column, k_column_max);
    std::string text;
    for (const Row& row : rows) {
        std::string line = "  " + row.name;
        if (line.size() + 2 > column) {
            text += line + "\n";
            line.clear();
        }
        line.resize(column, ' ');
        text += line + wrapped(row.description, column, column, width) + "\n";
    }
    return text;
}

std::string print_examples(const std::vector<Example>& examples, std::size_t width) {
    std::string text;
    for (const Example& example : examples) {
        text += fmt::format("  {}\n      {}\n", example.command, wrapped(example.effect, 6, 6, width));
    }
    return text;
}

std::vector<Row> option_rows(const CLI::App& app) {
    std::vector<Row> rows;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) {
            continue;
        }
        const std::string value = option->get_option_text();
        std::string name = option->get_name(false, true);  // "-o,--output"
        if (const std::size_t comma = name.find(','); comma != std::string::npos) {
            name.insert(comma + 1, " ");
        }
        rows.push_back({name + (value.empty() ? "" : " " + value), option->get_description()});
    }
    return rows;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t first_column, std::size_t indent, std::size_t width) {
    std::istringstream words(text);
    std::string result;
    std::size_t column = first_column;
    bool is_first = true;
    for (std::string word; words >> word; is_first = false) {
        if (!is_first && column + 1 + word.size() > width) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!is_first) {
            result += " ";
            ++column;
        }
        result += word;
        column += word.size();
    }
    return result;
}

std::string help_of(const Subcommand& subcommand, int width) {
    const CLI::App& app = subcommand.app();
    std::vector<Row> arguments;
    std::string usage = "metamorph " + app.get_name();
    for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
        const std::string name = option->get_name(true);
        usage += subcommand.may_omit(name) ? " [" + name + "]" : " " + name;
        usage += option->get_expected_max() > 1 ? "..." : "";
        arguments.push_back({option->get_name(true), option->get_description()});
    }
    std::string text = fmt::format("{}.\n\nUsage: {} [OPTIONS]\n\nExamples:\n", app.get_description(), usage);
    text += print_examples(subcommand.examples(), clamped(width));
    if (!arguments.empty()) {
        text += "\nArguments:\n" + print_rows(arguments, clamped(width));
    }
    return text + "\nOptions:\n" + print_rows(option_rows(app), clamped(width));
}

std::string help_of_all(const std::vector<const Subcommand*>& subcommands, int width) {
    static const std::vector<Example> examples{
        {"metamorph inspect digits_int8.tflite", "look at a network: layers, sizes, memory plan"},
        {"metamorph run digits_int8.tflite --tasks 3,3 --cut every",
         "make it an application of two tasks, cut the power at every write, compare every result"},
        {"metamorph weave digits_int8.tflite -o app --tasks 3,3",
         "write that application: C11 and CMake, builds with nothing of Metamorph installed"},
        {"metamorph doctor", "something does not work? See what is missing"}};
    std::vector<Row> commands;
    for (const Subcommand* subcommand : subcommands) {
        commands.push_back({subcommand->app().get_name(), subcommand->app().get_description()});
    }
    const std::size_t columns = clamped(width);
    return wrapped(
               "Metamorph turns a trained network into C for devices whose power can vanish at any instruction, and "
               "proves that it survives.",
               0, 0, columns) +
           "\n\nUsage: metamorph COMMAND [OPTIONS]\n\nExamples:\n" + print_examples(examples, columns) +
           "\nCommands:\n" + print_rows(commands, columns) + "\nOptions:\n" +
           print_rows({{"-h, --help", "show this help; metamorph COMMAND --help tells more"},
                       {"--version", "show the version"}},
                      columns) +
           "\nExit status:\n" +
           print_rows({{"0", "all went well"},
                       {"1", "the work was done and its result is wrong: a power cut changed the output, say"},
                       {"2", "your options"},
                       {"3", "your model: damaged, or not supported"},
                       {"4", "a compiler or a tool is missing, or failed"},
                       {"5", "the machine: disk full, no permission, no memory"},
                       {"70", "a bug of ours"}},
                      columns);
}

}  // namespace metamorph::cli
