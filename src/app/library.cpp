// As of frameworks: types first, then what contradicts itself. Files that a description names beside itself are read
// with it.
#include "app/library.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/device.h"
#include "app/framework_checks.h"
#include "app/toml_reader.h"
#include "util/file.h"
#include "util/text.h"

namespace metamorph::app {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_file_bytes_max = 4 << 20;

const std::vector<std::string> k_source_kinds{"metamorph", "folder", "python", "crate"};
const std::vector<std::string> k_toolchains{"gcc", "clang"};
const std::vector<std::string> k_part_keys{"sources",   "exclude", "headers", "include_dirs", "exports",
                                           "defines",   "flags",   "c_flags", "source_flags", "cxx_flags",
                                           "generated", "patches", "needs"};

// What can be taken away from a library that is extended; of generated files the paths, of patches the names.
const std::vector<std::string> k_without_keys{"sources", "exclude", "headers",   "include_dirs", "exports", "defines",
                                              "flags",   "c_flags", "cxx_flags", "generated",    "patches", "needs"};

std::vector<std::string> with_part_keys(std::vector<std::string> keys) {
    keys.insert(keys.end(), k_part_keys.begin(), k_part_keys.end());
    return keys;
}

class Reader {
public:
    Reader(const fs::path& where, const std::map<std::string, std::string>& companions)
        : m_where(where), m_companions(companions) {}

    Result<Library> read(const TomlReader& table, const std::string& framework) {
        MM_CHECK(table.only(with_part_keys(
            {"name", "description", "extends", "without", "source", "targets", "feature", "when", "cycle", "hooks"})));
        Library library;
        library.framework = framework;
        library.place = table.refuse("name", "", "").value().where;
        MM_TRY(library.name, table.text("name"));
        MM_CHECK(check_framework_name(table, library.name));
        MM_CHECK(read_extension(table, library));
        const bool is_own = library.extends.empty();
        if (is_own || table.has("description")) {
            MM_TRY(library.description, table.text("description"));
        }
        library.has_source = is_own || table.has("source");
        if (library.has_source) {
            MM_CHECK(read_source(table, library));
        }
        MM_CHECK(read_targets(table, library));
        MM_CHECK(texts_if(table, "hooks", library.hooks));
        if (table.has("cycle")) {
            MM_TRY(library.cycle, table.text("cycle"));
        }
        MM_TRY(library.part, read_part(table));
        if (is_own && library.part.sources.empty() && library.part.exports.empty()) {
            return table.refuse("sources", fmt::format("library '{}' has no sources", library.name),
                                "sources = [\"src/*.c\"]: patterns of files below its source; one of header files "
                                "alone has exports");
        }
        MM_CHECK(read_features(table, library));
        MM_CHECK(read_conditions(table, library));
        if (m_companions.empty()) {
            library.folder = fs::absolute(m_where).parent_path();
        }
        library.companions = m_companions;
        return library;
    }

private:
    Status texts_if(const TomlReader& table, std::string_view key, std::vector<std::string>& values) {
        if (table.has(key)) {
            MM_TRY(values, table.texts(key));
        }
        return {};
    }

    Status read_extension(const TomlReader& table, Library& library) {
        if (table.has("extends")) {
            MM_TRY(library.extends, table.text("extends"));
        }
        if (!table.has("without")) {
            return {};
        }
        if (library.extends.empty()) {
            return table.refuse("without", "'without' takes away what another library has, and none is extended",
                                "add extends = \"NAME\"");
        }
        MM_TRY(const TomlReader without, table.table("without"));
        MM_CHECK(without.only(k_without_keys));
        for (const std::string& key : without.keys()) {
            MM_TRY(library.without[key], without.texts(key));
        }
        return {};
    }

    Status read_source(const TomlReader& table, Library& library) {
        LibrarySource& from = library.source;
        if (!table.is_table("source") && table.has("source")) {  // "PATH", for short
            MM_TRY(from.path, table.text("source"));
            return {};
        }
        MM_TRY(const TomlReader source, table.table("source"));
        MM_TRY(const std::size_t kind, source.choice("kind", k_source_kinds));
        from.kind = static_cast<LibrarySource::Kind>(kind);
        if (from.kind == LibrarySource::Kind::metamorph) {
            return source.only({"kind"});
        }
        if (from.kind == LibrarySource::Kind::folder) {
            MM_CHECK(source.only({"kind", "path"}));
            MM_TRY(from.path, source.text("path"));
            return {};
        }
        if (source.has("environment")) {
            MM_TRY(from.environment, source.text("environment"));
        }
        if (from.kind == LibrarySource::Kind::crate) {
            return source.only({"kind", "environment"});
        }
        MM_CHECK(source.only({"kind", "module", "distribution", "environment"}));
        MM_TRY(from.module, source.text("module"));
        MM_TRY(from.distribution, source.text("distribution"));
        return {};
    }

