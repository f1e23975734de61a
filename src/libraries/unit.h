// What is one object of the store: a library, or several that need each other and are linked as one group.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/library.h"
#include "libraries/recipe.h"
#include "libraries/toolchain_identity.h"
#include "store/manifest.h"
#include "util/result.h"

namespace metamorph::libraries {

// Whatever changes what is built from the same manifest makes this number larger.
inline constexpr int k_recipe_version = 1;

struct Unit {
    std::vector<Recipe> members;     // sorted by name
    std::vector<std::string> needs;  // names of libraries outside, in order
    std::string name() const;        // "kernels", "kernels+runtime"
    bool has_cxx() const;
};

using FindTree = std::function<Result<SourceTree>(const app::Library&)>;

// The libraries that `names` and what they need are made of, in the order in which they can be built. Errors: options
// (no such library, unknown features, a cycle that is not declared, or that is declared and is none), those of resolve
// and find_tree.
Result<std::vector<Unit>> units_for(const std::vector<app::Library>& all, const std::vector<std::string>& names,
                                    const std::vector<std::string>& features, const Target& target,
                                    const FindTree& find_tree);

// `needs`: of each library that the unit needs, the hash of what was stored for it. `headers`: of the compiler and the
// C library that the sources include, name → hash.
store::Manifest manifest_of(const Unit& unit, const Target& target, const ToolchainIdentity& toolchain,
                            const std::map<std::string, std::string>& needs,
                            const std::map<std::string, std::string>& headers);

}  // namespace metamorph::libraries
