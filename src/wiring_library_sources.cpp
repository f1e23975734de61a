#include "wiring_library_sources.h"

#include <unistd.h>

#include <fmt/format.h>

#include "app/framework.h"
#include "app/library.h"
#include "generate/driver/crate_source.h"
#include "generate/driver/environment.h"
#include "util/process.h"
#include "weave/embedded_runtime.h"

namespace metamorph::cli {
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

}  // namespace metamorph::cli
