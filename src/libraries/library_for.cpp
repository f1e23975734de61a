#include "libraries/library_for.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libraries/target.h"
#include "util/hash.h"

namespace metamorph::libraries {
namespace {

Result<Request> request_of(const app::Device& device, const LibraryWish& wish) {
    Request request;
    MM_TRY(request.target, target_for(device, wish.toolchain, "toolchain"));
    request.names = wish.names;
    request.features = wish.features;
    request.jobs = wish.jobs;
    return request;
}

BuiltLibrary built(const Provided& one) {
    BuiltLibrary library;
    library.name = one.name;
    library.key = one.object.key;
    library.contents = one.object.contents;
    library.outcome = one.object.outcome;
    library.replaced = one.object.replaced;
    library.features = one.features;
    library.hooks = one.hooks;
    library.files = one.object.files;
    library.archives = archives_of(one);
    library.include_dir = one.object.files / "include";
    library.seconds = one.seconds;
    if (one.nearest && one.object.outcome == store::Outcome::built) {
        library.nearest_key = one.nearest->entry.key;
        library.differences = one.nearest->differences;
    }
    return library;
}

// All that a wish and a device say about what is built.
std::string name_of(const Request& request, const LibraryWish& wish) {
    std::string trees;
    for (const app::Library& library : wish.instead) {
        trees += library.place + "\n";
    }
    for (const auto& [library, tree] : wish.trees) {
        trees += fmt::format("{} {}\n", library, tree.string());
    }
    return fmt::format("{}\n{}\n{} {} {} {} {}\n{}\n{}", fmt::join(request.names, " "),
                       fmt::join(request.features, " "), request.target.device, request.target.toolchain,
                       request.target.core, request.target.attachment, request.target.program,
                       fmt::join(request.target.flags, " "), trees);
}

std::vector<app::Library> with_trees(std::vector<app::Library> all, const LibraryWish& wish) {
    all = wish.instead.empty() ? std::move(all) : wish.instead;
    for (app::Library& library : all) {
        if (const auto tree = wish.trees.find(library.name); tree != wish.trees.end()) {
            library.source = {};
            library.source.kind = app::LibrarySource::Kind::folder;
            library.source.path = tree->second.string();
        }
    }
    return all;
}

LibrarySet again(LibrarySet set) {
    for (BuiltLibrary& library : set.members) {
        library.outcome = store::Outcome::hit;
        library.replaced.clear();
        library.seconds = 0;
        library.nearest_key.clear();
        library.differences.clear();
    }
    return set;
}

}  // namespace

std::string LibrarySet::key() const {
    std::string keys;
    for (const BuiltLibrary& library : members) {
        keys += library.key + "\n";
    }
    return sha256_hex(keys);
}

Libraries::Libraries(std::vector<app::Library> all, store::Store& store, store::Disk& disk,
                     build::CommandRunner& runner, FindTree find_tree)
    : m_all(std::move(all)), m_store(store), m_disk(disk), m_runner(runner), m_find_tree(std::move(find_tree)) {}

Result<LibrarySet> Libraries::library_for(const app::Device& device, const LibraryWish& wish,
                                          const std::function<void(const BuiltLibrary&)>& report) {
    MM_TRY(const Request request, request_of(device, wish));
    const std::string name = name_of(request, wish);
    LibrarySet set;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto known = m_known.find(name); known != m_known.end()) {
            set = again(known->second);
        }
    }
    if (!set.members.empty()) {
        for (const BuiltLibrary& library : set.members) {
            if (report) {
                report(library);
            }
        }
        return set;
    }
    const std::vector<app::Library> all = with_trees(m_all, wish);
    Provider provider(all, m_store, m_disk, m_runner, m_find_tree);
    MM_TRY(const std::vector<Provided> provided, provider.provide(request, [&](const Provided& one) {
        set.members.push_back(built(one));
        if (report) {
            report(set.members.back());
        }
    }));
    set.include_arguments = include_arguments(provided);
    set.link_arguments = link_arguments(provided);
    const std::lock_guard lock(m_mutex);
    m_known[name] = set;
    return set;
}

std::optional<Error> Libraries::why_not(const app::Device& device, const LibraryWish& wish) {
    const auto request = request_of(device, wish);
    if (!request) {
        return request.error();
    }
    const auto units =
        units_for(with_trees(m_all, wish), request->names, request->features, request->target, m_find_tree);
    return units ? std::optional<Error>() : units.error();
}

Result<std::vector<Libraries::Planned>> Libraries::plan(const app::Device& device, const LibraryWish& wish) {
    MM_TRY(const Request request, request_of(device, wish));
    const std::vector<app::Library> all = with_trees(m_all, wish);
    Provider provider(all, m_store, m_disk, m_runner, m_find_tree);
    MM_TRY(const std::vector<Provided> provided, provider.describe(request));
    std::vector<Planned> planned;
    for (const Provided& one : provided) {
        planned.push_back({one.name, one.manifest.key(), !one.object.key.empty()});
    }
    return planned;
}

}  // namespace metamorph::libraries
