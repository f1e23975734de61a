// Finding a key costs no compilation: which headers of the machine a unit includes is remembered by a hint, under the
// hash of all the rest. The hint is only where to look: the headers are hashed each time, and where the hint leads to
// nothing that is stored, the compiler is asked anew.
//
// After a build the inputs are described once more, read anew: source tree, compiler, headers.
#include "libraries/provide.h"

#include <algorithm>
#include <chrono>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libraries/compile_unit.h"
#include "util/file.h"
#include "util/hash.h"

namespace metamorph::libraries {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_header_bytes_max = std::int64_t{64} << 20;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// As the compiler's own folders have it, whatever they are called here: "stdint.h"; else its whole path.
std::string name_of_header(const fs::path& path, const std::vector<fs::path>& folders) {
    std::string best;
    for (const fs::path& folder : folders) {
        if (path.string().starts_with(folder.string() + "/")) {
            const std::string below = path.lexically_relative(folder).generic_string();
            best = best.empty() || below.size() < best.size() ? below : best;
        }
    }
    return best.empty() ? path.string() : best;
}

Result<std::map<std::string, std::string>> hash_headers(const std::vector<fs::path>& paths,
                                                        const ToolchainIdentity& toolchain) {
    std::map<std::string, std::string> hashes;
    for (const fs::path& path : paths) {
        MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_header_bytes_max));
        std::string& hash = hashes[name_of_header(path, toolchain.header_folders)];
        // Two of one name (limits.h of the compiler, and that of the C library) both count.
        hash = hash.empty() ? sha256_hex(bytes) : sha256_hex(hash + sha256_hex(bytes));
    }
    return hashes;
}

// What others see of an object: its archives and headers, but not the commands that made them.
Result<std::string> content_of(const store::Object& object, store::Disk& disk) {
    const fs::path list = object.files.parent_path() / "contents";
    MM_TRY(const std::string text, disk.read(list));
    std::string seen;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        seen += line.ends_with(fmt::format(" {}", k_commands_file)) ? "" : line + "\n";
    }
    return sha256_hex(seen);
}

}  // namespace

// What is known of a unit before its key is.
struct Provider::Work {
    const Unit& unit;
    const Request& request;
    const ToolchainIdentity& toolchain;
    std::map<std::string, std::string> need_contents;  // hashes
    std::map<std::string, fs::path> need_files;
    CompileContext context(build::CommandRunner& runner) const {
        return {runner, request.target, toolchain, need_files, request.jobs};
    }
    store::Manifest manifest(const std::map<std::string, std::string>& headers) const {
        return manifest_of(unit, request.target, toolchain, need_contents, headers);
    }
};

Provider::Provider(const std::vector<app::Library>& libraries, store::Store& store, store::Disk& disk,
                   build::CommandRunner& runner, FindTree find_tree)
    : m_libraries(libraries), m_store(store), m_disk(disk), m_runner(runner), m_find_tree(std::move(find_tree)) {}

Result<std::optional<Provider::Described>> Provider::describe_known(const Work& work) {
    const std::optional<std::string> hint = m_store.hint(work.manifest({}).key());
    if (!hint) {
        return std::optional<Described>();
    }
    Described described;
    std::istringstream lines(*hint);
    for (std::string line; std::getline(lines, line);) {
        described.headers.emplace_back(line);
    }
    const auto hashes = hash_headers(described.headers, work.toolchain);
    if (!hashes) {
        return std::optional<Described>();  // one of them is no longer there
    }
    described.manifest = work.manifest(*hashes);
    return std::optional<Described>(std::move(described));
}

Result<Provider::Described> Provider::describe_anew(const Work& work, const fs::path& staged) {
    Described described;
    MM_TRY(described.headers, headers_of(work.unit, work.context(m_runner), staged));
    MM_TRY(const auto hashes, hash_headers(described.headers, work.toolchain));
    described.manifest = work.manifest(hashes);
    std::string hint;
    for (const fs::path& header : described.headers) {
        hint += header.string() + "\n";
    }
    m_store.set_hint(work.manifest({}).key(), hint);
    return described;
}

