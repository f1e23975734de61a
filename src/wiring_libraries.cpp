#include "wiring_libraries.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/device.h"
#include "app/library.h"
#include "generate/driver/environment.h"
#include "libraries/provide.h"
#include "libraries/target.h"
#include "store/store.h"
#include "util/process.h"
#include "weave/embedded_runtime.h"

namespace metamorph::cli {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t k_short_key = 12;

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void print(const ordered_json& json) {
    print(json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

// Prints the folder and the version of a module, without looking where we work.
constexpr const char* k_module_probe = R"(import importlib.util, importlib.metadata, sys
sys.path = [folder for folder in sys.path if folder]
found = importlib.util.find_spec(sys.argv[1])
print(found.submodule_search_locations[0])
print(importlib.metadata.version(sys.argv[2])))";

Result<libraries::PythonModule> find_module(const app::Library& library) {
    const std::string framework = library.source.python.empty() ? library.framework : library.source.python;
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

libraries::FindTree trees() {
    std::map<std::string, std::string> runtime;
    for (const weave::EmbeddedFile& file : weave::embedded_runtime()) {
        runtime.emplace(file.path, file.contents);
    }
    return libraries::find_trees(std::move(runtime), find_module);
}

ordered_json json_of(const std::vector<store::Difference>& differences) {
    ordered_json rows = ordered_json::array();
    const auto side = [](const std::optional<std::string>& value) { return value ? ordered_json(*value) : nullptr; };
    for (const store::Difference& difference : differences) {
        rows.push_back(
            {{"field", difference.field}, {"left", side(difference.left)}, {"right", side(difference.right)}});
    }
    return rows;
}

std::string features_in(const store::Manifest& manifest) {
    std::vector<std::string> features;
    for (const auto& [field, value] : manifest.fields()) {
        if (field == "feature" || field.ends_with("/feature")) {
            features.push_back(value);
        }
    }
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    return fmt::format("{}", fmt::join(features, ","));
}

ordered_json json_of(const store::Entry& entry) {
    return {{"key", entry.key},
            {"library", entry.manifest.value("library")},
            {"toolchain", entry.manifest.value("toolchain")},
            {"target_flags", entry.manifest.values("target.flag")},
            {"features", features_in(entry.manifest)},
            {"bytes", entry.bytes},
            {"used", entry.used},
            {"live", entry.is_live}};
}

std::string line_of(const store::Entry& entry) {
    const std::string features = features_in(entry.manifest);
    return fmt::format("{}  {}{}  {}  {}  {} B{}\n", entry.key.substr(0, k_short_key), entry.manifest.value("library"),
                       features.empty() ? "" : " +" + features, entry.manifest.value("toolchain"),
                       fmt::join(entry.manifest.values("target.flag"), " "), entry.bytes,
                       entry.is_live ? ", in use" : "");
}

ordered_json json_of(const libraries::Provided& one) {
    ordered_json json{{"name", one.name},
                      {"libraries", one.members},
                      {"needs", one.needs},
                      {"hooks", one.hooks},
                      {"features", one.features},
                      {"key", one.manifest.key()},
                      {"stored", !one.object.key.empty()}};
    if (!one.object.key.empty()) {
        json["outcome"] = store::name_of(one.object.outcome);
        json["contents"] = one.object.contents;
        json["files"] = one.object.files.string();
    }
    if (one.nearest) {
        json["nearest"] = one.nearest->entry.key;
        json["differences"] = json_of(one.nearest->differences);
    }
    return json;
}

std::string nearest_text(const libraries::Provided& one) {
    if (!one.nearest) {
        return fmt::format("  nothing of {} is stored\n", one.name);
    }
    return fmt::format("  the nearest that is stored is {}; it differs in (asked for → stored)\n{}",
                       one.nearest->entry.key.substr(0, k_short_key), store::print(one.nearest->differences, "    "));
}

std::string text_of(const libraries::Provided& one) {
    std::string text = fmt::format("{:<28} {:<7} {}  {:.2f} s\n", one.name, store::name_of(one.object.outcome),
                                   one.object.key.substr(0, k_short_key), one.seconds);
    if (!one.object.replaced.empty()) {
        text += fmt::format("  built anew: {}\n", one.object.replaced);
    }
    return one.object.outcome == store::Outcome::built && one.nearest ? text + nearest_text(one) : text;
}

// What all actions work with.
struct Desk {
    const LibsOptions& options;
    store::Store& store;
    store::Disk& disk;
    std::int64_t bytes_max;
};

Result<int> list(const Desk& desk) {
    MM_TRY(const std::vector<app::Library> libraries, app::find_libraries());
    MM_TRY(const std::vector<store::Entry> entries, desk.store.entries());
    ordered_json rows = ordered_json::array(), stored = ordered_json::array();
    std::string text;
    std::int64_t bytes = 0;
    for (const app::Library& library : libraries) {
        std::vector<std::string> features;
        for (const app::LibraryFeature& feature : library.features) {
            features.push_back(feature.name);
        }
        rows.push_back({{"name", library.name},
                        {"framework", library.framework},
                        {"description", library.description},
                        {"source", app::name_of(library.source.kind)},
                        {"features", features}});
        text += fmt::format("{:<22} {}{}\n", library.name, library.description,
                            features.empty() ? "" : fmt::format("; features: {}", fmt::join(features, ", ")));
    }
    std::string lines;
    for (const store::Entry& entry : entries) {
        stored.push_back(json_of(entry));
        lines += line_of(entry);
        bytes += entry.bytes;
    }
    if (desk.options.json) {
        print(ordered_json{{"schema", "metamorph-libs-1"},
                           {"store", desk.store.root().string()},
                           {"bytes_max", desk.bytes_max},
                           {"libraries", rows},
                           {"stored", stored}});
        return 0;
    }
    print(text +
          (desk.options.quiet ? ""
                              : fmt::format("\n{}: {} stored, {} of {} B\n", desk.store.root().string(), entries.size(),
                                            bytes, desk.bytes_max)) +
          lines);
    return 0;
}

Result<libraries::Request> request_of(const LibsOptions& options, const std::vector<app::Library>& all) {
    MM_TRY(const app::Device device, app::find_device(options.device));
    libraries::Request request;
    MM_TRY(request.target, libraries::target_for(device, options.toolchain, "--toolchain"));
    request.features = options.features;
    request.jobs = options.jobs;
    request.names = {options.name};
    if (options.all) {
        request.names.clear();
        for (const app::Library& library : all) {
            request.names.push_back(library.name);
        }
    }
    return request;
}

Result<int> provide(const Desk& desk) {
    MM_TRY(const std::vector<app::Library> all, app::find_libraries());
    MM_TRY(const libraries::Request request, request_of(desk.options, all));
    build::ProcessRunner runner;
    libraries::Provider provider(all, desk.store, desk.disk, runner, trees());
    using Action = LibsOptions::Action;
    const bool tells = desk.options.action == Action::build && !desk.options.json && !desk.options.quiet;
    MM_TRY(const std::vector<libraries::Provided> provided,
           desk.options.action == Action::why ? provider.describe(request)
                                              : provider.provide(request, [&](const libraries::Provided& one) {
                                                    print(tells ? text_of(one) : std::string());
                                                }));
    if (desk.options.rebuild_check) {
        MM_CHECK(provider.check_rebuild(request));
        print(std::string(tells ? "a second build gives the same bytes\n" : ""));
    }
    if (desk.options.json) {
        ordered_json rows = ordered_json::array();
        for (const libraries::Provided& one : provided) {
            rows.push_back(json_of(one));
        }
        ordered_json json{{"schema", "metamorph-libs-build-1"}, {"libraries", rows}};
        if (desk.options.action != Action::why) {
            json["include_arguments"] = libraries::include_arguments(provided);
            json["link_arguments"] = libraries::link_arguments(provided);
        }
        print(json);
    } else if (desk.options.action == Action::path) {
        for (const auto& arguments : {libraries::include_arguments(provided), libraries::link_arguments(provided)}) {
            print(fmt::format("{}\n", fmt::join(arguments, " ")));
        }
    } else if (desk.options.action == Action::why) {
        const libraries::Provided& asked = provided.back();
        print(asked.object.key.empty() ? fmt::format("{} is not stored\n{}", asked.name, nearest_text(asked))
                                       : fmt::format("{} is stored: {}\n", asked.name, asked.object.files.string()));
    }
    return 0;
}

Result<int> explain(const Desk& desk) {
    MM_TRY(const std::string left, desk.store.resolve(desk.options.name, "NAME"));
    MM_TRY(const std::string right, desk.store.resolve(desk.options.other, "OTHER"));
    std::vector<store::Manifest> manifests;
    for (const std::string& key : {left, right}) {
        const fs::path path = desk.store.folder_of(key) / "manifest";
        MM_TRY(const std::string text, desk.disk.read(path));
        MM_TRY(store::Manifest manifest, store::Manifest::parse(text, path));
        manifests.push_back(std::move(manifest));
    }
    const std::vector<store::Difference> found = store::differences(manifests[0], manifests[1]);
    if (desk.options.json) {
        print(ordered_json{
            {"schema", "metamorph-libs-explain-1"}, {"left", left}, {"right", right}, {"differences", json_of(found)}});
    } else {
        print(found.empty() ? "they are the same\n" : store::print(found, ""));
    }
    return 0;
}

Result<int> verify(const Desk& desk) {
    MM_TRY(const store::Check check, desk.store.check());
    ordered_json rows = ordered_json::array();
    std::string text;
    for (const store::Damage& damage : check.damages) {
        rows.push_back({{"where", damage.where.string()}, {"what", damage.what}});
        text += fmt::format("damaged: {}: {}\n", damage.where.string(), damage.what);
    }
    if (desk.options.json) {
        print(ordered_json{{"schema", "metamorph-libs-verify-1"},
                           {"objects", check.objects},
                           {"files", check.files},
                           {"bytes", check.bytes},
                           {"damages", rows}});
    } else {
        print(text + fmt::format("{} stored, {} files, {} B hashed: {}\n", check.objects, check.files, check.bytes,
                                 check.damages.empty() ? "all whole"
                                                       : fmt::format("{} damaged; they are built anew when they are "
                                                                     "needed",
                                                                     check.damages.size())));
    }
    return check.damages.empty() ? 0 : static_cast<int>(ErrorCode::check_failed);
}

Result<int> collect(const Desk& desk) {
    const auto limit = desk.options.bytes ? static_cast<std::int64_t>(*desk.options.bytes) : desk.bytes_max;
    MM_TRY(const store::Collected collected, desk.store.collect(limit));
    if (desk.options.json) {
        ordered_json rows = ordered_json::array();
        for (const store::Entry& entry : collected.removed) {
            rows.push_back(json_of(entry));
        }
        print(ordered_json{{"schema", "metamorph-libs-gc-1"},
                           {"removed", rows},
                           {"leftovers", collected.stale},
                           {"objects_left", collected.objects_left},
                           {"bytes_left", collected.bytes_left}});
        return 0;
    }
    std::string text;
    for (const store::Entry& entry : collected.removed) {
        text += "removed " + line_of(entry);
    }
    for (const std::string& stale : collected.stale) {
        text += fmt::format("leftover of a run that was killed: {}\n", stale);
    }
    print(text + fmt::format("{} left, {} B\n", collected.objects_left, collected.bytes_left));
    return 0;
}

}  // namespace

Result<int> run_libs(const LibsOptions& options) {
    MM_TRY(const fs::path root, store::default_root());
    MM_TRY(const std::int64_t bytes_max, store::default_bytes_max());
    const std::unique_ptr<store::Disk> disk = store::make_real_disk();
    const std::unique_ptr<store::Clock> clock = store::make_real_clock();
    store::Store store(root, *disk, *clock, std::to_string(::getpid()), bytes_max);
    const Desk desk{options, store, *disk, bytes_max};
    switch (options.action) {
        case LibsOptions::Action::list:
            return list(desk);
        case LibsOptions::Action::build:
        case LibsOptions::Action::why:
        case LibsOptions::Action::path:
            return provide(desk);
        case LibsOptions::Action::explain:
            return explain(desk);
        case LibsOptions::Action::verify:
            return verify(desk);
        case LibsOptions::Action::gc:
            return collect(desk);
    }
    return fail(ErrorCode::internal, "libs", "an action without a function");
}

}  // namespace metamorph::cli
