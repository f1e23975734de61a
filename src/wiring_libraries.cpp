#include "wiring_libraries.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/device.h"
#include "app/library.h"
#include "libraries/availability.h"
#include "libraries/provide.h"
#include "libraries/target.h"
#include "pipeline/process_libraries.h"
#include "store/store.h"
#include "wiring_matrix_libraries.h"

namespace metamorph::cli {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t k_short_key = 12, k_differences_max = 8;

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void print(const ordered_json& json) {
    print(json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
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

constexpr std::size_t k_all = static_cast<std::size_t>(-1);

std::string nearest_text(const libraries::Provided& one, std::size_t differences_max = k_all) {
    if (!one.nearest) {
        return fmt::format("  nothing of {} is stored\n", one.name);
    }
    std::vector<store::Difference> shown = one.nearest->differences;
    const std::size_t left_out = shown.size() > differences_max ? shown.size() - differences_max : 0;
    shown.resize(shown.size() - left_out);
    const std::string rest =
        left_out == 0 ? "" : fmt::format("    and {} more: metamorph libs explain shows all\n", left_out);
    return fmt::format("  the nearest that is stored is {}; it differs in (asked for → stored)\n{}{}",
                       one.nearest->entry.key.substr(0, k_short_key), store::print(shown, "    "), rest);
}

std::string text_of(const libraries::Provided& one) {
    std::string text = fmt::format("{:<28} {:<7} {}  {:.2f} s\n", one.name, store::name_of(one.object.outcome),
                                   one.object.key.substr(0, k_short_key), one.seconds);
    if (!one.object.replaced.empty()) {
        text += fmt::format("  built anew: {}\n", one.object.replaced);
    }
    return one.object.outcome == store::Outcome::built && one.nearest ? text + nearest_text(one, k_differences_max)
                                                                      : text;
}

// What all actions work with.
struct Desk {
    const LibsOptions& options;
    store::Store& store;
    store::Disk& disk;
    build::CommandRunner& runner;
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
                        {"targets", libraries::print(library.targets)},
                        {"features", features}});
        text += fmt::format("{:<22} {}{}{}\n", library.name, library.description,
                            library.targets.is_any() ? "" : "; " + libraries::print(library.targets),
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

struct Skipped {
    std::string name, reason, hint;
};

// Of --all: every library but those that are for other targets, or whose source is not on this machine.
Result<std::vector<Skipped>> choose_all(libraries::Request& request, const std::vector<app::Library>& all) {
    std::vector<Skipped> skipped;
    for (const app::Library& library : all) {
        if (const auto reason = libraries::why_not(library, all, request.target, request.features)) {
            skipped.push_back({library.name, *reason, ""});
            continue;
        }
        const auto units = libraries::units_for(all, {library.name}, {}, request.target, pipeline::trees());
        if (units) {
            request.names.push_back(library.name);
        } else if (units.error().code == ErrorCode::toolchain) {
            skipped.push_back({library.name, units.error().message, units.error().hint});
        } else {
            return tl::unexpected<Error>(units.error());
        }
    }
    return skipped;
}

std::string text_of(const Skipped& skipped) {
    return fmt::format("{:<28} skipped: {}{}\n", skipped.name, skipped.reason,
                       skipped.hint.empty() ? "" : fmt::format(" ({})", skipped.hint));
}

Result<libraries::Request> request_of(const LibsOptions& options) {
    MM_TRY(const app::Device device, app::find_device(options.device));
    libraries::Request request;
    MM_TRY(request.target, libraries::target_for(device, options.toolchain, "--toolchain"));
    request.features = options.features;
    request.jobs = options.jobs;
    return request;
}

Result<int> provide(const Desk& desk) {
    MM_TRY(const std::vector<app::Library> all, app::find_libraries());
    MM_TRY(libraries::Request request, request_of(desk.options));
    libraries::Provider provider(all, desk.store, desk.disk, desk.runner, pipeline::trees());
    using Action = LibsOptions::Action;
    const bool tells = desk.options.action == Action::build && !desk.options.json && !desk.options.quiet;
    request.names = {desk.options.name};
    std::vector<Skipped> skipped;
    if (desk.options.all) {
        request.names.clear();
        MM_TRY(skipped, choose_all(request, all));
        for (const Skipped& one : skipped) {
            print(tells ? text_of(one) : std::string());
        }
    }
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
        if (desk.options.all) {
            ordered_json left_out = ordered_json::array();
            for (const Skipped& one : skipped) {
                left_out.push_back({{"name", one.name}, {"reason", one.reason}, {"hint", one.hint}});
            }
            json["skipped"] = left_out;
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
    if (store::is_off()) {
        return fail_with_hint(ErrorCode::options, "METAMORPH_STORE", "the store is off, so there is nothing to look at",
                              "unset METAMORPH_STORE, or name a folder");
    }
    if (!options.project.empty()) {
        return build_project_libraries(options);
    }
    MM_TRY(const std::unique_ptr<pipeline::OpenLibraries> open, pipeline::OpenLibraries::open());
    MM_TRY(const std::int64_t bytes_max, store::default_bytes_max());
    const Desk desk{options, open->store(), open->disk(), open->runner(), bytes_max};
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
