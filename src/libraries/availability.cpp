#include "libraries/availability.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libraries/recipe.h"

namespace metamorph::libraries {
namespace {

class Search {
public:
    Search(const std::vector<app::Library>& all, const Target& target, const std::vector<std::string>& features)
        : m_all(all), m_target(target), m_features(features) {}

    std::optional<std::string> why_not(const app::Library& library) {
        if (!m_seen.insert(library.name).second) {
            return {};
        }
        if (!m_target.is_in(library.targets)) {
            return fmt::format("'{}' is {}, and not for {} with {}{}", library.name, print(library.targets),
                               m_target.device, m_target.toolchain,
                               library.targets_reason.empty() ? "" : ": " + library.targets_reason);
        }
        const auto features = features_of(library, m_features);
        if (!features) {
            return {};  // an error of its own
        }
        for (const std::string& need : needs_of(library, m_target, *features)) {
            const auto found =
                std::find_if(m_all.begin(), m_all.end(), [&](const app::Library& l) { return l.name == need; });
            const auto reason = found == m_all.end() ? std::nullopt : why_not(*found);
            if (reason) {
                return fmt::format("'{}' needs '{}': {}", library.name, need, *reason);
            }
        }
        return {};
    }

private:
    const std::vector<app::Library>& m_all;
    const Target& m_target;
    const std::vector<std::string>& m_features;
    std::set<std::string> m_seen;
};

}  // namespace

std::string print(const app::TargetSet& set) {
    std::vector<std::string> parts;
    const auto add = [&](const std::vector<std::string>& values, const char* one, const char* several) {
        if (!values.empty()) {
            parts.push_back(fmt::format("the {} {}", values.size() == 1 ? one : several, fmt::join(values, " or ")));
        }
    };
    add(set.cores, "core", "cores");
    add(set.toolchains, "toolchain", "toolchains");
    add(set.attachments, "NVM", "NVMs");
    add(set.devices, "device", "devices");
    return parts.empty() ? "for all targets" : fmt::format("for {}", fmt::join(parts, ", "));
}

std::optional<std::string> why_not(const app::Library& library, const std::vector<app::Library>& all,
                                   const Target& target, const std::vector<std::string>& features) {
    return Search(all, target, features).why_not(library);
}

}  // namespace metamorph::libraries
