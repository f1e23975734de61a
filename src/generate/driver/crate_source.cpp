// A crate is fetched by a package of our own that depends on it alone, with a cargo home of its own: so the user's is
// left as it is, and what is not the crate goes away again. cargo would unpack it, too, but an old one stops at newer
// crates that this one needs; their sources are not wanted, so the packed crate counts as soon as its hash is right.
#include "generate/driver/crate_source.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "generate/driver/generator_process.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/interrupt.h"
#include "util/text.h"

namespace metamorph::generate {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_marker = "metamorph-crate.txt";  // written last: an installation that was cut off is none
constexpr std::int64_t k_crate_bytes_max = 64 << 20, k_text_bytes_max = 1 << 20;
constexpr auto k_fetch_time = std::chrono::minutes(10);

std::string identity(const app::FrameworkSource& source) {
    return fmt::format("{} {} {}\n", source.crate, source.version, source.sha256);
}

Result<fs::path> fetched_folder(const app::Framework& framework) {
    MM_TRY(const fs::path folder, framework_folder(framework.name));
    return folder / "source";
}

const std::string* given_source(const app::Framework& framework, const DriverRequest& request) {
    if (framework.source && !framework.source->option.empty()) {
        for (const auto& [name, value] : request.options) {
            if (name == framework.source->option) {
                return &value;
            }
        }
    }
    return nullptr;
}

// Where registries are is said by files beside the user's own crates.
void copy_settings(const fs::path& home) {
    const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
    const fs::path users =
        variable("CARGO_HOME").empty() ? fs::path(variable("HOME")) / ".cargo" : fs::path(variable("CARGO_HOME"));
    std::error_code error;
    for (const char* name : {"config.toml", "config"}) {
        fs::copy_file(users / name, home / name, error);
    }
}

std::optional<fs::path> packed_crate(const fs::path& home, const app::FrameworkSource& source) {
    std::error_code error;
    for (const auto& registry : fs::directory_iterator(home / "registry" / "cache", error)) {
        const fs::path crate = registry.path() / fmt::format("{}-{}.crate", source.crate, source.version);
        if (fs::exists(crate, error)) {
            return crate;
        }
    }
    return {};
}

Status check_hash(const fs::path& crate, const app::FrameworkSource& source) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(crate, k_crate_bytes_max));
    if (const std::string hash = sha256_hex(bytes); hash != source.sha256) {
        return fail_with_hint(ErrorCode::toolchain, crate.filename().string(),
                              fmt::format("the crate has the hash {}, not {}", hash, source.sha256),
                              "this is not the crate that the framework was tested with");
    }
    return {};
}

Status unpack(const app::Framework& framework, const fs::path& crate, const fs::path& folder, const fs::path& log) {
    MM_CHECK(check_hash(crate, *framework.source));
    ProcessRequest unpacking = generator_process({"tar", "-xzf", crate.string(), "-C", folder.string()});
    unpacking.timeout = k_fetch_time;
    return run_logged(framework.name + ": unpacking", unpacking, log);
}

}  // namespace

Status find_source(const app::Framework& framework, Installation& found) {
    if (!framework.source) {
        return {};
    }
    MM_TRY(const fs::path folder, fetched_folder(framework));
    const auto marker = read_file(folder / k_marker, k_text_bytes_max);
    if (!marker ||
        std::string(reinterpret_cast<const char*>(marker->data()), marker->size()) != identity(*framework.source)) {
        found.state = Installation::State::missing;
        return {};
    }
    found.source = folder / framework.source->folder;
    found.version = framework.source->version;
    return {};
}

Status fetch_source(const app::Framework& framework, const std::function<void(const std::string&)>& say) {
    const app::FrameworkSource& source = *framework.source;
    const auto cargo = find_program("cargo");
    if (!cargo) {
        return fail_with_hint(ErrorCode::toolchain, "PATH",
                              fmt::format("{} comes as a crate, and 'cargo' is not installed", source.crate),
                              "apt-get install -y cargo (as root)");
    }
    MM_TRY(const fs::path target, fetched_folder(framework));
    MM_TRY(const ScratchFolder scratch, ScratchFolder::make("metamorph-crate"));
    const fs::path work = scratch.path(), home = work / "home", unpacked = target.string() + ".part";
    const fs::path log = target.parent_path() / "install.log";
    std::error_code error;
    fs::remove_all(target, error);
    fs::remove_all(unpacked, error);
    fs::create_directories(home, error);
    fs::create_directories(unpacked, error);
    if (error) {
        return fail(ErrorCode::system, unpacked.string(), "the folder cannot be made: {}", error.message());
    }
    copy_settings(home);
    MM_CHECK(write_files(
        work, {{"lib.rs", ""},
               {"Cargo.toml",
                fmt::format("[package]\nname = \"wanted\"\nversion = \"0.0.0\"\nedition = \"2018\"\n\n[lib]\npath = "
                            "\"lib.rs\"\n\n[dependencies]\n{} = \"={}\"\n",
                            source.crate, source.version)}}));
    say(fmt::format("{}: fetching the crate {} {} with cargo", framework.name, source.crate, source.version));
    ProcessRequest fetching =
        generator_process({cargo->string(), "fetch", "--target", "x86_64-unknown-linux-gnu"});  // fewer crates
    fetching.directory = work;
    fetching.timeout = k_fetch_time;
    fetching.environment.emplace_back("CARGO_HOME", home.string());
    const Status fetched = run_logged(framework.name + ": installation", fetching, log);
    const std::optional<fs::path> crate = packed_crate(home, source);
    const Status done =
        crate      ? unpack(framework, *crate, unpacked, log)
        : !fetched ? fetched
                   : Status(fail(ErrorCode::toolchain, source.crate, "cargo ended well, but fetched no such crate"));
    if (!done) {
        fs::remove_all(unpacked, error);
        return done;
    }
    fs::rename(unpacked / fmt::format("{}-{}", source.crate, source.version), target, error);
    fs::remove_all(unpacked, error);
    if (!fs::is_directory(target / source.folder, error)) {
        fs::remove_all(target, error);
        return fail(ErrorCode::toolchain, source.crate, "there is no folder {} in the crate", source.folder);
    }
    fs::remove(log, error);
    MM_TRY(const WriteOutcome written, write_file_if_changed(target / k_marker, identity(source)));
    (void)written;
    return {};
}

bool names_a_source(const app::Framework& framework, const DriverRequest& request) {
    return given_source(framework, request) != nullptr;
}

Result<fs::path> source_of(const app::Framework& framework, const DriverRequest& request) {
    if (!framework.source) {
        return fs::path();
    }
    if (const std::string* given = given_source(framework, request)) {
        std::error_code error;
        if (!fs::is_directory(*given, error)) {
            return fail_with_hint(ErrorCode::options, "--option " + framework.source->option,
                                  fmt::format("there is no folder '{}'", printable(*given)),
                                  "name the folder of a source tree");
        }
        return fs::absolute(*given).lexically_normal();
    }
    MM_TRY(const fs::path folder, fetched_folder(framework));
    return fs::absolute(folder) / framework.source->folder;
}

}  // namespace metamorph::generate
