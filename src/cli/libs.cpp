#include "cli/subcommand.h"
#include "cli/values.h"
#include "util/thread_pool.h"

namespace metamorph::cli {
namespace {

const std::vector<std::string> k_actions{"list", "build", "why", "explain", "path", "verify", "gc"};
constexpr std::uint64_t k_bytes_max = std::uint64_t{1} << 50;

class Libs : public Subcommand {
public:
    Libs(CLI::App& root, const std::vector<std::string>& devices)
        : Subcommand(root, "libs", "Build runtime libraries once, and look at the store that keeps them",
                     {{"metamorph libs list", "the libraries that there are, and what is stored"},
                      {"metamorph libs build metamorph-runtime --device cortex-m4-spi",
                       "from the store, or built into it; with all that it needs"},
                      {"metamorph libs build --all --device cortex-m4-spi --toolchain clang", "every library, ahead"},
                      {"metamorph libs build --all --project metamorph.toml", "what the runs of a project need, ahead"},
                      {"metamorph libs why metamorph-runtime --feature debug",
                       "is it stored? Else the nearest that is, and the fields that differ"},
                      {"metamorph libs explain 3f9a 81c2", "the fields in which two stored ones differ"},
                      {"metamorph libs verify", "hashes all that is stored; exit status 1 if something is damaged"}}) {
        add_words("ACTION",
                  "list; build NAME; why NAME; path NAME (what a link needs); explain A B (two keys, or their starts); "
                  "verify; gc",
                  k_actions);
        add_argument("NAME", "a library, or the start of a key");
        add_argument("OTHER", "the start of another key");
        add_value("--device", "DEVICE", "what it is built for: a name, or a description of your own; default: host",
                  devices);
        add_value("--toolchain", "NAME", "gcc or clang; default: the first that the device names", {"gcc", "clang"});
        add_list("--feature", "NAME", "a feature that changes it; may be repeated");
        add_flag("--all", "of build: every library that this target can have");
        add_value("--project", "FILE", "with --all: what the runs of this project file need instead (docs/project.md)");
        add_flag("--rebuild-check", "of build: build a second time, and compare the bytes");
        add_value("--bytes", "N", "of gc: what the store may keep; default: its limit; 0 removes all that no run uses");
        add_value("-j,--jobs", "N", "compilers at once; default: as many as there are processors");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        LibsOptions options;
        static_cast<CommonOptions&>(options) = common();
        MM_TRY(const std::string action, needed("ACTION", "metamorph libs list"));
        MM_TRY(const std::size_t index, read_choice("ACTION", action, k_actions));
        options.action = static_cast<LibsOptions::Action>(index);
        options.name = text("NAME").value_or("");
        options.other = text("OTHER").value_or("");
        options.all = has("--all");
        options.project = text("--project").value_or("");
        options.rebuild_check = has("--rebuild-check");
        options.device = text("--device").value_or("host");
        options.toolchain = text("--toolchain").value_or("");
        options.features = texts("--feature");
        MM_CHECK(check_names(action, options));
        MM_CHECK(check_options(action));
        if (has("--toolchain")) {
            MM_CHECK(read_choice("--toolchain", options.toolchain, {"gcc", "clang"}));
        }
        if (const auto bytes = text("--bytes")) {
            MM_TRY(options.bytes, read_number("--bytes", *bytes, 0, k_bytes_max));
        }
        options.jobs = default_threads();
        if (const auto jobs = text("--jobs")) {
            MM_TRY(const std::uint64_t number, read_number("--jobs", *jobs, 1, k_threads_max));
            options.jobs = static_cast<int>(number);
        }
        MM_CHECK(check_device("--device", options.device));
        return commands.libs(options);
    }

private:
    Status check_names(const std::string& action, const LibsOptions& options) const {
        const bool wants_name = action == "build" || action == "why" || action == "path" || action == "explain";
        const bool wants_other = action == "explain";
        if (options.all && action != "build") {
            return belongs("--all", "build");
        }
        if (has("--project") && !options.all) {
            return belongs("--project", "build --all");
        }
        for (const char* option : {"--device", "--toolchain", "--feature", "--rebuild-check"}) {
            MM_CHECK(
                exclude("--project", option, "the project says what is built, and for what: leave one of them out"));
        }
        if (options.all && !options.name.empty()) {
            return fail_with_hint(ErrorCode::options, "NAME", "NAME contradicts --all", "give one of them");
        }
        if (wants_name && options.name.empty() && !options.all) {
            return fail_with_hint(ErrorCode::options, "metamorph libs", action + " needs the NAME of a library",
                                  action == "explain" ? "metamorph libs explain A B: two keys of metamorph libs list"
                                                      : "metamorph libs list shows them");
        }
        if ((!wants_name && !options.name.empty()) || (!wants_other && !options.other.empty())) {
            return fail_with_hint(
                ErrorCode::options, "metamorph libs",
                fmt::format("'{}' is one argument too many for {}", wants_name ? options.other : options.name, action),
                "metamorph libs --help shows how it is written");
        }
        if (wants_other && options.other.empty()) {
            return fail_with_hint(ErrorCode::options, "metamorph libs", "explain needs two keys",
                                  "metamorph libs explain A B: two keys of metamorph libs list");
        }
        return {};
    }

    Status check_options(const std::string& action) const {
        const bool builds = action == "build" || action == "why" || action == "path";
        for (const char* option : {"--device", "--toolchain", "--feature", "--jobs"}) {
            if (has(option) && !builds) {
                return belongs(option, "build, why and path");
            }
        }
        if (has("--rebuild-check") && action != "build") {
            return belongs("--rebuild-check", "build");
        }
        if (has("--bytes") && action != "gc") {
            return belongs("--bytes", "gc");
        }
        return {};
    }

    static Status belongs(const std::string& option, const std::string& actions) {
        return fail_with_hint(ErrorCode::options, option, fmt::format("{} belongs to {}", option, actions),
                              "leave it out");
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_libs(CLI::App& root, const std::vector<std::string>& devices) {
    return std::make_unique<Libs>(root, devices);
}

}  // namespace metamorph::cli
