#include "pipeline/process_libraries.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "app/device.h"
#include "app/framework.h"
#include "app/library.h"
#include "generate/driver/crate_source.h"
#include "generate/driver/environment.h"
#include "util/process.h"
#include "util/thread_pool.h"
#include "weave/embedded_runtime.h"

namespace metamorph::pipeline {
namespace {

namespace fs = std::filesystem;

// Prints the folder and the version of a module, without looking where we work.
constexpr const char* k_module_probe = R"(import importlib.util, importlib.metadata, sys
sys.path = [folder for folder in sys.path if folder]
found = importlib.util.find_spec(sys.argv[1])
print(found.submodule_search_locations[0])
print(importlib.metadata.version(sys.argv[2])))";

// Whose installation has the sources.
std::string framework_of(const app::Library& library) {
    return library.source.environment.empty() ? library.framework : library.source.environment;
}

Result<fs::path> find_crate(const app::Library& library) {
    const std::string name = framework_of(library);
    MM_TRY(const app::Framework framework, app::find_framework(name, fmt::format("library '{}'", library.name)));
    if (!framework.source) {
        return fail_with_hint(ErrorCode::options, fmt::format("library '{}'", library.name),
                              fmt::format("the framework '{}' has no source tree", name),
                              "its description needs a table [source]; environment = \"NAME\" names another framework");
    }
    generate::Installation installation;
    MM_CHECK(generate::find_source(framework, installation));
    if (installation.source.empty()) {
        return fail_with_hint(
            ErrorCode::toolchain, fmt::format("library '{}'", library.name),
            fmt::format("the crate {} {} is not here", framework.source->crate, framework.source->version),
            generate::how_to_install(framework));
    }
    return installation.source;
}

Result<libraries::PythonModule> find_module(const app::Library& library) {
    const std::string framework = framework_of(library);
    MM_TRY(const fs::path folder, generate::framework_folder(framework));
    std::vector<std::string> pythons{(folder / "venv/bin/python").string(), "python3"};
    for (const std::string& python : pythons) {
        ProcessRequest request;
        request.argv = {python, "-c", k_module_probe, library.source.module, library.source.distribution};
        request.timeout = std::chrono::seconds(60);
        const auto outcome = find_program(python) ? run_process(request) : Result<ProcessOutcome>(ProcessOutcome{});
        if (outcome && outcome->succeeded() && !outcome->output.empty()) {
            const std::size_t end = outcome->output.find('\n');
            const std::string version = outcome->output.substr(end + 1);
            return libraries::PythonModule{outcome->output.substr(0, end), version.substr(0, version.find('\n'))};
        }
    }
    return fail_with_hint(ErrorCode::toolchain, fmt::format("library '{}'", library.name),
                          fmt::format("there is no Python module '{}'", library.source.module),
                          fmt::format("metamorph doctor --install {}", framework));
}

struct OwnLibraries {
    std::mutex mutex;
    std::unique_ptr<OpenLibraries> open;  // nothing until it is asked for
};

OwnLibraries& own_libraries() {
    static OwnLibraries own;
    return own;
}

}  // namespace

libraries::FindTree trees() {
    std::map<std::string, std::string> runtime;
    for (const weave::EmbeddedFile& file : weave::embedded_runtime()) {
        runtime.emplace(file.path, file.contents);
    }
    return libraries::find_trees(std::move(runtime), find_module, find_crate);
}

Result<std::unique_ptr<OpenLibraries>> OpenLibraries::open() {
    MM_TRY(std::vector<app::Library> all, app::find_libraries());
    MM_TRY(const std::int64_t bytes_max, store::default_bytes_max());
    std::unique_ptr<OpenLibraries> open(new OpenLibraries());
    fs::path root;
    if (store::is_off()) {
        MM_TRY(ScratchFolder own, ScratchFolder::make("metamorph-libraries"));
        open->m_own.emplace(std::move(own));
        root = open->m_own->path() / "store";
    } else {
        MM_TRY(root, store::default_root());
    }
    open->m_disk = store::make_real_disk();
    open->m_clock = store::make_real_clock();
    open->m_store =
        std::make_unique<store::Store>(root, *open->m_disk, *open->m_clock, std::to_string(::getpid()), bytes_max);
    open->m_libraries =
        std::make_unique<libraries::Libraries>(std::move(all), *open->m_store, *open->m_disk, open->m_runner, trees());
    return open;
}

