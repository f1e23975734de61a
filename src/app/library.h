// Descriptions of runtime libraries: what is built once and linked into many programs, as data ([[library]] of
// frameworks/NAME/framework.toml; docs/libraries.md describes every key). Nothing here runs anything.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/result.h"

namespace metamorph::app {

struct Framework;

class TomlReader;

// Patterns of paths: '*' and '?' stay within a folder's name, "**" is any number of folders.

struct SourceFlags {  // of some sources alone, behind all others
    std::vector<std::string> sources, flags;
};

// What a library is made of; features and conditions add more of the same. Paths are relative to the source tree.
struct LibraryPart {
    std::vector<std::string> sources, exclude, headers;  // patterns; each must match
    std::vector<std::string> include_dirs;               // for its own compilation
    std::vector<std::string> exports;                    // folders whose headers others may include
    std::vector<std::string> defines;                    // "NAME" or "NAME=TEXT"
    std::vector<std::string> flags, c_flags, cxx_flags;
    std::vector<SourceFlags> source_flags;
    std::vector<std::pair<std::string, std::string>> generated;  // path, text: a file that the tree has not
    std::vector<std::pair<std::string, std::string>> patches;    // name, text of a unified diff; applied in order
    std::vector<std::string> needs;                              // names of libraries
};

struct LibraryFeature {
    std::string name, description;
    std::vector<std::string> excludes, requires_features;
    LibraryPart part;
};

// All lists that are not empty must hold what is built for.
struct TargetSet {
    std::vector<std::string> toolchains, cores, attachments, devices;
    bool is_any() const { return toolchains.empty() && cores.empty() && attachments.empty() && devices.empty(); }
};

struct LibraryCondition {
    TargetSet targets;
    std::vector<std::string> features;  // all must be on
    LibraryPart part;
};

struct LibrarySource {
    enum class Kind {
        metamorph,  // Metamorph's own runtime/
        folder,     // of the machine, or of the description's own companions
        python,     // the folder of an installed Python module
        crate       // the source tree of a framework's [source], as cargo fetched it
    } kind = Kind::folder;
    std::string path;                  // folder: absolute, or relative to the description
    std::string module, distribution;  // python: what is imported; whose version counts
    std::string environment;           // python, crate: the framework that it is installed for; empty: its own
};
const char* name_of(LibrarySource::Kind kind);

struct Library {
    std::string name, description, framework;
    LibrarySource source;
    LibraryPart part;
    std::vector<LibraryFeature> features;
    std::vector<LibraryCondition> conditions;
    TargetSet targets;               // what it can be built for
    std::string targets_reason;      // why for nothing else; may be empty
    std::string cycle;               // libraries of one name need each other, and are linked as one group
    std::vector<std::string> hooks;  // functions that the application defines
    std::filesystem::path folder;    // where the description lies; empty: it comes with Metamorph
    std::map<std::string, std::string> companions;

    // Of one that extends another (extended() below): its name, and what of it does not count: key → values.
    std::string extends;
    std::map<std::string, std::vector<std::string>> without;
    bool has_source = true, has_targets = false;
    std::string place;  // "path:line:column", for errors

    const LibraryFeature* feature(std::string_view called) const;
};

// The libraries of a description; none where it has no [[library]]. `folder` and `companions` as in app::Framework.
// Errors: options, with "path:line:column".
Result<std::vector<Library>> read_libraries(const TomlReader& root, const std::string& framework,
                                            const std::filesystem::path& where,
                                            const std::map<std::string, std::string>& companions);

// Each library that extends another becomes what that one is, without what it takes away, with what it adds. Errors:
// options (no such library, one that extends itself, what it takes away is not there, features that are named and are
// not there, no sources).
Result<std::vector<Library>> extended(std::vector<Library> libraries);

// Adds what a part has behind what `sum` has.
void add(LibraryPart& sum, const LibraryPart& part);

// Of all descriptions that come with Metamorph or lie below frameworks/ here (these win; the environment's
// METAMORPH_FRAMEWORKS names another folder), and those of `at_path`, a description that lies elsewhere (they win over
// both; null: none), extended, sorted by name. Errors: options (also: two libraries of one name), system.
Result<std::vector<Library>> find_libraries(const Framework* at_path = nullptr);

}  // namespace metamorph::app
