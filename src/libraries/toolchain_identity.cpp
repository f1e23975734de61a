#include "libraries/toolchain_identity.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "build/toolchain.h"
#include "util/file.h"
#include "util/hash.h"

namespace metamorph::libraries {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_program_bytes_max = std::int64_t{1} << 31;
constexpr auto k_ask_time = std::chrono::seconds(60);

Result<std::string> hash_of(const fs::path& path) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_program_bytes_max));
    return sha256_hex(bytes);
}

class Asker {
public:
    Asker(build::CommandRunner& runner, const Target& target, fs::path compiler)
        : m_runner(runner), m_target(target), m_compiler(std::move(compiler)) {}

    Result<ProcessOutcome> ask(const std::vector<std::string>& arguments) {
        std::vector<std::string> argv{m_compiler.string()};
        argv.insert(argv.end(), m_target.flags.begin(), m_target.flags.end());
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        ProcessRequest request = clean_process(std::move(argv));
        request.timeout = k_ask_time;
        MM_TRY(ProcessOutcome outcome, m_runner.run(request));
        if (!outcome.succeeded()) {
            return fail_with_hint(
                ErrorCode::toolchain, m_compiler.string(),
                fmt::format("'{}' does not answer {}: {}", m_target.program, arguments.front(), outcome.print()),
                build::apt_command(m_target.packages));
        }
        return outcome;
    }

    Result<std::string> line(const std::string& argument) {
        MM_TRY(const ProcessOutcome outcome, ask({argument}));
        return outcome.output.substr(0, outcome.output.find('\n'));
    }

    // A program of the compiler's, by its answer to -print-prog-name; nothing where it has none.
    Result<std::optional<fs::path>> program(const std::string& name) {
        MM_TRY(const std::string answer, line("-print-prog-name=" + name));
        return answer.empty() ? std::optional<fs::path>() : m_runner.find(answer);
    }

private:
    build::CommandRunner& m_runner;
    const Target& m_target;
    const fs::path m_compiler;
};

// One hash for all libraries that a program loads, besides the program itself: a compiler may be a small program with a
// large library.
Result<std::string> hash_of_libraries(build::CommandRunner& runner, const fs::path& program) {
    const auto ldd = runner.find("ldd");
    if (!ldd) {
        return fail_with_hint(ErrorCode::toolchain, "PATH", "'ldd' is not installed", build::apt_command({"libc-bin"}));
    }
    ProcessRequest request = clean_process({ldd->string(), program.string()});
    request.timeout = k_ask_time;
    MM_TRY(const ProcessOutcome outcome, runner.run(request));  // fails for what loads nothing
    std::set<std::string> paths;
    std::istringstream lines(outcome.succeeded() ? outcome.output : std::string());
    for (std::string line; std::getline(lines, line);) {  // "name => path (address)", or "path (address)"
        const std::size_t begin = line.find('/'), end = line.rfind(" (");
        if (begin != std::string::npos && end != std::string::npos && begin < end) {
            paths.insert(line.substr(begin, end - begin));
        }
    }
    std::string all;
    for (const std::string& path : paths) {
        MM_TRY(const std::string hash, hash_of(path));
        all += fs::path(path).filename().string() + " " + hash + "\n";
    }
    return sha256_hex(all);
}

