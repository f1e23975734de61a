#include "libraries/recipe.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::libraries {
namespace {

constexpr const char* k_endings[] = {".c", ".cc", ".cpp", ".cxx", ".S", ".s"};

bool holds(const std::vector<std::string>& list, const std::string& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

template <typename T>
void append(std::vector<T>& list, const std::vector<T>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

bool applies(const app::LibraryCondition& condition, const Target& target, const std::vector<std::string>& features) {
    return target.is_in(condition.targets) &&
           std::all_of(condition.features.begin(), condition.features.end(),
                       [&](const std::string& feature) { return holds(features, feature); });
}

app::LibraryPart sum_of(const app::Library& library, const Target& target, const std::vector<std::string>& features) {
    app::LibraryPart sum = library.part;
    for (const app::LibraryCondition& condition : library.conditions) {
        if (applies(condition, target, features)) {
            add(sum, condition.part);
        }
    }
    for (const std::string& feature : features) {
        add(sum, library.feature(feature)->part);
    }
    return sum;
}

// Matches patterns, and remembers those that match nothing.
class Matcher {
public:
    std::set<std::string> match(const std::vector<std::string>& paths, const std::vector<std::string>& patterns,
                                const char* key) {
        std::set<std::string> found;
        for (const std::string& pattern : patterns) {
            bool is_met = false;
            for (const std::string& path : paths) {
                if (matches(pattern, path)) {
                    found.insert(path);
                    is_met = true;
                }
            }
            if (!is_met) {
                m_unmet.push_back(fmt::format("'{}' ({})", pattern, key));
            }
        }
        return found;
    }
    const std::vector<std::string>& unmet() const { return m_unmet; }

private:
    std::vector<std::string> m_unmet;
};

// The folder of the tree that differs least from that of the first unmet pattern, for a hint.
std::string hint_for(const std::string& unmet, const SourceTree& tree) {
    const std::size_t end = unmet.find('\'', 1);
    std::vector<std::string> candidates = tree.paths;
    const std::string nearest = did_you_mean(unmet.substr(1, end - 1), candidates);
    return nearest.empty() ? fmt::format("{} has {} files; where its layout has changed, so must the patterns",
                                         tree.origin, tree.paths.size())
                           : nearest;
}

}  // namespace

bool is_cxx(const std::string& source) {
    return source.ends_with(".cc") || source.ends_with(".cpp") || source.ends_with(".cxx");
}

bool Recipe::has_cxx() const {
    return std::any_of(sources.begin(), sources.end(), is_cxx);
}

Result<std::vector<std::string>> features_of(const app::Library& library, const std::vector<std::string>& asked) {
    std::set<std::string> on;
    std::vector<std::string> open = asked;
    while (!open.empty()) {
        const std::string name = open.back();
        open.pop_back();
        const app::LibraryFeature* feature = library.feature(name);
        if (feature != nullptr && on.insert(name).second) {
            append(open, feature->requires_features);
        }
    }
    for (const std::string& name : on) {
        for (const std::string& other : library.feature(name)->excludes) {
            if (on.contains(other)) {
                return fail_with_hint(ErrorCode::options, fmt::format("library '{}'", library.name),
                                      fmt::format("the features '{}' and '{}' exclude each other", name, other),
                                      "leave one of them out");
            }
        }
    }
    return std::vector<std::string>(on.begin(), on.end());
}

std::vector<std::string> needs_of(const app::Library& library, const Target& target,
                                  const std::vector<std::string>& features) {
    return sum_of(library, target, features).needs;
}

Result<Recipe> resolve(const app::Library& library, const Target& target, const std::vector<std::string>& features,
                       const SourceTree& tree) {
    const app::LibraryPart part = sum_of(library, target, features);
    const std::string where = fmt::format("library '{}'", library.name);
    Recipe recipe;
    recipe.library = library.name;
    recipe.framework = library.framework;
    recipe.version = tree.version;
    recipe.features = features;
    std::vector<std::string> paths = tree.paths;
    for (const auto& [path, text] : part.generated) {
        paths.push_back(path);
    }
    Matcher matcher;
    std::set<std::string> sources = matcher.match(paths, part.sources, "sources");
    const std::set<std::string> excluded = matcher.match(paths, part.exclude, "exclude");
    const std::set<std::string> headers = matcher.match(paths, part.headers, "headers");
    for (const std::string& path : excluded) {
        sources.erase(path);
    }
    recipe.sources.assign(sources.begin(), sources.end());
    for (const app::SourceFlags& own : part.source_flags) {
        for (const std::string& source : matcher.match(recipe.sources, own.sources, "source_flags")) {
            append(recipe.own_flags[source], own.flags);
        }
    }
    if (!matcher.unmet().empty()) {
        return fail_with_hint(ErrorCode::options, where,
                              fmt::format("no file matches {}", fmt::join(matcher.unmet(), ", ")),
                              hint_for(matcher.unmet().front(), tree));
    }
    for (const std::string& source : recipe.sources) {
        if (std::none_of(std::begin(k_endings), std::end(k_endings),
                         [&](const char* ending) { return source.ends_with(ending); })) {
            return fail_with_hint(ErrorCode::options, where,
                                  fmt::format("'{}' is neither C, C++ nor assembly", printable(source)),
                                  "name headers in 'headers', and what is not to be compiled in 'exclude'");
        }
    }
    std::set<std::string> wanted = sources;
    wanted.insert(headers.begin(), headers.end());
    for (const auto& [path, text] : part.generated) {
        recipe.files[path] = text;  // of a feature's and the library's own file of one name, the feature's counts
        wanted.erase(path);
    }
    for (const std::string& path : wanted) {
        MM_TRY(recipe.files[path], tree.read(path));
    }
    recipe.patches = part.patches;
    recipe.include_dirs = part.include_dirs;
    recipe.exports = part.exports;
    recipe.defines = part.defines;
    recipe.flags = part.flags;
    recipe.c_flags = part.c_flags;
    recipe.cxx_flags = part.cxx_flags;
    recipe.needs = part.needs;
    return recipe;
}

}  // namespace metamorph::libraries
