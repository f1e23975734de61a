// The door for all who run things: libraries for a device, a compiler and features, as archives and folders of headers.
// One object a process is made (src/pipeline/process_libraries.h), and asked from any number of threads:
// those of a matrix, say. What several ask for at once is built once, in this process or any other, and all get it.
// What was given once is given again as it was, without a look at the disk: sources that change while a process runs
// count for the next.
//
//     MM_TRY(const LibrarySet set, libraries.library_for(device, {{"cmsis-nn"}, {"debug"}, "gcc"}));
//     set.include_arguments, set.link_arguments; set.members[i].key, .outcome
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/device.h"
#include "app/library.h"
#include "build/command_runner.h"
#include "libraries/provide.h"
#include "store/store.h"
#include "util/result.h"

namespace metamorph::libraries {

struct LibraryWish {
    std::vector<std::string> names;     // what they need comes by itself
    std::vector<std::string> features;  // each goes to every library that has it
    std::string toolchain;              // "gcc", "clang"; empty: the first that the device names
    int jobs = 1;                       // compilers at once, should it have to be built
    std::vector<app::Library> instead;  // of all that there are; empty: those that Libraries was made with
    std::map<std::string, std::filesystem::path> trees;  // sources of a library that are not those of its description
};

struct BuiltLibrary {
    std::string name;                              // "cmsis-nn"; of a link cycle all names: "kernels+runtime"
    std::string key;                               // names it for good: equal keys are equal libraries
    std::string contents;                          // SHA-256 of what was built; another key may give the same
    store::Outcome outcome = store::Outcome::hit;  // hit, built, or waited for one who built it
    std::string replaced;                          // why a stored one had to be built anew; empty: none was
    std::vector<std::string> features;             // that are on
    std::vector<std::string> hooks;                // functions that the application defines
    std::filesystem::path files;                   // its folder in the store: read-only
    std::vector<std::filesystem::path> archives;   // none where it is header files alone
    std::filesystem::path include_dir;             // for -I; is not there where it has no headers
    double seconds = 0;                            // to find, to build or to wait for it
    // Of what was built: the stored one that is most like it, and in which fields they differ (left: this one).
    std::string nearest_key;
    std::vector<store::Difference> differences;
};

struct LibrarySet {
    std::vector<BuiltLibrary> members;  // each behind what it needs
    // In the order of a link: each before what it needs, only link cycles between --start-group and --end-group.
    std::vector<std::string> include_arguments, link_arguments;
    std::string key() const;  // of all members together
};

class Libraries {
public:
    // All that it is given must outlive it.
    Libraries(std::vector<app::Library> all, store::Store& store, store::Disk& disk, build::CommandRunner& runner,
              FindTree find_tree);

    // From the store, or built into it. `report` is called for each as soon as it is there, in this thread. Errors:
    // options (no such library or feature, not for this target, descriptions that contradict themselves), toolchain
    // (no compiler, a source tree that is not installed, what does not compile), system.
    Result<LibrarySet> library_for(const app::Device& device, const LibraryWish& wish,
                                   const std::function<void(const BuiltLibrary&)>& report = {});

    // Why a wish cannot be had for a device, without building anything: the library is for other targets, or its source
    // is not installed, or what else library_for would refuse; nothing where nothing speaks against it. Cheap: no
    // compiler runs.
    std::optional<Error> why_not(const app::Device& device, const LibraryWish& wish);

    // The keys that library_for would find or build, and which of these are stored. The last that is named is not
    // built; what it needs is, as its contents are part of its key.
    struct Planned {
        std::string name, key;
        bool is_stored = false;
    };
    Result<std::vector<Planned>> plan(const app::Device& device, const LibraryWish& wish);

    const std::vector<app::Library>& all() const { return m_all; }

private:
    const std::vector<app::Library> m_all;
    store::Store& m_store;
    store::Disk& m_disk;
    build::CommandRunner& m_runner;
    const FindTree m_find_tree;
    std::mutex m_mutex;                         // of what follows
    std::map<std::string, LibrarySet> m_known;  // what was asked for before, and given
};

}  // namespace metamorph::libraries
