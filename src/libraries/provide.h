// Libraries for a target, from the store or built into it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "build/command_runner.h"
#include "libraries/unit.h"
#include "store/store.h"
#include "util/result.h"

namespace metamorph::libraries {

struct Provided {
    std::string name;                                // of the unit: "kernels", "kernels+runtime"
    std::vector<std::string> members, needs, hooks;  // libraries
    std::vector<std::string> archived;               // members that are more than header files
    std::vector<std::string> features;               // of all members
    store::Object object;
    store::Manifest manifest;
    double seconds = 0;                     // to find or to build it
    std::optional<store::Nearest> nearest;  // of what was built: the stored one that is most like it
};

struct Request {
    std::vector<std::string> names, features;
    Target target;
    int jobs = 1;
};

class Provider {
public:
    // `libraries`: all that there are. The store, the runner and the libraries must outlive it.
    Provider(const std::vector<app::Library>& libraries, store::Store& store, store::Disk& disk,
             build::CommandRunner& runner, FindTree find_tree);

    // The libraries and all that they need, each behind what it needs. `report` is called for each as soon as it is
    // there. Errors: those of units_for, identify, compile and Store::get.
    Result<std::vector<Provided>> provide(const Request& request,
                                          const std::function<void(const Provided&)>& report = {});

    // The manifests, without building what is asked for; what that needs is built, as its contents are part of the key.
    // The last one is that of the last name.
    Result<std::vector<Provided>> describe(const Request& request);

    // Builds what is stored for the request a second time, and compares the bytes. Errors: check_failed (the files that
    // differ).
    Status check_rebuild(const Request& request);

private:
    struct Described {
        store::Manifest manifest;
        std::vector<std::filesystem::path> headers;
    };
    struct Work;
    Result<std::optional<Described>> describe_known(const Work& work);
    Result<Described> describe_anew(const Work& work, const std::filesystem::path& staged);
    Result<store::Manifest> describe_again(const Work& work, const std::vector<std::filesystem::path>& headers);
    Result<Provided> provide_unit(const Work& work, bool builds);
    Result<std::vector<Provided>> walk(const Request& request, bool builds_last,
                                       const std::function<void(const Provided&)>& report);

    const std::vector<app::Library>& m_libraries;
    store::Store& m_store;
    store::Disk& m_disk;
    build::CommandRunner& m_runner;
    const FindTree m_find_tree;
};

// Of one that is stored or built.
std::vector<std::filesystem::path> archives_of(const Provided& provided);

// Arguments of a link, in an order in which each library stands before what it needs; groups between --start-group and
// --end-group.
std::vector<std::string> link_arguments(const std::vector<Provided>& provided);

// -I of each.
std::vector<std::string> include_arguments(const std::vector<Provided>& provided);

// Metamorph's own runtime is `runtime`; folders as the description says; Python's modules by `find_python`, which gives
// the folder of a module and its version; the
// tree of a crate by `find_crate`.
struct PythonModule {
    std::filesystem::path folder;
    std::string version;
};
using FindPython = std::function<Result<PythonModule>(const app::Library&)>;
using FindCrate = std::function<Result<std::filesystem::path>(const app::Library&)>;
FindTree find_trees(std::map<std::string, std::string> runtime, FindPython find_python, FindCrate find_crate);

}  // namespace metamorph::libraries
