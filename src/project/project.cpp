#include "project/project.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/device.h"
#include "app/framework.h"
#include "app/toml_reader.h"
#include "project/names.h"
#include "util/file.h"
#include "util/text.h"

namespace metamorph::project {
namespace {

namespace fs = std::filesystem;
using app::TomlReader;

constexpr const char* k_guide = "docs/project.md";
constexpr std::int64_t k_file_bytes_max = 1 << 20;
constexpr std::uint64_t k_inferences_max = 10'000, k_depth_max = 9, k_seconds_max = 604'800, k_mib_max = 1 << 24;

class Reader {
public:
    Reader(const toml::table& table, const fs::path& where) : m_top(table, where.string(), "", k_guide) {
        std::error_code error;
        m_project.file = fs::absolute(where, error).lexically_normal();
        m_project.folder = m_project.file.parent_path();
    }

    Result<Project> run() {
        MM_CHECK(m_top.only({"model", "generator", "matrix", "group", "run", "limits"}));
        MM_CHECK(read_models());
        MM_CHECK(read_generators());
        MM_CHECK(read_matrix());
        MM_CHECK(read_groups());
        MM_CHECK(read_run());
        MM_CHECK(read_limits());
        return std::move(m_project);
    }

private:
    // A file of the project; generators may take folders, too.
    Result<fs::path> path_at(const TomlReader& at, const char* key, const std::string& text) const {
        const fs::path path = (m_project.folder / text).lexically_normal();
        std::error_code error;
        if (!fs::exists(path, error)) {
            return at.refuse(key, fmt::format("there is no file '{}'", printable(text)),
                             fmt::format("paths are from the folder of this file, {}", m_project.folder.string()));
        }
        return path;
    }

    Status check_new_name(const TomlReader& at, const std::string& name, std::set<std::string>& taken) const {
        MM_CHECK(check_name(at, "name", name));
        if (!taken.insert(name).second) {
            return at.refuse("name", fmt::format("'{}' is there twice", name), "give each a name of its own");
        }
        return {};
    }

    Status read_models() {
        MM_TRY(const std::vector<TomlReader> tables, m_top.tables("model"));
        std::set<std::string> taken;
        for (const TomlReader& at : tables) {
            MM_CHECK(at.only({"name", "files", "inputs", "expected", "expected_type", "tolerance"}));
            ModelEntry model;
            MM_TRY(model.name, at.text("name"));
            MM_CHECK(check_new_name(at, model.name, taken));
            MM_TRY(const std::vector<std::string> files, at.texts("files"));
            if (files.empty()) {
                return at.refuse("files", fmt::format("'{}' has no file", at.name_of("files")),
                                 "name one at least: files = [\"net.tflite\"]");
            }
            for (const std::string& file : files) {
                MM_TRY(fs::path path, path_at(at, "files", file));
                model.files.push_back(std::move(path));
            }
            for (const auto& [key, slot] : {std::pair{"inputs", &model.inputs}, {"expected", &model.expected}}) {
                if (at.has(key)) {
                    MM_TRY(const std::string text, at.text(key));
                    MM_TRY(*slot, path_at(at, key, text));
                }
            }
            if (at.has("expected_type")) {
                MM_TRY(const std::size_t type, at.choice("expected_type", {"int8", "float32"}));
                model.is_expected_float = type == 1;
            }
            if (at.has("tolerance")) {
                MM_TRY(model.tolerance, at.number("tolerance"));
            }
            if (!model.expected.empty() && model.inputs.empty()) {
                return at.refuse("expected", "outputs are expected, and the inputs that give them are not named",
                                 "add inputs = \"FILE\"");
            }
            m_project.models.push_back(std::move(model));
        }
        return {};
    }

    Status read_generators() {
        if (!m_top.has("generator")) {
            m_project.generators.push_back({"native", "native", {}});
            return {};
        }
        MM_TRY(const std::vector<TomlReader> tables, m_top.tables("generator"));
        std::set<std::string> taken;
        for (const TomlReader& at : tables) {
            MM_CHECK(at.only({"name", "generator", "options"}));
            GeneratorEntry entry;
            MM_TRY(entry.name, at.text("name"));
            MM_CHECK(check_new_name(at, entry.name, taken));
            const char* key = at.has("generator") ? "generator" : "name";
            MM_TRY(const std::string generator, at.text(key));
            MM_TRY(entry.generator, generator_named(at, key, generator, m_project.folder));
            if (at.has("options")) {
                MM_TRY(const TomlReader options, at.table("options"));
                MM_TRY(entry.options, read_options(options, entry.generator, m_project.folder));
            }
            m_project.generators.push_back(std::move(entry));
        }
        return {};
    }

    std::vector<std::string> declared(Axis axis) const {
        std::vector<std::string> names;
        if (axis == Axis::model) {
            for (const ModelEntry& model : m_project.models) {
                names.push_back(model.name);
            }
        } else if (axis == Axis::generator) {
            for (const GeneratorEntry& generator : m_project.generators) {
                names.push_back(generator.name);
            }
        }
        return names;
    }

    // Values of one axis: a text or an array of texts.
    Result<std::vector<std::string>> read_values(const TomlReader& at, Axis axis) const {
        const std::string& key = axis_names()[static_cast<std::size_t>(axis)];
        MM_TRY(std::vector<std::string> values, one_or_more(at, key));
        for (std::string& value : values) {
            MM_TRY(value, checked_value(at, key, axis, value, declared(axis), m_project.folder));
        }
        return values;
    }

