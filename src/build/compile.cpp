// All sources are compiled even where one fails early: which error is told first must not depend on timing, and one run
// then shows all of them in the log.
#include "build/compile.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/thread_pool.h"

namespace metamorph::build {
namespace {

namespace fs = std::filesystem;

Status make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        return fail(ErrorCode::system, folder.string(), "the folder cannot be made: {}", error.message());
    }
    return {};
}

ProcessRequest compiler_request(const Toolchain& toolchain, const CompileRequest& request) {
    ProcessRequest process;
    process.argv = {toolchain.compiler.string()};
    process.argv.insert(process.argv.end(), toolchain.target_flags.begin(), toolchain.target_flags.end());
    process.directory = request.root;
    process.environment = {{"LC_ALL", "C"}};
    process.timeout = request.timeout;
    return process;
}

// Numbered, as two folders may hold files of one name.
fs::path object_of(const CompileRequest& request, std::size_t source) {
    return request.work / fmt::format("{:04}_{}.o", source, request.sources[source].stem().string());
}

std::string log_entry(const ProcessRequest& process, const ProcessOutcome& outcome) {
    std::string text = fmt::format("$ {}\n{}{}", fmt::join(process.argv, " "), outcome.output, outcome.errors);
    if (!outcome.succeeded()) {
        text += fmt::format("{}\n", outcome.print());
    }
    return text;
}

Status write_log(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
        return fail(ErrorCode::system, path.string(), "the log cannot be written");
    }
    return {};
}

tl::unexpected<Error> build_error(const std::string& what, const ProcessOutcome& outcome, const fs::path& log) {
    std::string message = fmt::format("{} failed: {}", what, outcome.print());
    if (const std::string lines = first_errors(outcome.errors + outcome.output); !lines.empty()) {
        message += "\n" + lines;
    }
    return fail_with_hint(ErrorCode::toolchain, log.string(), std::move(message), "this log has all of it");
}

bool has_warning(const ProcessOutcome& outcome) {
    return outcome.errors.find("warning:") != std::string::npos;
}

Result<std::vector<ProcessOutcome>> compile_all(CommandRunner& runner, const Toolchain& toolchain,
                                                const CompileRequest& request, std::string& log) {
    std::vector<ProcessRequest> processes;
    for (std::size_t source = 0; source < request.sources.size(); ++source) {
        ProcessRequest process = compiler_request(toolchain, request);
        process.argv.insert(process.argv.end(), request.compile_flags.begin(), request.compile_flags.end());
        for (const std::string& argument : {std::string("-c"), request.sources[source].string(), std::string("-o"),
                                            object_of(request, source).string()}) {
            process.argv.push_back(argument);
        }
        processes.push_back(std::move(process));
    }
    auto outcomes = parallel_map<ProcessOutcome>(
        request.jobs, static_cast<std::int64_t>(processes.size()),
        [&](std::int64_t i) { return runner.run(processes[static_cast<std::size_t>(i)]); });
    if (outcomes) {
        for (std::size_t i = 0; i < processes.size(); ++i) {
            log += log_entry(processes[i], (*outcomes)[i]);
        }
    }
    return outcomes;
}

}  // namespace

std::string first_errors(const std::string& diagnostics, std::size_t lines_max) {
    std::vector<std::string> errors, all;
    std::istringstream lines(diagnostics);
    for (std::string line; std::getline(lines, line);) {
        const bool tells = line.find("error:") != std::string::npos ||
                           line.find("undefined reference") != std::string::npos ||
                           line.find("multiple definition") != std::string::npos;
        if (tells) {
            errors.push_back(line);
        }
        all.push_back(line);
    }
    std::vector<std::string>& shown = errors.empty() ? all : errors;
    if (shown.size() > lines_max) {
        const auto extra = static_cast<std::ptrdiff_t>(shown.size() - lines_max);
        if (errors.empty()) {
            shown.erase(shown.begin(), shown.begin() + extra);
        } else {
            shown.erase(shown.end() - extra, shown.end());
        }
    }
    return fmt::format("{}", fmt::join(shown, "\n"));
}

Result<CompileOutcome> compile_and_link(CommandRunner& runner, const Toolchain& toolchain,
                                        const CompileRequest& request) {
    if (request.sources.empty()) {
        return fail(ErrorCode::internal, {}, "nothing to compile for {}", request.output.string());
    }
    MM_CHECK(make_folder(request.work));
    MM_CHECK(make_folder(request.output.parent_path()));
    CompileOutcome result{request.work / "build.log", false};
    std::string log;
    MM_TRY(const std::vector<ProcessOutcome> compiled, compile_all(runner, toolchain, request, log));
    for (std::size_t source = 0; source < compiled.size(); ++source) {
        result.has_warnings = result.has_warnings || has_warning(compiled[source]);
        if (!compiled[source].succeeded()) {
            MM_CHECK(write_log(result.log, log));
            return build_error(fmt::format("compiling {} with {} {}", request.sources[source].string(), toolchain.name,
                                           toolchain.version),
                               compiled[source], result.log);
        }
    }
    ProcessRequest process = compiler_request(toolchain, request);
    for (std::size_t source = 0; source < request.sources.size(); ++source) {
        process.argv.push_back(object_of(request, source).string());
    }
    process.argv.insert(process.argv.end(), request.link_flags.begin(), request.link_flags.end());
    process.argv.insert(process.argv.end(), {"-o", request.output.string()});
    MM_TRY(const ProcessOutcome linked, runner.run(process));
    log += log_entry(process, linked);
    MM_CHECK(write_log(result.log, log));
    result.has_warnings = result.has_warnings || has_warning(linked);
    if (!linked.succeeded()) {
        return build_error(fmt::format("linking {}", request.output.filename().string()), linked, result.log);
    }
    return result;
}

}  // namespace metamorph::build
