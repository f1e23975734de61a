// From our options to the generator's command line. Everything that can be refused without running anything is refused
// here.
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/driver/collect.h"
#include "generate/driver/crate_source.h"
#include "generate/driver/values.h"
#include "generate/native/prefix.h"
#include "util/file.h"
#include "util/text.h"

namespace metamorph::generate {
namespace {

namespace fs = std::filesystem;

std::string format_of(const fs::path& model) {
    std::error_code error;
    if (fs::is_directory(model, error)) {
        return "folder";
    }
    std::string ending = model.extension().string();
    ending = ending.empty() ? ending : ending.substr(1);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

std::string printed_formats(const std::vector<std::string>& formats) {
    std::vector<std::string> texts;
    for (const std::string& format : formats) {
        texts.push_back(format == "folder" ? "a folder of C" : "." + format);
    }
    return fmt::format("{}", fmt::join(texts, " or "));
}

Status check_model(const app::Framework& framework, const fs::path& model) {
    const std::string format = format_of(model);
    if (std::find(framework.formats.begin(), framework.formats.end(), format) == framework.formats.end()) {
        return fail_with_hint(ErrorCode::options, printable(model.string()),
                              fmt::format("the generator {} does not take {}", framework.name,
                                          format == "folder" ? "a folder" : "such a file"),
                              fmt::format("it takes {}; 'metamorph frameworks' lists what others take",
                                          printed_formats(framework.formats)));
    }
    return {};
}

using Given = std::vector<std::pair<std::string, std::string>>;

Status check_option(const app::Framework& framework, const std::string& name, const std::string& value) {
    std::vector<std::string> names;
    for (const app::FrameworkOption& option : framework.options) {
        names.push_back(option.name);
    }
    const app::FrameworkOption* option = framework.option(name);
    if (option == nullptr) {
        const std::string near = did_you_mean(name, names);
        return fail_with_hint(ErrorCode::options, "--option",
                              fmt::format("the generator {} has no option '{}'", framework.name, printable(name)),
                              !near.empty()   ? near
                              : names.empty() ? std::string("it has none")
                                              : fmt::format("its options are {}", fmt::join(names, ", ")));
    }
    if (!option->choices.empty() &&
        std::find(option->choices.begin(), option->choices.end(), value) == option->choices.end()) {
        const std::string near = did_you_mean(value, option->choices);
        return fail_with_hint(ErrorCode::options, "--option " + name,
                              fmt::format("'{}' is no value of it", printable(value)),
                              near.empty() ? fmt::format("use one of {}", fmt::join(option->choices, ", ")) : near);
    }
    return {};
}

Status check_options(const app::Framework& framework, const Given& given) {
    std::set<std::string> seen;
    for (const auto& [name, value] : given) {
        MM_CHECK(check_option(framework, name, value));
        if (!seen.insert(name).second && !framework.option(name)->repeats) {
            return fail_with_hint(ErrorCode::options, "--option " + name, "it is given twice", "leave one of them out");
        }
    }
    for (const app::FrameworkOption& option : framework.options) {
        for (const std::string& other : option.excludes) {
            if (seen.contains(option.name) && seen.contains(other)) {
                return fail_with_hint(ErrorCode::options, "--option " + option.name,
                                      fmt::format("'{}' contradicts '{}'", option.name, other),
                                      "leave one of them out");
            }
        }
    }
    return {};
}

// In the order of the description, so that the same options always give the same command.
std::vector<std::string> flags_of(const app::Framework& framework, const Given& given,
                                  std::map<std::string, std::string> values) {
    std::vector<std::string> flags;
    const auto add = [&](const app::FrameworkOption& option, const std::string& value) {
        values["value"] = value;
        const auto own = option.flags_of_choice.find(value);
        for (const std::string& flag : own != option.flags_of_choice.end() ? own->second : option.flags) {
            flags.push_back(filled(flag, values));
        }
    };
    for (const app::FrameworkOption& option : framework.options) {
        bool is_given = false;
        for (const auto& [name, value] : given) {
            if (name == option.name) {
                add(option, value);
                is_given = true;
            }
        }
        const bool is_excluded = std::any_of(given.begin(), given.end(), [&](const auto& other) {
            const app::FrameworkOption* o = framework.option(other.first);
            const auto has = [](const std::vector<std::string>& list, const std::string& name) {
                return std::find(list.begin(), list.end(), name) != list.end();
            };
            return has(option.excludes, other.first) || has(o->excludes, option.name);
        });
        if (!is_given && option.default_value && !is_excluded) {
            add(option, *option.default_value);
        }
    }
    return flags;
}

bool uses_folder(const app::Framework& framework) {
    const auto holds = [](const std::vector<std::string>& texts) {
        return std::any_of(texts.begin(), texts.end(),
                           [](const std::string& text) { return text.find("{folder}") != std::string::npos; });
    };
    return holds(framework.command) || holds(framework.prepare_command) ||
           std::any_of(framework.options.begin(), framework.options.end(),
                       [&](const app::FrameworkOption& option) { return holds(option.flags); });
}

// Scripts of a description that comes with Metamorph need a place on the disk.
Result<fs::path> folder_of(const app::Framework& framework) {
    if (!framework.folder.empty() || !uses_folder(framework)) {
        return framework.folder;
    }
    MM_TRY(const fs::path folder, framework_folder(framework.name));
    for (const auto& [path, contents] : framework.companions) {
        MM_CHECK(write_file_if_changed(folder / "files" / path, contents));
    }
    return folder / "files";
}

}  // namespace

Result<std::string> prefix_of(const DriverRequest& request) {
    std::error_code error;
    fs::path named = fs::absolute(request.model).lexically_normal();
    named = named.filename().empty() ? named.parent_path() : named;  // "folder/"
    return native::choose_prefix(
        fs::is_directory(request.model, error) ? named.filename().string() : named.stem().string(), request.prefix);
}

Result<std::map<std::string, std::string>> values_of(const app::Framework& framework, const Installation& installation,
                                                     const DriverRequest& request) {
    std::map<std::string, std::string> values;
    MM_TRY(const std::string prefix, prefix_of(request));
    values["prefix"] = prefix;
    std::string upper = prefix;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    values["PREFIX"] = upper;
    values["model"] = fs::absolute(request.model).lexically_normal().string();
    values["model_name"] = request.model.filename().string();
    values["prepared"] = framework.prepare_output;
    MM_TRY(const fs::path folder, folder_of(framework));
    values["folder"] = folder.string();
    MM_TRY(const fs::path source, source_of(framework, request));
    values["source"] = source.string();
    if (framework.opaque) {  // as it is shown where it is not known yet
        values["library"] =
            request.library.empty() ? fmt::format("lib{}.a", framework.opaque->library) : request.library.string();
    }
    std::string program = installation.program.string();
    if (program.empty() && framework.kind == app::GeneratorKind::python) {
        MM_TRY(const fs::path own, framework_folder(framework.name));
        program = (own / "venv" / "bin" / "python").string();
    }
    values["python"] = values["program"] = program.empty() ? framework.program : program;
    return values;
}

std::optional<LibraryNeed> library_need(const app::Framework& framework, const DriverRequest& request,
                                        const std::map<std::string, std::string>& values) {
    if (!framework.opaque || framework.opaque->library.empty()) {
        return std::nullopt;
    }
    LibraryNeed need{framework.opaque->library, {}, {}};
    if (names_a_source(framework, request)) {
        need.tree = values.at("source");
    }
    for (const app::FrameworkOption& option : framework.options) {
        if (!option.is_library_feature) {
            continue;
        }
        for (const auto& [name, value] : request.options) {
            if (name == option.name && value != option.default_value) {
                need.features.push_back(value);
            }
        }
    }
    return need;
}

Result<std::vector<GeneratorCommand>> plan_commands(const app::Framework& framework, const Installation& installation,
                                                    const DriverRequest& request) {
    MM_CHECK(check_model(framework, request.model));
    MM_CHECK(check_options(framework, request.options));
    MM_TRY(const auto values, values_of(framework, installation, request));
    std::vector<GeneratorCommand> commands;
    const auto add = [&](const std::string& purpose, const std::vector<std::string>& arguments) {
        GeneratorCommand command{purpose, {}};
        for (const std::string& argument : arguments) {
            if (argument == "{options}") {
                const std::vector<std::string> flags = flags_of(framework, request.options, values);
                command.argv.insert(command.argv.end(), flags.begin(), flags.end());
            } else {
                command.argv.push_back(filled(argument, values));
            }
        }
        commands.push_back(std::move(command));
    };
    if (!framework.prepare_command.empty()) {
        add("prepare the model", framework.prepare_command);
    }
    if (!framework.command.empty()) {
        add("generate", framework.command);
    }
    return commands;
}

}  // namespace metamorph::generate
