// Groups are the strongly connected components of "needs" (Tarjan's algorithm, which gives them in an order in which
// each comes behind what it needs).
#include "libraries/unit.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libraries/availability.h"
#include "util/hash.h"
#include "util/text.h"

namespace metamorph::libraries {
namespace {

class Grouping {
public:
    Grouping(const std::vector<app::Library>& all, const std::vector<std::string>& features, const Target& target,
             const FindTree& find_tree)
        : m_all(all), m_features(features), m_target(target), m_find_tree(find_tree) {}

    Status visit(const std::string& name, const std::string& where) {
        if (m_nodes.contains(name)) {
            return {};
        }
        MM_TRY(const app::Library* library, find(name, where));
        MM_TRY(const std::vector<std::string> features, features_of(*library, m_features));
        if (const auto reason = why_not(*library, m_all, m_target, features)) {
            return fail_with_hint(ErrorCode::options, fmt::format("library '{}'", name), *reason,
                                  "choose another device, toolchain or library; metamorph libs list shows what each "
                                  "is for");
        }
        MM_TRY(const SourceTree tree, m_find_tree(*library));
        MM_TRY(Recipe recipe, resolve(*library, m_target, features, tree));
        const int number = static_cast<int>(m_nodes.size());
        m_nodes[name] = {library, std::move(recipe), number, number, true};
        m_stack.push_back(name);
        const std::vector<std::string> needs = m_nodes[name].recipe.needs;
        for (const std::string& need : needs) {
            MM_CHECK(visit(need, fmt::format("library '{}'", name)));
            if (m_nodes[need].is_open) {
                m_nodes[name].low = std::min(m_nodes[name].low, m_nodes[need].low);
            }
        }
        return m_nodes[name].low == number ? close(name) : Status{};
    }

    Result<std::vector<Unit>> finish() {
        MM_CHECK(check_features());
        MM_CHECK(check_declared());
        return std::move(m_units);
    }

private:
    struct Node {
        const app::Library* library = nullptr;
        Recipe recipe;
        int number = 0, low = 0;
        bool is_open = false;
    };

    Result<const app::Library*> find(const std::string& name, const std::string& where) const {
        std::vector<std::string> names;
        for (const app::Library& library : m_all) {
            if (library.name == name) {
                return &library;
            }
            names.push_back(library.name);
        }
        const std::string hint = did_you_mean(name, names);
        return fail_with_hint(ErrorCode::options, where, fmt::format("there is no library '{}'", printable(name)),
                              hint.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : hint);
    }

    // All on the stack above `name`, and itself, are one unit.
    Status close(const std::string& name) {
        Unit unit;
        std::set<std::string> inside;
        while (inside.empty() || !inside.contains(name)) {
            m_nodes[m_stack.back()].is_open = false;
            inside.insert(m_stack.back());
            m_stack.pop_back();
        }
        for (const std::string& member : inside) {
            const Node& node = m_nodes[member];
            if (inside.size() > 1 &&
                (node.library->cycle.empty() || node.library->cycle != m_nodes[*inside.begin()].library->cycle)) {
                return fail_with_hint(
                    ErrorCode::options, fmt::format("library '{}'", member),
                    fmt::format("{} need each other, and do not declare it", fmt::join(inside, " and ")),
                    "add cycle = \"NAME\" to each of them, or let the application define what one of them calls "
                    "(hooks)");
            }
            for (const std::string& need : node.recipe.needs) {
                if (!inside.contains(need) &&
                    std::find(unit.needs.begin(), unit.needs.end(), need) == unit.needs.end()) {
                    unit.needs.push_back(need);
                }
            }
            unit.members.push_back(node.recipe);
            m_unit_of[member] = m_units.size();
        }
        m_units.push_back(std::move(unit));
        return {};
    }

