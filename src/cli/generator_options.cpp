// The options that say which generator makes the C, and what it is told: the same for all commands that take a model.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/subcommand.h"
#include "cli/values.h"
#include "util/text.h"

namespace metamorph::cli {
namespace {

constexpr std::uint64_t k_bytes_max = std::uint64_t{1} << 40;
constexpr std::uint64_t k_seconds_max = 24 * 3600;

const std::vector<std::string> k_roles{"input", "output", "arena", "constant", "null"};
const std::vector<std::string> k_belonging{"--framework", "--option",  "--entry",  "--arena",
                                           "--parameter", "--include", "--define", "--generator-seconds"};

bool is_identifier(const std::string& name) {
    return !name.empty() && (name[0] < '0' || name[0] > '9') && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

// "NAME", or "#0": the first parameter.
Status check_parameter_name(const std::string& option, const std::string& name) {
    const bool is_position = name.size() > 1 && name.size() < 4 && name[0] == '#' &&
                             std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_position || is_identifier(name)) {
        return {};
    }
    return fail_with_hint(ErrorCode::options, option, fmt::format("'{}' names no parameter", printable(name)),
                          "write its name as in the C code, or its position: '#0' is the first");
}

// "scratch" or "scratch=2048"
Result<GeneratorOptions::Parameter> arena_of(const std::string& text) {
    GeneratorOptions::Parameter parameter{text.substr(0, text.find('=')), "arena", {}};
    MM_CHECK(check_parameter_name("--arena", parameter.name));
    if (const std::size_t equals = text.find('='); equals != std::string::npos) {
        MM_TRY(parameter.number, read_number("--arena", text.substr(equals + 1), 1, k_bytes_max));
    }
    return parameter;
}

// "x=input", "x=input:64" or "n=constant:10"
Result<GeneratorOptions::Parameter> parameter_of(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        return fail_with_hint(ErrorCode::options, "--parameter",
                              fmt::format("'{}' does not say what the parameter is for", printable(text)),
                              fmt::format("as in 'x=input:64'; it may be {}", fmt::join(k_roles, ", ")));
    }
    GeneratorOptions::Parameter parameter{text.substr(0, equals), "", {}};
    MM_CHECK(check_parameter_name("--parameter", parameter.name));
    const std::string meaning = text.substr(equals + 1);
    const std::size_t colon = meaning.find(':');
    MM_TRY(const std::size_t role, read_choice("--parameter", meaning.substr(0, colon), k_roles));
    parameter.role = k_roles[role];
    if (colon != std::string::npos) {
        const bool is_value = parameter.role == "constant";
        MM_TRY(parameter.number, read_number("--parameter", meaning.substr(colon + 1), is_value ? 0 : 1, k_bytes_max));
    } else if (parameter.role == "constant") {
        return fail_with_hint(ErrorCode::options, "--parameter",
                              fmt::format("'{}' does not say which value is passed", printable(text)),
                              fmt::format("as in '{}=constant:10'", parameter.name));
    }
    return parameter;
}

Status check_define(const std::string& text) {
    if (!is_identifier(text.substr(0, text.find_first_of("=(")))) {
        return fail_with_hint(ErrorCode::options, "--define", fmt::format("'{}' defines no macro", printable(text)),
                              "as in 'NAME', 'NAME=1' or 'NAME(x)='");
    }
    return {};
}

}  // namespace

void Subcommand::add_generator_option() {
    add_list("--option", "NAME=VALUE",
             "an option of the generator's; 'metamorph frameworks NAME' lists them; may be "
             "repeated");
}

void Subcommand::add_generator(const std::vector<std::string>& frameworks) {
    std::vector<std::string> names{"native"};
    names.insert(names.end(), frameworks.begin(), frameworks.end());
    add_value("--generator", "NAME",
              "what makes the C: native (default), or a generator that 'metamorph frameworks' lists", std::move(names));
    add_value("--framework", "FILE", "a generator of your own, by its description (a .toml file)");
    add_generator_option();
    add_value("--entry", "FUNCTION", "the inference function, where the generator's description does not say");
    add_list("--arena", "NAME[=BYTES]", "a parameter of it that is working memory");
    add_list("--parameter", "NAME=ROLE[:N]",
             "what a parameter of it is: input, output, arena or null, with its bytes; constant with its value. May be "
             "repeated");
    add_list("--include", "DIR", "a folder of headers for the C of others; may be repeated");
    add_list("--define", "MACRO[=TEXT]", "a macro for it; may be repeated");
    add_value("--generator-seconds", "N", "how long the generator may take; default: as its description says");
}

Result<std::vector<std::pair<std::string, std::string>>> Subcommand::read_generator_options() const {
    std::vector<std::pair<std::string, std::string>> options;
    for (const std::string& text : texts("--option")) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            return fail_with_hint(ErrorCode::options, "--option",
                                  fmt::format("'{}' has no name, or no value", printable(text)), "as in NAME=VALUE");
        }
        options.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return options;
}

Result<GeneratorOptions> Subcommand::read_generator() const {
    GeneratorOptions generator;
    MM_CHECK(exclude("--framework", "--generator", "a description says which generator it is: leave one of them out"));
    for (const char* option : {"--generator", "--framework"}) {
        if (const auto name = text(option)) {
            if (option == std::string("--framework") && !name->ends_with(".toml") &&
                name->find('/') == std::string::npos) {
                return fail_with_hint(
                    ErrorCode::options, option, fmt::format("'{}' is no path of a description", printable(*name)),
                    fmt::format("--generator {} takes names; a path has a slash, or ends in .toml", printable(*name)));
            }
            MM_CHECK(check_framework(option, *name));
            generator.name = *name;
        }
    }
    if (generator.is_native()) {
        for (const std::string& option : k_belonging) {
            if (has(option)) {
                return fail_with_hint(ErrorCode::options, option,
                                      fmt::format("{} is for the C of others, and the generator is native", option),
                                      "add --generator NAME; 'metamorph frameworks' lists them");
            }
        }
        return generator;
    }
    MM_TRY(generator.options, read_generator_options());
    generator.entry = text("--entry").value_or("");
    for (const std::string& arena : texts("--arena")) {
        MM_TRY(GeneratorOptions::Parameter parameter, arena_of(arena));
        generator.parameters.push_back(std::move(parameter));
    }
    for (const std::string& given : texts("--parameter")) {
        MM_TRY(GeneratorOptions::Parameter parameter, parameter_of(given));
        generator.parameters.push_back(std::move(parameter));
    }
    for (const std::string& folder : texts("--include")) {
        generator.include_dirs.emplace_back(folder);
    }
    for (const std::string& define : texts("--define")) {
        MM_CHECK(check_define(define));
        generator.defines.push_back(define);
    }
    if (const auto seconds = text("--generator-seconds")) {
        MM_TRY(generator.seconds_max, read_number("--generator-seconds", *seconds, 1, k_seconds_max));
    }
    return generator;
}

Result<std::filesystem::path> Subcommand::read_model(const GeneratorOptions& generator,
                                                     const std::string& usage) const {
    MM_TRY(const std::string model, needed("MODEL", usage));
    std::error_code error;
    if (generator.is_native() || !std::filesystem::is_directory(model, error)) {
        MM_CHECK(need_file("MODEL", model));
    }
    const std::filesystem::path path(model);
    return path.has_filename() ? path : path.parent_path();  // "folder/"
}

}  // namespace metamorph::cli