    Result<std::string> companion(const TomlReader& table, std::string_view key, const std::string& path) {
        MM_CHECK(check_relative(table, key, {path}));
        if (const auto found = m_companions.find(path); found != m_companions.end()) {
            return found->second;
        }
        const auto bytes = read_file(m_where.parent_path() / path, k_file_bytes_max);
        if (!bytes) {
            return table.refuse(key, fmt::format("'{}' cannot be read: {}", printable(path), bytes.error().message),
                                "put it beside the description");
        }
        return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    }

    Status read_generated(const TomlReader& table, LibraryPart& part) {
        MM_TRY(const std::vector<TomlReader> files, table.tables("generated"));
        for (const TomlReader& file : files) {
            MM_CHECK(file.only({"path", "text", "from"}));
            MM_TRY(const std::string path, file.text("path"));
            MM_CHECK(check_relative(file, "path", {path}));
            if (file.has("text") == file.has("from")) {
                return file.refuse("text", fmt::format("'{}' needs either 'text' or 'from'", printable(path)),
                                   "text = \"…\" is its contents, from = \"FILE\" a file beside the description");
            }
            std::string text;
            if (file.has("text")) {
                MM_TRY(text, file.text("text"));
            } else {
                MM_TRY(const std::string from, file.text("from"));
                MM_TRY(text, companion(file, "from", from));
            }
            part.generated.emplace_back(path, text);
        }
        return {};
    }

    Result<LibraryPart> read_part(const TomlReader& table) {
        LibraryPart part;
        MM_CHECK(texts_if(table, "sources", part.sources));
        MM_CHECK(texts_if(table, "exclude", part.exclude));
        MM_CHECK(texts_if(table, "headers", part.headers));
        MM_CHECK(texts_if(table, "include_dirs", part.include_dirs));
        MM_CHECK(texts_if(table, "exports", part.exports));
        for (const auto& [key, values] :
             {std::pair{"sources", &part.sources}, std::pair{"exclude", &part.exclude},
              std::pair{"headers", &part.headers}, std::pair{"include_dirs", &part.include_dirs},
              std::pair{"exports", &part.exports}}) {
            MM_CHECK(check_relative(table, key, *values));
        }
        MM_CHECK(texts_if(table, "defines", part.defines));
        MM_CHECK(texts_if(table, "flags", part.flags));
        MM_CHECK(texts_if(table, "c_flags", part.c_flags));
        MM_CHECK(texts_if(table, "cxx_flags", part.cxx_flags));
        MM_CHECK(texts_if(table, "needs", part.needs));
        for (const auto& [key, values] : {std::pair{"flags", &part.flags}, std::pair{"c_flags", &part.c_flags},
                                          std::pair{"cxx_flags", &part.cxx_flags}}) {
            MM_CHECK(check_flags(table, key, *values));
        }
        if (table.has("source_flags")) {
            MM_TRY(const std::vector<TomlReader> tables, table.tables("source_flags"));
            for (const TomlReader& of : tables) {
                MM_CHECK(of.only({"sources", "flags"}));
                SourceFlags own;
                MM_TRY(own.sources, of.texts("sources"));
                MM_TRY(own.flags, of.texts("flags"));
                MM_CHECK(check_flags(of, "flags", own.flags));
                part.source_flags.push_back(std::move(own));
            }
        }
        if (table.has("generated")) {
            MM_CHECK(read_generated(table, part));
        }
        std::vector<std::string> patches;
        MM_CHECK(texts_if(table, "patches", patches));
        for (const std::string& patch : patches) {
            MM_TRY(std::string text, companion(table, "patches", patch));
            part.patches.emplace_back(patch, std::move(text));
        }
        return part;
    }