Result<OpenLibraries*> OpenLibraries::of_process() {
    OwnLibraries& own = own_libraries();
    const std::lock_guard lock(own.mutex);
    if (!own.open) {
        MM_TRY(own.open, open());
    }
    return own.open.get();
}

Result<libraries::LibrarySet> OpenLibraries::get(const app::Device& device, const libraries::LibraryWish& wish) {
    MM_TRY(libraries::LibrarySet set, m_libraries->library_for(device, wish));
    const std::lock_guard lock(m_mutex);
    for (const libraries::BuiltLibrary& library : set.members) {
        const bool is_known = std::any_of(m_given.begin(), m_given.end(),
                                          [&](const libraries::BuiltLibrary& g) { return g.key == library.key; });
        if (!is_known) {
            m_given.push_back(library);
        }
    }
    return set;
}

std::vector<libraries::BuiltLibrary> OpenLibraries::given() const {
    const std::lock_guard lock(m_mutex);
    std::vector<libraries::BuiltLibrary> sorted = m_given;
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return std::tie(a.name, a.key) < std::tie(b.name, b.key); });
    return sorted;
}

Result<generate::ForeignCode> generate_code(const app::Framework& framework, generate::DriverRequest request) {
    std::vector<app::Library> instead;
    if (framework.opaque && !framework.opaque->library.empty() && !framework.libraries.empty()) {
        MM_TRY(instead, app::find_libraries(&framework));  // its description may lie where nobody looks for it
    }
    request.find_archive = [instead](const generate::LibraryNeed& need, const app::Device* device) -> Result<fs::path> {
        MM_TRY(OpenLibraries * libraries, OpenLibraries::of_process());
        libraries::LibraryWish wish;
        wish.instead = instead;
        wish.names = {need.name};
        wish.features = need.features;
        wish.toolchain = "gcc";
        wish.jobs = default_threads();
        if (!need.tree.empty()) {
            wish.trees[need.name] = need.tree;
        }
        MM_TRY(const app::Device host, app::find_device("host"));
        MM_TRY(const libraries::LibrarySet set, libraries->get(device == nullptr ? host : *device, wish));
        for (const libraries::BuiltLibrary& library : set.members) {
            if (library.name == need.name && library.archives.size() == 1 && set.members.size() == 1) {
                return library.archives.front();
            }
        }
        return fail_with_hint(ErrorCode::options, fmt::format("library '{}'", need.name),
                              fmt::format("'{}' needs other libraries, or is header files alone", need.name),
                              "what a generator's opaque code links must be one archive");
    };
    return generate::run_generator(framework, request);
}

nlohmann::ordered_json given_libraries_json() {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    OwnLibraries& own = own_libraries();
    const std::lock_guard lock(own.mutex);
    if (!own.open) {
        return rows;
    }
    for (const libraries::BuiltLibrary& one : own.open->given()) {
        nlohmann::ordered_json row{{"name", one.name},
                                   {"key", one.key},
                                   {"outcome", store::name_of(one.outcome)},
                                   {"features", one.features},
                                   {"seconds", one.seconds},
                                   {"nearest", one.nearest_key},
                                   {"differences", nlohmann::ordered_json::array()}};
        const auto side = [](const std::optional<std::string>& value) {
            return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
        };
        for (const store::Difference& difference : one.differences) {
            row["differences"].push_back(
                {{"field", difference.field}, {"left", side(difference.left)}, {"right", side(difference.right)}});
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace metamorph::pipeline
