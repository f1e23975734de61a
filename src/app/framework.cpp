// The checks go from the outside in, as those of devices. What a description names in its own folder is read with it,
// so that the rest of the program needs no folder, and a missing file is told with line and column.
#include "app/framework.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/framework_checks.h"
#include "app/toml_reader.h"
#include "util/file.h"
#include "util/text.h"

namespace metamorph::app {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_file_bytes_max = 1 << 20;
constexpr std::uint64_t k_bytes_max = std::uint64_t{1} << 40;

const std::vector<std::string> k_kinds{"python", "program", "none"};
const std::vector<std::string> k_roles{"input", "output", "arena", "constant", "null"};

class Reader {
public:
    Reader(const toml::table& table, const fs::path& where, const std::map<std::string, std::string>& companions)
        : m_root(table, where.string(), "", "docs/frameworks.md"), m_where(where), m_companions(companions) {}

    Result<Framework> run() {
        MM_CHECK(m_root.only({"name", "description", "generator", "source", "model", "prepare", "command", "option",
                              "output", "opaque", "entry", "file", "hazard", "library"}));
        MM_TRY(m_framework.name, m_root.text("name"));
        MM_CHECK(check_framework_name(m_root, m_framework.name));
        MM_TRY(m_framework.description, m_root.text("description"));
        MM_TRY(m_framework.libraries, read_libraries(m_root, m_framework.name, m_where, m_companions));
        m_framework.is_generator = m_root.has("generator") || m_framework.libraries.empty();
        if (!m_framework.is_generator) {
            MM_CHECK(m_root.only({"name", "description", "library"}));
            return std::move(m_framework);
        }
        MM_CHECK(read_generator());
        MM_CHECK(read_model());
        MM_CHECK(read_source_table(m_root, m_framework));
        MM_CHECK(read_options());
        MM_CHECK(check_source_option(m_root, m_framework));
        MM_CHECK(read_commands());
        MM_CHECK(read_output());
        MM_CHECK(read_opaque_table(m_root, m_framework));
        MM_CHECK(read_entry());
        MM_CHECK(read_files());
        MM_CHECK(read_hazards());
        return std::move(m_framework);
    }

private:
    // An optional key keeps its default.
    Status text_if(const TomlReader& table, std::string_view key, std::string& value) {
        if (table.has(key)) {
            MM_TRY(value, table.text(key));
        }
        return {};
    }
    Status texts_if(const TomlReader& table, std::string_view key, std::vector<std::string>& values) {
        if (table.has(key)) {
            MM_TRY(values, table.texts(key));
        }
        return {};
    }

    Status read_generator() {
        MM_TRY(const TomlReader table, m_root.table("generator"));
        MM_TRY(const std::size_t kind, table.choice("kind", k_kinds));
        m_framework.kind = static_cast<GeneratorKind>(kind);
        if (m_framework.kind == GeneratorKind::none) {
            return table.only({"kind"});
        }
        if (m_framework.kind == GeneratorKind::python) {
            MM_CHECK(
                table.only({"kind", "module", "distribution", "version_min", "version_below", "packages", "install"}));
            MM_TRY(m_framework.module, table.text("module"));
            MM_TRY(m_framework.distribution, table.text("distribution"));
            MM_CHECK(texts_if(table, "packages", m_framework.packages));
            MM_CHECK(check_packages(table, m_framework.packages));
        } else {
            MM_CHECK(table.only({"kind", "program", "version_arguments", "version_min", "version_below", "install"}));
            MM_TRY(m_framework.program, table.text("program"));
            MM_TRY(m_framework.version_arguments, table.texts("version_arguments"));
        }
        MM_CHECK(text_if(table, "version_min", m_framework.version_min));
        MM_CHECK(text_if(table, "version_below", m_framework.version_below));
        MM_CHECK(check_versions(table, m_framework));
        MM_CHECK(text_if(table, "install", m_framework.install));
        if (m_framework.packages.empty() && m_framework.install.empty()) {
            return table.refuse("", "nothing says how the generator is installed",
                                "add packages = [\"name==1.2.3\"] (Python), or install = \"what to do\"");
        }
        return {};
    }

    Status read_model() {
        MM_TRY(const TomlReader table, m_root.table("model"));
        MM_CHECK(table.only({"formats"}));
        MM_TRY(m_framework.formats, table.texts("formats"));
        return check_formats(table, m_framework);
    }

