// Libraries that extend others. The base's lists come first, then what the extension adds: so its flags count where two
// contradict each other, as those of `when` and of features do. What the base has and is not wanted is taken away by
// name (`without`), wherever the base has it: in itself, under a condition, in a feature. Rejected: an extension's list
// in the place of the base's (who changes one pattern would have to copy all, and would not see what the next version
// adds).
#include "app/library.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::app {
namespace {

template <typename T>
void append(std::vector<T>& list, const std::vector<T>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

std::vector<std::string>* texts_of(LibraryPart& part, const std::string& key) {
    const std::map<std::string, std::vector<std::string>*> lists{
        {"sources", &part.sources},     {"exclude", &part.exclude},
        {"headers", &part.headers},     {"include_dirs", &part.include_dirs},
        {"exports", &part.exports},     {"defines", &part.defines},
        {"flags", &part.flags},         {"c_flags", &part.c_flags},
        {"cxx_flags", &part.cxx_flags}, {"needs", &part.needs}};
    const auto found = lists.find(key);
    return found == lists.end() ? nullptr : found->second;
}

// Takes one value away, or the file of this name; `known` gets what is there under this key.
bool take_away(LibraryPart& part, const std::string& key, const std::string& value, std::vector<std::string>& known) {
    if (std::vector<std::string>* list = texts_of(part, key)) {
        append(known, *list);
        return std::erase(*list, value) > 0;
    }
    auto& files = key == "patches" ? part.patches : part.generated;
    for (const auto& [name, text] : files) {
        known.push_back(name);
    }
    return std::erase_if(files, [&](const auto& file) { return file.first == value; }) > 0;
}

Status take_away(Library& base, const Library& extension) {
    for (const auto& [key, values] : extension.without) {
        for (const std::string& value : values) {
            std::vector<std::string> known;
            bool is_there = take_away(base.part, key, value, known);
            for (LibraryCondition& condition : base.conditions) {
                is_there = take_away(condition.part, key, value, known) || is_there;
            }
            for (LibraryFeature& feature : base.features) {
                is_there = take_away(feature.part, key, value, known) || is_there;
            }
            if (!is_there) {
                const std::string hint = did_you_mean(value, known);
                return fail_with_hint(ErrorCode::options, extension.place,
                                      fmt::format("without.{} of '{}': '{}' has no '{}'", key, extension.name,
                                                  base.name, printable(value)),
                                      !hint.empty()   ? hint
                                      : known.empty() ? fmt::format("it has no {}", key)
                                                      : fmt::format("it has {}", fmt::join(known, ", ")));
            }
        }
    }
    return {};
}

Status check_features(const Library& library) {
    std::vector<std::string> known;
    for (const LibraryFeature& feature : library.features) {
        known.push_back(feature.name);
    }
    std::vector<std::string> named;
    for (const LibraryFeature& feature : library.features) {
        append(named, feature.excludes);
        append(named, feature.requires_features);
    }
    for (const LibraryCondition& condition : library.conditions) {
        append(named, condition.features);
    }
    for (const std::string& name : named) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            const std::string hint = did_you_mean(name, known);
            return fail_with_hint(ErrorCode::options, library.place,
                                  fmt::format("'{}' is no feature of '{}'", printable(name), library.name),
                                  !hint.empty()   ? hint
                                  : known.empty() ? "it has none"
                                                  : fmt::format("there are {}", fmt::join(known, ", ")));
        }
    }
    return {};
}

Result<Library> merged(Library base, const Library& extension) {
    MM_CHECK(take_away(base, extension));
    base.name = extension.name;
    base.place = extension.place;
    base.description = extension.description.empty() ? base.description : extension.description;
    // What is installed for the base's framework stays there.
    base.source.environment = base.source.environment.empty() ? base.framework : base.source.environment;
    base.framework = extension.framework;
    if (extension.has_source) {
        base.source = extension.source;
        base.folder = extension.folder;
        base.companions = extension.companions;
    }
    if (extension.has_targets) {
        base.targets = extension.targets;
        base.targets_reason = extension.targets_reason;
    }
    base.cycle = extension.cycle.empty() ? base.cycle : extension.cycle;
    append(base.hooks, extension.hooks);
    add(base.part, extension.part);
    append(base.conditions, extension.conditions);
    for (const LibraryFeature& feature : extension.features) {
        const auto same = std::find_if(base.features.begin(), base.features.end(),
                                       [&](const LibraryFeature& f) { return f.name == feature.name; });
        if (same == base.features.end()) {
            base.features.push_back(feature);
            continue;
        }
        same->description = feature.description;
        append(same->excludes, feature.excludes);
        append(same->requires_features, feature.requires_features);
        add(same->part, feature.part);
    }
    MM_CHECK(check_features(base));
    if (base.part.sources.empty() && base.part.exports.empty()) {
        return fail_with_hint(ErrorCode::options, base.place, fmt::format("library '{}' has no sources", base.name),
                              "'without' takes all of them away; add sources of your own");
    }
    return base;
}

class Extender {
public:
    explicit Extender(const std::vector<Library>& all) : m_all(all) {}

    Result<Library> extend(const Library& library) {
        if (library.extends.empty()) {
            return library;
        }
        if (!m_open.insert(library.name).second) {
            return fail_with_hint(ErrorCode::options, library.place,
                                  fmt::format("'{}' extends itself: {}", library.name, fmt::join(m_open, ", ")),
                                  "one of them must stand on its own");
        }
        const auto base =
            std::find_if(m_all.begin(), m_all.end(), [&](const Library& l) { return l.name == library.extends; });
        if (base == m_all.end()) {
            std::vector<std::string> names;
            for (const Library& one : m_all) {
                names.push_back(one.name);
            }
            const std::string hint = did_you_mean(library.extends, names);
            return fail_with_hint(ErrorCode::options, library.place,
                                  fmt::format("'{}' extends '{}', and there is no such library", library.name,
                                              printable(library.extends)),
                                  hint.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : hint);
        }
        MM_TRY(Library whole, extend(*base));
        MM_TRY(whole, merged(std::move(whole), library));
        m_open.erase(library.name);
        return whole;
    }

private:
    const std::vector<Library>& m_all;
    std::set<std::string> m_open;
};

}  // namespace

void add(LibraryPart& sum, const LibraryPart& part) {
    append(sum.sources, part.sources);
    append(sum.exclude, part.exclude);
    append(sum.headers, part.headers);
    append(sum.include_dirs, part.include_dirs);
    append(sum.exports, part.exports);
    append(sum.defines, part.defines);
    append(sum.flags, part.flags);
    append(sum.c_flags, part.c_flags);
    append(sum.cxx_flags, part.cxx_flags);
    append(sum.source_flags, part.source_flags);
    append(sum.generated, part.generated);
    append(sum.patches, part.patches);
    append(sum.needs, part.needs);
}

Result<std::vector<Library>> extended(std::vector<Library> libraries) {
    std::vector<Library> all;
    for (const Library& library : libraries) {
        MM_TRY(Library whole, Extender(libraries).extend(library));
        all.push_back(std::move(whole));
    }
    return all;
}

}  // namespace metamorph::app
