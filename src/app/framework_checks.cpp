#include "app/framework_checks.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::app {

const Allowed k_in_names{"prefix", "PREFIX", "model_name"};
const Allowed k_in_flags{"value", "prefix", "PREFIX", "model_name", "folder"};
const Allowed k_in_prepare{"python", "program", "model", "model_name", "prefix", "PREFIX", "folder", "prepared"};
const Allowed k_in_command{"python", "program", "model", "model_name", "prefix", "PREFIX", "folder", "options"};
const Allowed k_in_command_after_prepare{"python", "program", "model",   "model_name", "prefix",
                                         "PREFIX", "folder",  "options", "prepared"};

Status check_framework_name(const TomlReader& table, const std::string& name) {
    const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (!is_plain || name.front() == '-' || name.front() == '.') {
        return table.refuse("name", fmt::format("'{}' is no name here", printable(name)),
                            "use letters, digits, '-', '_' and '.', as it goes into commands");
    }
    return {};
}

Status check_packages(const TomlReader& table, const std::vector<std::string>& packages) {
    for (const std::string& package : packages) {
        const std::size_t pin = package.find("==");
        if (pin == std::string::npos || pin == 0 || pin + 2 == package.size() || package.front() == '-' ||
            package.find_first_of(" \t;@/*") != std::string::npos) {
            return table.refuse("packages", fmt::format("'{}' is not pinned", printable(package)),
                                "write each as \"name==1.2.3\", so that everyone gets the same");
        }
    }
    return {};
}

Status check_versions(const TomlReader& table, const Framework& framework) {
    for (const auto& [key, version] :
         {std::pair{"version_min", framework.version_min}, std::pair{"version_below", framework.version_below}}) {
        if (!version.empty() && std::isdigit(static_cast<unsigned char>(version.front())) == 0) {
            return table.refuse(key, fmt::format("'{}' is no version", printable(version)),
                                "write numbers with dots between them: \"1.4\"");
        }
    }
    if (!framework.version_min.empty() && !framework.version_below.empty() &&
        compare_versions(framework.version_min, framework.version_below) >= 0) {
        return table.refuse(
            "version_below",
            fmt::format("no version is at least {} and below {}", framework.version_min, framework.version_below),
            "version_below is the first version that is not accepted");
    }
    return {};
}

Status check_formats(const TomlReader& table, const Framework& framework) {
    if (framework.formats.empty()) {
        return table.refuse("formats", "'model.formats' is empty", "write endings of files: [\"onnx\"]");
    }
    for (const std::string& format : framework.formats) {
        if (format.empty() || !std::all_of(format.begin(), format.end(), [](unsigned char c) {
                return std::isalnum(c) != 0 && std::isupper(c) == 0;
            })) {
            return table.refuse("formats", fmt::format("'{}' is no ending of files", printable(format)),
                                "use small letters and digits, without the dot: \"onnx\"; \"folder\" is a folder");
        }
    }
    return {};
}

Status check_option(const TomlReader& table, const FrameworkOption& option, const Framework& earlier) {
    if (earlier.option(option.name) != nullptr) {
        return table.refuse("name", fmt::format("there are two options '{}'", option.name), "rename one of them");
    }
    const auto is_choice = [&](const std::string& value) {
        return option.choices.empty() ||
               std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end();
    };
    if (option.default_value && !is_choice(*option.default_value)) {
        return table.refuse("default", fmt::format("'{}' is none of the choices", printable(*option.default_value)),
                            fmt::format("the choices are {}", fmt::join(option.choices, ", ")));
    }
    const bool names_the_source = earlier.source && earlier.source->option == option.name;
    if (!names_the_source && !option.is_library_feature && option.choices.empty() &&
        std::none_of(option.flags.begin(), option.flags.end(),
                     [](const std::string& flag) { return flag.find("{value}") != std::string::npos; })) {
        return table.refuse(
            "flags", "no flag holds {value}, so the value has no effect",
            "write \"--flag={value}\", or [\"--flag\", \"{value}\"], or choices with flags of their own");
    }
    return {};
}

Status check_excludes(const std::vector<TomlReader>& tables, const Framework& framework) {
    std::vector<std::string> names;
    for (const FrameworkOption& option : framework.options) {
        names.push_back(option.name);
    }
    for (std::size_t i = 0; i < tables.size(); ++i) {
        for (const std::string& other : framework.options[i].excludes) {
            if (framework.option(other) == nullptr || other == framework.options[i].name) {
                const std::string hint = did_you_mean(other, names);
                return tables[i].refuse(
                    "excludes", fmt::format("'{}' is no other option", printable(other)),
                    hint.empty() ? fmt::format("the options are {}", fmt::join(names, ", ")) : hint);
            }
        }
    }
    return {};
}

Status check_placeholders(const TomlReader& table, std::string_view key, const std::vector<std::string>& texts,
                          const Allowed& allowed) {
    for (const std::string& text : texts) {
        for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at)) {
            if (text.compare(at, 2, "{{") == 0) {
                at += 2;
                continue;
            }
            const std::size_t end = text.find('}', at);
            const std::string name = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
            if (end == std::string::npos || std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
                const std::string hint = did_you_mean(name, allowed);
                return table.refuse(key, fmt::format("'{{{}}}' means nothing here", printable(name)),
                                    hint.empty() ? fmt::format("known here: {{{}}}; write '{{{{' for a brace",
                                                               fmt::join(allowed, "}, {"))
                                                 : hint);
            }
            at = end;
        }
    }
    return {};
}

Status check_command(const TomlReader& table, const std::vector<std::string>& arguments, const Allowed& allowed) {
    if (arguments.empty()) {
        return table.refuse("arguments", fmt::format("'{}' is empty", table.name_of("arguments")),
                            "begin with \"{python}\" or \"{program}\"");
    }
    for (const std::string& argument : arguments) {
        if (argument != "{options}" && argument.find("{options}") != std::string::npos) {
            return table.refuse("arguments", "{options} stands for any number of arguments",
                                "make it an argument of its own");
        }
    }
    return check_placeholders(table, "arguments", arguments, allowed);
}

Status check_relative(const TomlReader& table, std::string_view key, const std::vector<std::string>& paths) {
    for (const std::string& text : paths) {
        const std::filesystem::path path(text);
        const bool climbs = std::any_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
        if (path.empty() || path.is_absolute() || climbs) {
            return table.refuse(key, fmt::format("'{}' does not stay below its folder", printable(text)),
                                "use a relative path without '..'");
        }
    }
    return {};
}

}  // namespace metamorph::app