    Status read_option(const TomlReader& table) {
        MM_CHECK(table.only(
            {"name", "description", "choices", "flags", "default", "excludes", "repeats", "library_feature"}));
        FrameworkOption option;
        MM_TRY(option.name, table.text("name"));
        MM_CHECK(check_framework_name(table, option.name));
        MM_TRY(option.description, table.text("description"));
        if (table.is_table("choices")) {
            MM_TRY(const TomlReader choices, table.table("choices"));
            for (const std::string& choice : choices.keys()) {
                MM_TRY(option.flags_of_choice[choice], choices.texts(choice));
                MM_CHECK(check_placeholders(choices, choice, option.flags_of_choice[choice], k_in_flags));
                option.choices.push_back(choice);
            }
        } else {
            MM_CHECK(texts_if(table, "choices", option.choices));
            MM_TRY(option.flags, table.texts("flags"));
            MM_CHECK(check_placeholders(table, "flags", option.flags, k_in_flags));
        }
        if (table.has("default")) {
            MM_TRY(option.default_value, table.text("default"));
        }
        MM_CHECK(texts_if(table, "excludes", option.excludes));
        if (table.has("repeats")) {
            MM_TRY(option.repeats, table.flag("repeats"));
        }
        if (table.has("library_feature")) {
            MM_TRY(option.is_library_feature, table.flag("library_feature"));
        }
        MM_CHECK(check_option(table, option, m_framework));
        m_framework.options.push_back(std::move(option));
        return {};
    }

    Status read_options() {
        if (!m_root.has("option")) {
            return {};
        }
        MM_TRY(const std::vector<TomlReader> tables, m_root.tables("option"));
        for (const TomlReader& table : tables) {
            MM_CHECK(read_option(table));
        }
        return check_excludes(tables, m_framework);
    }

    Status read_commands() {
        if (m_framework.kind == GeneratorKind::none) {
            for (const char* key : {"prepare", "command", "option"}) {
                if (m_root.has(key)) {
                    return m_root.refuse(key, fmt::format("'{}' is for a generator, and its kind is \"none\"", key),
                                         "leave it out, or say which kind of generator it is");
                }
            }
            return {};
        }
        Allowed allowed = k_in_command;
        if (m_root.has("prepare")) {
            MM_TRY(const TomlReader prepare, m_root.table("prepare"));
            MM_CHECK(prepare.only({"arguments", "output"}));
            MM_TRY(m_framework.prepare_command, prepare.texts("arguments"));
            MM_CHECK(check_command(prepare, m_framework.prepare_command, k_in_prepare));
            MM_TRY(m_framework.prepare_output, prepare.text("output"));
            MM_CHECK(check_relative(prepare, "output", {m_framework.prepare_output}));
            allowed = k_in_command_after_prepare;
        }
        MM_TRY(const TomlReader table, m_root.table("command"));
        MM_CHECK(table.only({"arguments", "seconds_max"}));
        MM_TRY(m_framework.command, table.texts("arguments"));
        if (m_framework.source) {
            allowed.push_back("source");
        }
        if (m_root.has("opaque")) {
            allowed.push_back("library");
        }
        MM_CHECK(check_command(table, m_framework.command, allowed));
        MM_TRY(m_framework.seconds_max, table.integer("seconds_max", 1, 24 * 3600));
        return {};
    }

    Status read_output() {
        MM_TRY(const TomlReader table, m_root.table("output"));
        MM_CHECK(table.only({"sources", "headers", "include_dirs", "defines", "manifest", "replace_missing_headers"}));
        MM_TRY(m_framework.sources, table.texts("sources"));
        MM_CHECK(texts_if(table, "headers", m_framework.headers));
        m_framework.include_dirs = {"."};
        MM_CHECK(texts_if(table, "include_dirs", m_framework.include_dirs));
        MM_CHECK(texts_if(table, "defines", m_framework.defines));
        MM_CHECK(text_if(table, "manifest", m_framework.manifest));
        if (table.has("replace_missing_headers")) {
            MM_TRY(m_framework.replaces_missing_headers, table.flag("replace_missing_headers"));
        }
        const auto check = [&](std::string_view key, const std::vector<std::string>& names) -> Status {
            MM_CHECK(check_placeholders(table, key, names, k_in_names));
            return check_relative(table, key, names);
        };
        MM_CHECK(check("sources", m_framework.sources));
        MM_CHECK(check("headers", m_framework.headers));
        MM_CHECK(check("include_dirs", m_framework.include_dirs));
        MM_CHECK(check_placeholders(table, "defines", m_framework.defines, k_in_names));
        if (m_framework.sources.empty()) {
            return table.refuse("sources", "'output.sources' is empty", "name the C files that come out: [\"*.c\"]");
        }
        return m_framework.manifest.empty() ? Status{} : check("manifest", {m_framework.manifest});
    }

