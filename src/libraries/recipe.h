// A library's description for one target with its features: which files, which flags. What it holds is all that the
// compiler gets to see of the library; so nothing can have an effect that the key does not know.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/library.h"
#include "libraries/source_tree.h"
#include "libraries/target.h"

namespace metamorph::libraries {

struct Recipe {
    std::string library, framework, version;
    std::vector<std::string> features;                          // sorted
    std::vector<std::string> sources;                           // sorted
    std::map<std::string, std::string> files;                   // sources, headers, generated files → contents
    std::vector<std::pair<std::string, std::string>> patches;   // in order
    std::vector<std::string> include_dirs, exports, defines;    // in order
    std::vector<std::string> flags, c_flags, cxx_flags;         // in order
    std::map<std::string, std::vector<std::string>> own_flags;  // of a source alone
    std::vector<std::string> needs;                             // in order

    bool has_cxx() const;
};

bool is_cxx(const std::string& source);

// Which of the library's features are on, of those that were asked for: those that it has, and what they require.
// Errors: options (two that exclude each other).
Result<std::vector<std::string>> features_of(const app::Library& library, const std::vector<std::string>& asked);

// The libraries that it needs for this target, in order. `features` as features_of gives them.
std::vector<std::string> needs_of(const app::Library& library, const Target& target,
                                  const std::vector<std::string>& features);

// `features` as features_of gives them. Errors: options (patterns that match nothing, all of them by name; a source
// that is neither C, C++ nor assembly), system (a file cannot be read).
Result<Recipe> resolve(const app::Library& library, const Target& target, const std::vector<std::string>& features,
                       const SourceTree& tree);

}  // namespace metamorph::libraries
