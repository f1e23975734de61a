// The tables of a description that only generators need whose output is not all C: where their sources come from, and
// how what Metamorph cannot read is built.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/framework_checks.h"
#include "util/text.h"

namespace metamorph::app {
namespace {

const Allowed k_in_archive_command{"program",  "folder", "source",  "prefix",  "PREFIX",
                                   "compiler", "flags",  "archive", "library", "model_name"};

Status check_crate(const TomlReader& table, FrameworkSource& source) {
    MM_TRY(const std::string crate, table.text("crate"));
    const std::size_t pin = crate.find("==");
    const auto is_plain = [](const std::string& text, const char* more) {
        return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
            return std::isalnum(c) != 0 || std::string_view(more).find(static_cast<char>(c)) != std::string_view::npos;
        });
    };
    source.crate = crate.substr(0, pin);
    source.version = pin == std::string::npos ? "" : crate.substr(pin + 2);
    if (!is_plain(source.crate, "-_") || !is_plain(source.version, ".-+")) {
        return table.refuse("crate", fmt::format("'{}' is no pinned crate", printable(crate)),
                            "write it as \"name==1.2.3\", so that everyone gets the same");
    }
    MM_TRY(source.sha256, table.text("sha256"));
    if (source.sha256.size() != 64 || source.sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
        return table.refuse("sha256", fmt::format("'{}' is no SHA-256", printable(source.sha256)),
                            "write the 64 small hexadecimal digits that sha256sum prints for the packed crate");
    }
    return {};
}

// {library} and options that are its features need a library.
Status check_library(const TomlReader& root, const TomlReader& table, const Framework& framework) {
    if (!framework.opaque->library.empty()) {
        return {};
    }
    const auto holds = [](const std::vector<std::string>& arguments) {
        return std::any_of(arguments.begin(), arguments.end(),
                           [](const std::string& argument) { return argument.find("{library}") != std::string::npos; });
    };
    if (holds(framework.command) || holds(framework.opaque->command)) {
        return table.refuse("", "{library} stands for a runtime library, and 'opaque.library' names none",
                            "add library = \"NAME\", of [[library]] here or of another framework");
    }
    for (const FrameworkOption& option : framework.options) {
        if (option.is_library_feature) {
            return root.refuse(
                "option",
                fmt::format("values of '{}' are features of a library, and 'opaque.library' names none", option.name),
                "add library = \"NAME\" to [opaque]");
        }
    }
    return {};
}

}  // namespace

Status read_source_table(const TomlReader& root, Framework& framework) {
    if (!root.has("source")) {
        return {};
    }
    if (framework.kind != GeneratorKind::program) {
        return root.refuse("source", "'source' is for generators of kind \"program\"",
                           "leave it out, or run a program on the source tree");
    }
    MM_TRY(const TomlReader table, root.table("source"));
    MM_CHECK(table.only({"crate", "sha256", "folder", "option"}));
    FrameworkSource source;
    MM_CHECK(check_crate(table, source));
    MM_TRY(source.folder, table.text("folder"));
    MM_CHECK(check_relative(table, "folder", {source.folder}));
    if (table.has("option")) {
        MM_TRY(source.option, table.text("option"));
    }
    framework.source = std::move(source);
    return {};
}

Status check_source_option(const TomlReader& root, const Framework& framework) {
    const std::string named = framework.source ? framework.source->option : "";
    if (named.empty() || framework.option(named) != nullptr) {
        return {};
    }
    MM_TRY(const TomlReader table, root.table("source"));
    return table.refuse("option", fmt::format("there is no option '{}'", printable(named)),
                        "describe it in [[option]] with flags = []");
}

Status read_opaque_table(const TomlReader& root, Framework& framework) {
    if (!root.has("opaque")) {
        const auto is_feature = [](const FrameworkOption& option) { return option.is_library_feature; };
        return std::none_of(framework.options.begin(), framework.options.end(), is_feature)
                   ? Status{}
                   : root.refuse("option", "'library_feature' is for generators with a library",
                                 "leave it out, or name the library in [opaque]");
    }
    if (framework.kind != GeneratorKind::program) {
        return root.refuse("opaque", "'opaque' is for generators of kind \"program\"",
                           "leave it out: what a Python module or a user's folder gives is C");
    }
    MM_TRY(const TomlReader table, root.table("opaque"));
    MM_CHECK(table.only({"stand_ins", "arguments", "archive", "library"}));
    FrameworkOpaque opaque;
    MM_TRY(opaque.stand_ins, table.texts("stand_ins"));
    MM_CHECK(check_placeholders(table, "stand_ins", opaque.stand_ins, k_in_names));
    MM_CHECK(check_relative(table, "stand_ins", opaque.stand_ins));
    if (opaque.stand_ins.empty()) {
        return table.refuse("stand_ins", "nothing says what the code that is not read reads and writes",
                            "name the C files that stand in for it");
    }
    for (const std::string& pattern : opaque.stand_ins) {
        if (std::find(framework.sources.begin(), framework.sources.end(), pattern) != framework.sources.end()) {
            return table.refuse("stand_ins", fmt::format("'{}' is compiled, too", printable(pattern)),
                                "what stands in for other code is only read: take it out of output.sources");
        }
    }
    MM_TRY(opaque.archive, table.text("archive"));
    MM_CHECK(check_placeholders(table, "archive", {opaque.archive}, k_in_names));
    MM_CHECK(check_relative(table, "archive", {opaque.archive}));
    MM_TRY(opaque.command, table.texts("arguments"));
    for (const std::string& argument : opaque.command) {
        if (argument != "{flags}" && argument.find("{flags}") != std::string::npos) {
            return table.refuse("arguments", "{flags} stands for any number of arguments",
                                "make it an argument of its own");
        }
    }
    MM_CHECK(check_command(table, opaque.command, k_in_archive_command));
    if (table.has("library")) {
        MM_TRY(opaque.library, table.text("library"));
    }
    framework.opaque = std::move(opaque);
    return check_library(root, table, framework);
}

}  // namespace metamorph::app