    Status read_parameter(const TomlReader& table) {
        MM_CHECK(table.only({"name", "role", "bytes", "bytes_macro", "value"}));
        FrameworkParameter parameter;
        MM_TRY(parameter.name, table.text("name"));
        MM_TRY(const std::size_t role, table.choice("role", k_roles));
        parameter.role = k_roles[role];
        if (table.has("bytes")) {
            MM_TRY(parameter.bytes, table.integer("bytes", 1, k_bytes_max));
        }
        MM_CHECK(text_if(table, "bytes_macro", parameter.bytes_macro));
        MM_CHECK(check_placeholders(table, "bytes_macro", {parameter.bytes_macro}, k_in_names));
        if (parameter.bytes && !parameter.bytes_macro.empty()) {
            return table.refuse("bytes", "'bytes' contradicts 'bytes_macro'", "leave one of them out");
        }
        if (table.has("value") != (parameter.role == "constant")) {
            return table.refuse("value", "'value' belongs to the role \"constant\", and to no other",
                                "role = \"constant\" and value = 10, say");
        }
        if (table.has("value")) {
            MM_TRY(parameter.value, table.integer("value", 0, std::uint64_t{1} << 62));
        }
        m_framework.parameters.push_back(std::move(parameter));
        return {};
    }

    Status read_entry() {
        if (!m_root.has("entry")) {
            if (m_framework.manifest.empty() && m_framework.kind != GeneratorKind::none) {
                return m_root.refuse("", "nothing says which function is the inference entry",
                                     "add a table [entry] with function = \"…\", or let the command write a manifest");
            }
            return {};
        }
        MM_TRY(const TomlReader table, m_root.table("entry"));
        MM_CHECK(table.only({"function", "operator_comment", "parameter"}));
        MM_TRY(m_framework.entry, table.text("function"));
        MM_CHECK(check_placeholders(table, "function", {m_framework.entry}, k_in_names));
        MM_CHECK(text_if(table, "operator_comment", m_framework.operator_comment));
        if (table.has("parameter")) {
            MM_TRY(const std::vector<TomlReader> parameters, table.tables("parameter"));
            for (const TomlReader& parameter : parameters) {
                MM_CHECK(read_parameter(parameter));
            }
        }
        return {};
    }

    Status read_files() {
        if (!m_root.has("file")) {
            return {};
        }
        MM_TRY(const std::vector<TomlReader> tables, m_root.tables("file"));
        for (const TomlReader& table : tables) {
            MM_CHECK(table.only({"path", "from"}));
            FrameworkFile file;
            MM_TRY(file.path, table.text("path"));
            MM_CHECK(check_relative(table, "path", {file.path}));
            MM_TRY(const std::string from, table.text("from"));
            MM_CHECK(check_relative(table, "from", {from}));
            if (const auto companion = m_companions.find(from); companion != m_companions.end()) {
                file.contents = companion->second;
            } else {
                const auto bytes = read_file(m_where.parent_path() / from, k_file_bytes_max);
                if (!bytes) {
                    return table.refuse("from",
                                        fmt::format("'{}' cannot be read: {}", printable(from), bytes.error().message),
                                        "put it beside the description");
                }
                file.contents.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
            }
            m_framework.files.push_back(std::move(file));
        }
        return {};
    }

    Status read_hazards() {
        if (!m_root.has("hazard")) {
            return {};
        }
        MM_TRY(const std::vector<TomlReader> tables, m_root.tables("hazard"));
        for (const TomlReader& table : tables) {
            MM_CHECK(table.only({"text", "contains", "refuse"}));
            FrameworkHazard hazard;
            MM_TRY(hazard.text, table.text("text"));
            MM_CHECK(text_if(table, "contains", hazard.contains));
            MM_CHECK(check_placeholders(table, "contains", {hazard.contains}, k_in_names));
            if (table.has("refuse")) {
                MM_TRY(hazard.refuse, table.flag("refuse"));
            }
            if (hazard.refuse && hazard.contains.empty()) {
                return table.refuse("refuse", "what is always refused cannot be used at all",
                                    "add contains = \"text of the sources that shows the hazard\"");
            }
            m_framework.hazards.push_back(std::move(hazard));
        }
        return {};
    }

    TomlReader m_root;
    fs::path m_where;
    const std::map<std::string, std::string>& m_companions;
    Framework m_framework;
};

}  // namespace

const char* name_of(GeneratorKind kind) {
    return k_kinds[static_cast<std::size_t>(kind)].c_str();
}

const FrameworkOption* Framework::option(std::string_view called) const {
    const auto found = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == called; });
    return found == options.end() ? nullptr : &*found;
}

Result<Framework> read_framework(std::string_view toml, const fs::path& where,
                                 const std::map<std::string, std::string>& companions) {
    const toml::parse_result parsed = toml::parse(toml);
    if (!parsed) {
        const toml::source_position at = parsed.error().source().begin;
        return fail_with_hint(ErrorCode::options, fmt::format("{}:{}:{}", where.string(), at.line, at.column),
                              fmt::format("this is not TOML: {}", parsed.error().description()),
                              "docs/frameworks.md shows a description");
    }
    MM_TRY(Framework framework, Reader(parsed.table(), where, companions).run());
    framework.text = toml;
    framework.companions = companions;
    framework.folder = companions.empty() ? fs::absolute(where).parent_path() : fs::path();
    return framework;
}

}  // namespace metamorph::app