Result<store::Manifest> Provider::describe_again(const Work& work, const std::vector<fs::path>& headers) {
    Unit unit;
    unit.needs = work.unit.needs;
    for (const Recipe& member : work.unit.members) {
        const auto library = std::find_if(m_libraries.begin(), m_libraries.end(),
                                          [&](const app::Library& l) { return l.name == member.library; });
        MM_TRY(const SourceTree tree, m_find_tree(*library));
        MM_TRY(Recipe again, resolve(*library, work.request.target, member.features, tree));
        unit.members.push_back(std::move(again));
    }
    MM_TRY(const ToolchainIdentity toolchain, identify(m_runner, work.request.target, unit.has_cxx()));
    MM_TRY(const auto hashes, hash_headers(headers, toolchain));
    return manifest_of(unit, work.request.target, toolchain, work.need_contents, hashes);
}

// With `builds` false, what is not stored has a manifest and no object.
Result<Provided> Provider::provide_unit(const Work& work, bool builds) {
    const auto start = std::chrono::steady_clock::now();
    Provided provided;
    provided.name = work.unit.name();
    provided.needs = work.unit.needs;
    for (const Recipe& member : work.unit.members) {
        provided.members.push_back(member.library);
        if (!member.sources.empty()) {
            provided.archived.push_back(member.library);
        }
        provided.features.insert(provided.features.end(), member.features.begin(), member.features.end());
    }
    MM_TRY(std::optional<Described> known, describe_known(work));
    if (known) {
        MM_TRY(std::optional<store::Object> found, m_store.find(known->manifest));
        if (found) {
            provided.object = std::move(*found);
            provided.manifest = std::move(known->manifest);
            provided.seconds = seconds_since(start);
            return provided;
        }
    }
    MM_TRY(ScratchFolder staged, stage(work.unit, m_runner));
    auto described = describe_anew(work, staged.path());
    if (!described) {
        staged.keep();
        return tl::unexpected<Error>(described.error());
    }
    provided.manifest = described->manifest;
    MM_TRY(provided.nearest, m_store.nearest(described->manifest, "library"));
    if (!builds) {
        MM_TRY(std::optional<store::Object> found, m_store.find(described->manifest));
        provided.object = found ? std::move(*found) : store::Object();
        return provided;
    }
    const auto build = [&](const fs::path& folder) {
        return compile(work.unit, work.context(m_runner), staged.path(), folder);
    };
    auto object = m_store.get({described->manifest, build, [&] { return describe_again(work, described->headers); }});
    if (!object) {
        if (object.error().code == ErrorCode::toolchain) {
            staged.keep();
        }
        return tl::unexpected<Error>(object.error());
    }
    provided.object = std::move(*object);
    provided.seconds = seconds_since(start);
    return provided;
}

Result<std::vector<Provided>> Provider::walk(const Request& request, bool builds_last,
                                             const std::function<void(const Provided&)>& report) {
    MM_TRY(const std::vector<Unit> units,
           units_for(m_libraries, request.names, request.features, request.target, m_find_tree));
    std::map<bool, ToolchainIdentity> toolchains;  // with C++, and without
    std::map<std::string, store::Object> objects;
    std::vector<Provided> all;
    for (const Unit& unit : units) {
        if (!toolchains.contains(unit.has_cxx())) {
            MM_TRY(toolchains[unit.has_cxx()], identify(m_runner, request.target, unit.has_cxx()));
        }
        Work work{unit, request, toolchains[unit.has_cxx()], {}, {}};
        for (const std::string& need : unit.needs) {
            MM_TRY(work.need_contents[need], content_of(objects.at(need), m_disk));
            work.need_files[need] = objects.at(need).files;
        }
        MM_TRY(Provided provided, provide_unit(work, builds_last || &unit != &units.back()));
        for (const std::string& member : provided.members) {
            objects[member] = provided.object;
            const auto library = std::find_if(m_libraries.begin(), m_libraries.end(),
                                              [&](const app::Library& l) { return l.name == member; });
            provided.hooks.insert(provided.hooks.end(), library->hooks.begin(), library->hooks.end());
        }
        if (report) {
            report(provided);
        }
        all.push_back(std::move(provided));
    }
    return all;
}