    Result<Rule> read_rule(const TomlReader& at, bool has_why) const {
        std::vector<std::string> keys = axis_names();
        if (has_why) {
            keys.push_back("why");
        }
        MM_CHECK(at.only(keys));
        Rule rule;
        for (std::size_t i = 0; i < k_axes; ++i) {
            if (at.has(axis_names()[i])) {
                MM_TRY(rule.values[static_cast<Axis>(i)], read_values(at, static_cast<Axis>(i)));
            }
        }
        if (rule.values.empty()) {
            return at.refuse("", "nothing is named here",
                             fmt::format("name values of {}", fmt::join(axis_names(), ", ")));
        }
        if (at.has("why")) {
            MM_TRY(rule.why, at.text("why"));
        }
        return rule;
    }

    Status read_matrix() {
        m_project.axes = {{Axis::model, declared(Axis::model)},
                          {Axis::generator, declared(Axis::generator)},
                          {Axis::toolchain, {"gcc"}},
                          {Axis::tasks, {"layer"}}};
        MM_TRY(const TomlReader matrix, m_top.table("matrix"));
        std::vector<std::string> keys = axis_names();
        keys.insert(keys.end(), {"include", "exclude"});
        MM_CHECK(matrix.only(keys));
        for (std::size_t i = 0; i < k_axes; ++i) {
            const auto axis = static_cast<Axis>(i);
            if (matrix.has(axis_names()[i]) || axis == Axis::device) {
                MM_TRY(m_project.axes[axis], read_values(matrix, axis));
            }
        }
        for (const auto& [key, rules] : {std::pair{"include", &m_project.includes}, {"exclude", &m_project.excludes}}) {
            if (!matrix.has(key)) {
                continue;
            }
            MM_TRY(const std::vector<TomlReader> tables, matrix.tables(key));
            for (const TomlReader& at : tables) {
                MM_TRY(Rule rule, read_rule(at, rules == &m_project.excludes));
                rules->push_back(std::move(rule));
            }
        }
        return {};
    }

    Status read_groups() {
        if (!m_top.has("group")) {
            return {};
        }
        MM_TRY(const TomlReader groups, m_top.table("group"));
        for (const std::string& name : groups.keys()) {
            MM_CHECK(check_name(groups, name, name));
            MM_TRY(const TomlReader at, groups.table(name));
            MM_TRY(m_project.groups[name], read_rule(at, false));
        }
        return {};
    }

    Status read_run() {
        if (!m_top.has("run")) {
            return {};
        }
        MM_TRY(const TomlReader at, m_top.table("run"));
        MM_CHECK(at.only({"inferences", "seed", "depth"}));
        if (at.has("inferences")) {
            MM_TRY(const std::uint64_t number, at.integer("inferences", 1, k_inferences_max));
            m_project.inferences = static_cast<int>(number);
        }
        if (at.has("seed")) {
            MM_TRY(m_project.seed, at.integer("seed", 0, INT64_MAX));
        }
        if (at.has("depth")) {
            MM_TRY(const std::uint64_t number, at.integer("depth", 0, k_depth_max));
            m_project.depth = static_cast<int>(number);
        }
        return {};
    }

    Status read_limits() {
        if (!m_top.has("limits")) {
            return {};
        }
        MM_TRY(const TomlReader at, m_top.table("limits"));
        MM_CHECK(at.only({"stage_seconds", "memory_mib"}));
        if (at.has("stage_seconds")) {
            MM_TRY(m_project.limits.stage_seconds, at.integer("stage_seconds", 1, k_seconds_max));
        }
        if (at.has("memory_mib")) {
            MM_TRY(m_project.limits.memory_mib, at.integer("memory_mib", 1, k_mib_max));
        }
        return {};
    }

    TomlReader m_top;
    Project m_project;
};

}  // namespace

const std::vector<std::string>& axis_names() {
    static const std::vector<std::string> names{"model", "generator", "device", "toolchain", "tasks"};
    return names;
}

const ModelEntry* Project::model(std::string_view called) const {
    const auto found = std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.name == called; });
    return found == models.end() ? nullptr : &*found;
}

const GeneratorEntry* Project::generator(std::string_view called) const {
    const auto found =
        std::find_if(generators.begin(), generators.end(), [&](const auto& g) { return g.name == called; });
    return found == generators.end() ? nullptr : &*found;
}

Result<Project> read_project(std::string_view toml, const fs::path& where) {
    const toml::parse_result parsed = toml::parse(toml);
    if (!parsed) {
        const toml::source_position at = parsed.error().source().begin;
        return fail_with_hint(ErrorCode::options, fmt::format("{}:{}:{}", where.string(), at.line, at.column),
                              fmt::format("this is not TOML: {}", parsed.error().description()),
                              "docs/project.md shows a project file");
    }
    return Reader(parsed.table(), where).run();
}

Result<Project> load_project(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
        return fail_with_hint(ErrorCode::options, file.string(), "there is no project file",
                              "'metamorph init' writes one here; --project FILE names another");
    }
    MM_TRY(const std::vector<std::byte> bytes, read_file(file, k_file_bytes_max));
    return read_project({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

}  // namespace metamorph::project