Result<fs::path> archiver_of(build::CommandRunner& runner, const Target& target, Asker& asker) {
    if (target.toolchain != "clang") {
        MM_TRY(const std::optional<fs::path> found, asker.program("ar"));
        if (found) {
            return *found;
        }
    }
    // Clang's own: another may not know the target's objects.
    const std::string name = fs::path(target.program).filename().string();
    const std::size_t dash = name.find('-');
    const std::string archiver = "llvm-ar" + (dash == std::string::npos ? "" : name.substr(dash));
    const auto found = runner.find(target.toolchain == "clang" ? archiver : "ar");
    if (!found) {
        return fail_with_hint(ErrorCode::toolchain, "PATH",
                              fmt::format("'{}' has no archiver: '{}' is not installed", target.program, archiver),
                              build::apt_command({"llvm-19"}));
    }
    return *found;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& cleaned_variables() {
    static const std::vector<std::pair<std::string, std::string>> variables{{"LC_ALL", "C"},
                                                                            {"SOURCE_DATE_EPOCH", "0"}};
    return variables;
}

ProcessRequest clean_process(std::vector<std::string> argv) {
    ProcessRequest request;
    request.argv = std::move(argv);
    request.inherits_environment = false;
    request.environment = cleaned_variables();
    for (const char* name : {"PATH", "TMPDIR", "HOME"}) {
        if (const char* value = std::getenv(name)) {
            request.environment.emplace_back(name, value);
        }
    }
    return request;
}

Result<ToolchainIdentity> identify(build::CommandRunner& runner, const Target& target, bool needs_cxx) {
    const auto compiler = runner.find(target.program);
    if (!compiler) {
        return fail_with_hint(ErrorCode::toolchain, "PATH", fmt::format("'{}' is not installed", target.program),
                              build::apt_command(target.packages));
    }
    Asker asker(runner, target, *compiler);
    ToolchainIdentity identity;
    identity.compiler = *compiler;
    MM_TRY(identity.archiver, archiver_of(runner, target, asker));
    const auto add = [&](const std::string& field, std::string value) {
        identity.fields.emplace_back("toolchain." + field, std::move(value));
    };
    const auto add_program = [&](const std::string& field, const fs::path& path) -> Status {
        MM_TRY(const std::string hash, hash_of(path));
        MM_TRY(const std::string libraries, hash_of_libraries(runner, path));
        add(field, hash);
        add(field + ".libraries", libraries);
        return {};
    };
    MM_TRY(const std::string machine, asker.line("-dumpmachine"));
    MM_TRY(const ProcessOutcome version, asker.ask({"--version"}));
    add("version", version.output.substr(0, version.output.find('\n')));
    add("machine", machine);
    MM_CHECK(add_program("driver", *compiler));
    std::vector<std::string> programs{"as"};
    if (target.toolchain != "clang") {  // which is compiler and assembler itself
        programs = needs_cxx ? std::vector<std::string>{"cc1", "cc1plus", "as"} : std::vector<std::string>{"cc1", "as"};
        for (const std::string& name : programs) {
            MM_TRY(const std::optional<fs::path> path, asker.program(name));
            if (!path) {
                return fail_with_hint(ErrorCode::toolchain, compiler->string(),
                                      fmt::format("'{}' has no '{}'", target.program, name),
                                      build::apt_command(target.packages));
            }
            MM_CHECK(add_program(name, *path));
        }
        MM_TRY(const ProcessOutcome specs, asker.ask({"-dumpspecs"}));
        add("specs", sha256_hex(specs.output));
        for (const std::string& flag : target.flags) {
            if (const std::string name = flag.starts_with("--specs=") ? flag.substr(8) : ""; !name.empty()) {
                MM_TRY(const std::string path, asker.line("-print-file-name=" + name));
                MM_TRY(const std::string hash, hash_of(path));
                add("specs." + name, hash);
            }
        }
    }
    MM_CHECK(add_program("ar", identity.archiver));
    MM_TRY(const std::string multilib, asker.line("-print-multi-directory"));
    add("multilib", multilib);
    MM_TRY(const ProcessOutcome macros, asker.ask({"-dM", "-E", "-x", needs_cxx ? "c++" : "c", "/dev/null"}));
    add("macros", sha256_hex(macros.output));
    MM_TRY(const ProcessOutcome told, asker.ask({"-E", "-v", "-x", needs_cxx ? "c++" : "c", "/dev/null"}));
    identity.header_folders = build::header_folders_in(told.errors);
    return identity;
}

}  // namespace metamorph::libraries