Result<std::vector<Provided>> Provider::provide(const Request& request,
                                                const std::function<void(const Provided&)>& report) {
    return walk(request, true, report);
}

Result<std::vector<Provided>> Provider::describe(const Request& request) {
    return walk(request, false, {});
}

Status Provider::check_rebuild(const Request& request) {
    MM_TRY(const std::vector<Provided> stored, provide(request));
    MM_TRY(const ScratchFolder other_root, ScratchFolder::make("metamorph-rebuild"));
    const std::unique_ptr<store::Clock> clock = store::make_real_clock();
    store::Store other(other_root.path() / "store", m_disk, *clock, "rebuild");
    Provider provider(m_libraries, other, m_disk, m_runner, m_find_tree);
    MM_TRY(const std::vector<Provided> rebuilt, provider.provide(request));
    std::vector<std::string> differing;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        if (stored[i].object.contents == rebuilt[i].object.contents) {
            continue;
        }
        MM_TRY(const auto files, m_disk.files_below(stored[i].object.files));
        for (const store::FileEntry& file : files) {
            const auto left = m_disk.read(stored[i].object.files / file.path);
            const auto right = m_disk.read(rebuilt[i].object.files / file.path);
            if (!left || !right || *left != *right) {
                differing.push_back(stored[i].name + ": " + file.path.generic_string());
            }
        }
    }
    if (!differing.empty()) {
        return fail_with_hint(ErrorCode::check_failed, m_store.root().string(),
                              fmt::format("a second build gives other bytes: {}", fmt::join(differing, ", ")),
                              "__DATE__, __TIME__ and random seeds in the sources do this");
    }
    return {};
}

std::vector<fs::path> archives_of(const Provided& provided) {
    std::vector<fs::path> archives;
    for (const std::string& member : provided.archived) {
        archives.push_back(provided.object.files / "lib" / ("lib" + member + ".a"));
    }
    return archives;
}

std::vector<std::string> link_arguments(const std::vector<Provided>& provided) {
    std::vector<std::string> arguments;
    for (auto one = provided.rbegin(); one != provided.rend(); ++one) {
        const bool is_group = one->archived.size() > 1;
        if (is_group) {
            arguments.emplace_back("-Wl,--start-group");
        }
        for (const fs::path& archive : archives_of(*one)) {
            arguments.push_back(archive.string());
        }
        if (is_group) {
            arguments.emplace_back("-Wl,--end-group");
        }
    }
    return arguments;
}

std::vector<std::string> include_arguments(const std::vector<Provided>& provided) {
    std::vector<std::string> arguments;
    for (const Provided& one : provided) {
        arguments.push_back("-I" + (one.object.files / "include").string());
    }
    return arguments;
}

FindTree find_trees(std::map<std::string, std::string> runtime, FindPython find_python, FindCrate find_crate) {
    return [runtime = std::move(runtime), find_python = std::move(find_python),
            find_crate = std::move(find_crate)](const app::Library& library) -> Result<SourceTree> {
        const std::string where = fmt::format("library '{}'", library.name);
        using Kind = app::LibrarySource::Kind;
        if (library.source.kind == Kind::metamorph) {
            return tree_of_files(runtime, "Metamorph's own runtime");
        }
        if (library.source.kind == Kind::python) {
            MM_TRY(const PythonModule module, find_python(library));
            MM_TRY(SourceTree tree, tree_of_folder(module.folder, where));
            tree.version = module.version;
            return tree;
        }
        if (library.source.kind == Kind::crate) {
            MM_TRY(const fs::path folder, find_crate(library));
            return tree_of_folder(folder, where);
        }
        const fs::path path(library.source.path);
        if (path.is_relative() && !library.companions.empty()) {
            std::map<std::string, std::string> files;
            for (const auto& [name, contents] : library.companions) {
                if (const std::string below = fs::path(name).lexically_relative(path).generic_string();
                    !below.starts_with("..")) {
                    files[below] = contents;
                }
            }
            return tree_of_files(std::move(files), "the description's folder");
        }
        return tree_of_folder(path.is_absolute() ? path : library.folder / path, where);
    };
}

}  // namespace metamorph::libraries