    Status check_features() const {
        std::vector<std::string> known;
        for (const auto& [name, node] : m_nodes) {
            for (const app::LibraryFeature& feature : node.library->features) {
                known.push_back(feature.name);
            }
        }
        for (const std::string& feature : m_features) {
            if (std::find(known.begin(), known.end(), feature) == known.end()) {
                std::sort(known.begin(), known.end());
                known.erase(std::unique(known.begin(), known.end()), known.end());
                const std::string hint = did_you_mean(feature, known);
                return fail_with_hint(ErrorCode::options, "--feature",
                                      fmt::format("no library that is built has a feature '{}'", printable(feature)),
                                      !hint.empty()   ? hint
                                      : known.empty() ? "leave it out"
                                                      : fmt::format("there are {}", fmt::join(known, ", ")));
            }
        }
        return {};
    }

    Status check_declared() const {
        for (const auto& [name, node] : m_nodes) {
            for (const auto& [other, twin] : m_nodes) {
                if (!node.library->cycle.empty() && node.library->cycle == twin.library->cycle &&
                    m_unit_of.at(name) != m_unit_of.at(other)) {
                    return fail_with_hint(ErrorCode::options, fmt::format("library '{}'", name),
                                          fmt::format("'{}' and '{}' declare the link cycle '{}' and do not need each "
                                                      "other",
                                                      name, other, node.library->cycle),
                                          "only libraries that need each other are linked as one group");
                }
            }
        }
        return {};
    }

    const std::vector<app::Library>& m_all;
    const std::vector<std::string>& m_features;
    const Target& m_target;
    const FindTree& m_find_tree;
    std::map<std::string, Node> m_nodes;
    std::vector<std::string> m_stack;
    std::vector<Unit> m_units;
    std::map<std::string, std::size_t> m_unit_of;
};

}  // namespace

std::string Unit::name() const {
    std::string name;
    for (const Recipe& member : members) {
        name += (name.empty() ? "" : "+") + member.library;
    }
    return name;
}

bool Unit::has_cxx() const {
    return std::any_of(members.begin(), members.end(), [](const Recipe& member) { return member.has_cxx(); });
}

Result<std::vector<Unit>> units_for(const std::vector<app::Library>& all, const std::vector<std::string>& names,
                                    const std::vector<std::string>& features, const Target& target,
                                    const FindTree& find_tree) {
    Grouping grouping(all, features, target, find_tree);
    for (const std::string& name : names) {
        MM_CHECK(grouping.visit(name, "NAME"));
    }
    return grouping.finish();
}

store::Manifest manifest_of(const Unit& unit, const Target& target, const ToolchainIdentity& toolchain,
                            const std::map<std::string, std::string>& needs,
                            const std::map<std::string, std::string>& headers) {
    store::Manifest manifest;
    manifest.add("library", unit.name());
    manifest.add("recipe", fmt::format("{}", k_recipe_version));
    manifest.add("toolchain", target.toolchain);
    for (const auto& [field, value] : toolchain.fields) {
        manifest.add(field, value);
    }
    for (const auto& [name, value] : cleaned_variables()) {
        manifest.add("environment." + name, value);
    }
    const auto add_all = [&](const std::string& field, const std::vector<std::string>& values) {
        for (const std::string& value : values) {
            manifest.add(field, value);
        }
    };
    add_all("target.flag", target.flags);
    for (const Recipe& member : unit.members) {
        const std::string start = unit.members.size() > 1 ? member.library + "/" : "";
        add_all(start + "feature", member.features);
        if (!member.version.empty()) {
            manifest.add(start + "version", member.version);
        }
        add_all(start + "flag", member.flags);
        add_all(start + "flag.c", member.c_flags);
        add_all(start + "flag.cxx", member.cxx_flags);
        add_all(start + "define", member.defines);
        add_all(start + "include", member.include_dirs);
        add_all(start + "export", member.exports);
        add_all(start + "source", member.sources);
        for (const auto& [source, flags] : member.own_flags) {
            add_all(start + "flag." + source, flags);
        }
        for (const auto& [path, contents] : member.files) {
            manifest.add(start + "file." + path, sha256_hex(contents));
        }
        for (const auto& [name, text] : member.patches) {
            manifest.add(start + "patch", fmt::format("{} {}", name, sha256_hex(text)));
        }
    }
    for (const std::string& need : unit.needs) {
        manifest.add("need." + need, needs.at(need));
    }
    for (const auto& [name, hash] : headers) {
        manifest.add("header." + name, hash);
    }
    return manifest;
}

}  // namespace metamorph::libraries