    // Folders belong into include_dirs, where the key of the store knows what is in them.
    Status check_flags(const TomlReader& table, std::string_view key, const std::vector<std::string>& flags) {
        for (const std::string& flag : flags) {
            for (const char* start :
                 {"-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "--sysroot", "@"}) {
                if (flag.starts_with(start)) {
                    return table.refuse(key,
                                        fmt::format("the flag '{}' reads files that no key covers", printable(flag)),
                                        "name folders in include_dirs, and their files in headers");
                }
            }
            if (flag.empty() || flag == "-c" || flag.starts_with("-o") || flag.front() != '-') {
                return table.refuse(key, fmt::format("'{}' is no flag for a compilation", printable(flag)),
                                    "write one flag a text, with its value: \"-std=c11\"");
            }
        }
        return {};
    }

    Status read_features(const TomlReader& table, Library& library) {
        if (!table.has("feature")) {
            return {};
        }
        MM_TRY(const std::vector<TomlReader> tables, table.tables("feature"));
        for (const TomlReader& of : tables) {
            MM_CHECK(of.only(with_part_keys({"name", "description", "excludes", "requires"})));
            LibraryFeature feature;
            MM_TRY(feature.name, of.text("name"));
            MM_CHECK(check_framework_name(of, feature.name));
            MM_TRY(feature.description, of.text("description"));
            MM_CHECK(texts_if(of, "excludes", feature.excludes));
            MM_CHECK(texts_if(of, "requires", feature.requires_features));
            MM_TRY(feature.part, read_part(of));
            if (library.feature(feature.name) != nullptr) {
                return of.refuse("name", fmt::format("there are two features '{}'", feature.name),
                                 "rename one of them");
            }
            library.features.push_back(std::move(feature));
        }
        for (std::size_t i = 0; i < tables.size(); ++i) {
            MM_CHECK(check_feature_names(tables[i], "excludes", library.features[i].excludes, library));
            MM_CHECK(check_feature_names(tables[i], "requires", library.features[i].requires_features, library));
        }
        return {};
    }

    Status check_feature_names(const TomlReader& table, std::string_view key, const std::vector<std::string>& names,
                               const Library& library) {
        if (!library.extends.empty()) {
            return {};  // extended() knows all features
        }
        std::vector<std::string> known;
        for (const LibraryFeature& feature : library.features) {
            known.push_back(feature.name);
        }
        return check_choices(table, key, names, known, "feature of this library");
    }

    Status check_choices(const TomlReader& table, std::string_view key, const std::vector<std::string>& values,
                         const std::vector<std::string>& known, std::string_view what) {
        for (const std::string& value : values) {
            if (std::find(known.begin(), known.end(), value) == known.end()) {
                const std::string hint = did_you_mean(value, known);
                return table.refuse(key, fmt::format("'{}' is no {}", printable(value), what),
                                    !hint.empty()   ? hint
                                    : known.empty() ? "it has none"
                                                    : fmt::format("there are {}", fmt::join(known, ", ")));
            }
        }
        return {};
    }

    Status read_target_set(const TomlReader& table, TargetSet& set) {
        MM_CHECK(texts_if(table, "toolchains", set.toolchains));
        MM_CHECK(texts_if(table, "cores", set.cores));
        MM_CHECK(texts_if(table, "nvm", set.attachments));
        MM_CHECK(texts_if(table, "devices", set.devices));
        MM_CHECK(check_choices(table, "toolchains", set.toolchains, k_toolchains, "toolchain"));
        MM_CHECK(check_choices(table, "cores", set.cores,
                               {name_of(Core::host), name_of(Core::cortex_m4f), name_of(Core::rv32imc)}, "core"));
        return check_choices(table, "nvm", set.attachments, {name_of(Attachment::mapped), name_of(Attachment::bus)},
                             "attachment of NVM");
    }

    Status read_targets(const TomlReader& table, Library& library) {
        library.has_targets = table.has("targets");
        if (!library.has_targets) {
            return {};
        }
        MM_TRY(const TomlReader of, table.table("targets"));
        MM_CHECK(of.only({"toolchains", "cores", "nvm", "devices", "reason"}));
        MM_CHECK(read_target_set(of, library.targets));
        if (of.has("reason")) {
            MM_TRY(library.targets_reason, of.text("reason"));
        }
        if (library.targets.is_any()) {
            return table.refuse("targets", fmt::format("the targets of '{}' leave out none", library.name),
                                "add toolchains, cores, nvm or devices; without 'targets' it is for all");
        }
        return {};
    }

    Status read_conditions(const TomlReader& table, Library& library) {
        if (!table.has("when")) {
            return {};
        }
        MM_TRY(const std::vector<TomlReader> tables, table.tables("when"));
        for (const TomlReader& of : tables) {
            MM_CHECK(of.only(with_part_keys({"toolchains", "cores", "nvm", "devices", "features"})));
            LibraryCondition condition;
            MM_CHECK(read_target_set(of, condition.targets));
            MM_CHECK(texts_if(of, "features", condition.features));
            MM_CHECK(check_feature_names(of, "features", condition.features, library));
            if (condition.targets.is_any() && condition.features.empty()) {
                return of.refuse("", "'when' has no condition",
                                 "add toolchains, cores, nvm, devices or features; what always holds stands above it");
            }
            MM_TRY(condition.part, read_part(of));
            library.conditions.push_back(std::move(condition));
        }
        return {};
    }

    const fs::path& m_where;
    const std::map<std::string, std::string>& m_companions;
};

}  // namespace

const char* name_of(LibrarySource::Kind kind) {
    return k_source_kinds[static_cast<std::size_t>(kind)].c_str();
}

const LibraryFeature* Library::feature(std::string_view called) const {
    const auto found = std::find_if(features.begin(), features.end(), [&](const auto& f) { return f.name == called; });
    return found == features.end() ? nullptr : &*found;
}

Result<std::vector<Library>> read_libraries(const TomlReader& root, const std::string& framework, const fs::path& where,
                                            const std::map<std::string, std::string>& companions) {
    std::vector<Library> libraries;
    if (!root.has("library")) {
        return libraries;
    }
    MM_TRY(const std::vector<TomlReader> tables, root.tables("library"));
    for (const TomlReader& table : tables) {
        MM_TRY(Library library, Reader(where, companions).read(table, framework));
        for (const Library& other : libraries) {
            if (other.name == library.name) {
                return table.refuse("name", fmt::format("there are two libraries '{}'", library.name),
                                    "rename one of them");
            }
        }
        libraries.push_back(std::move(library));
    }
    return libraries;
}

}  // namespace metamorph::app
