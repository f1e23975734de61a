#include "verify/cut_run.h"

#include <chrono>
#include <future>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "util/file.h"
#include "util/process.h"

namespace metamorph::verify {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::int64_t k_output_bytes_max = 1LL << 30;
constexpr int k_exit_failed_check = 1;  // MM_HOST_EXIT_FAILED_CHECK: the report says what
constexpr int k_exit_usage = 64;        // MM_HOST_EXIT_USAGE

Result<std::string> read_text(const fs::path& path) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_output_bytes_max));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::vector<std::string> arguments_of(const HostBuild& build, const fs::path& work, const CutRequest& request) {
    const auto number = [](const std::optional<std::uint64_t>& value) {
        return value ? std::to_string(*value) : std::string("every");
    };
    std::vector<std::string> argv{build.app.string(),
                                  "--explore",
                                  "--nvm",
                                  (work / "nvm.bin").string(),
                                  "--inputs",
                                  (work / "inputs.bin").string(),
                                  "--expect",
                                  (work / "expected.bin").string(),
                                  "--inferences",
                                  std::to_string(request.inferences),
                                  "--cut",
                                  request.cuts_max == 0U ? "none" : number(request.cuts_max),
                                  "--second",
                                  number(request.second_max),
                                  "--jobs",
                                  std::to_string(request.jobs)};
    if (request.budget_seconds) {
        argv.insert(argv.end(), {"--cut-budget", std::to_string(*request.budget_seconds)});
    }
    if (!request.replay.empty()) {
        argv.insert(argv.end(), {"--replay", request.replay});
    }
    return argv;
}

// The last "progress DONE TOTAL" in what the driver has printed so far.
void report_progress(const fs::path& log, const Progress& progress) {
    const Result<std::string> text = read_text(log);
    const std::size_t at = text ? text->rfind("progress ") : std::string::npos;
    std::uint64_t done = 0, total = 0;
    if (at != std::string::npos && std::sscanf(text->c_str() + at, "progress %lu %lu", &done, &total) == 2) {
        progress(done, total);
    }
}

Result<ProcessOutcome> run_watched(const ProcessRequest& request, const Progress& progress) {
    std::future<Result<ProcessOutcome>> running =
        std::async(std::launch::async, [&request] { return run_process(request); });
    while (running.wait_for(std::chrono::milliseconds(200)) != std::future_status::ready) {
        if (progress) {
            report_progress(request.error_file, progress);
        }
    }
    return running.get();
}

// The end of what the driver said, without its progress.
std::string last_lines(const fs::path& log) {
    const Result<std::string> text = read_text(log);
    std::string said;
    std::istringstream lines(text.value_or(""));
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("progress ")) {
            said += line + '\n';
        }
    }
    said.erase(said.find_last_not_of('\n') + 1);
    constexpr std::size_t k_bytes_shown = 800;
    return said.size() > k_bytes_shown ? said.substr(said.size() - k_bytes_shown) : said;
}

// The driver ended without a report: by what we asked it, by itself, or by someone's hand.
Error gave_up(const ProcessOutcome& outcome, const fs::path& log, const CutRequest& request) {
    if (outcome.end == ProcessOutcome::End::exited && outcome.status == k_exit_usage && !request.replay.empty()) {
        return {ErrorCode::options,
                fmt::format("'{}' is no cut of this program: {}", request.replay, last_lines(log)),
                "--replay",
                "the report of a run with the same model and options gives the ids of its failures",
                {}};
    }
    const bool is_killed = outcome.end == ProcessOutcome::End::signalled;
    return {is_killed ? ErrorCode::system : ErrorCode::check_failed,
            fmt::format("cutting the power ended with {}, before it was done\n{}", outcome.print(), last_lines(log)),
            log.string(),
            is_killed ? "run it again; if nobody killed it, try fewer --jobs (memory) and look into this file" : "",
            {}};
}

}  // namespace

Result<std::string> run_plain(const HostBuild& build, const std::string& inputs, std::size_t output_bytes) {
    ProcessRequest request;
    request.argv = {build.plain.string()};
    request.input = inputs;
    MM_TRY(ProcessOutcome outcome, run_process(request));
    if (!outcome.succeeded() || outcome.output.size() != output_bytes) {
        return fail(ErrorCode::internal, build.plain.string(),
                    "the plain program ended with {} and {} bytes of output instead of {}", outcome.print(),
                    outcome.output.size(), output_bytes);
    }
    return std::move(outcome.output);
}

Result<std::string> run_woven(const HostBuild& build, const fs::path& work, const std::string& inputs, int inferences) {
    std::error_code ignored;
    fs::remove(work / "nvm.bin", ignored);
    fs::remove(work / "outputs.bin", ignored);
    MM_CHECK(write_file_if_changed(work / "inputs.bin", inputs));
    ProcessRequest request;
    request.argv = {build.app.string(),
                    "--nvm",
                    (work / "nvm.bin").string(),
                    "--inputs",
                    (work / "inputs.bin").string(),
                    "--outputs",
                    (work / "outputs.bin").string(),
                    "--inferences",
                    std::to_string(inferences)};
    MM_TRY(const ProcessOutcome outcome, run_process(request));
    if (!outcome.succeeded()) {
        return fail(ErrorCode::check_failed, build.app.string(), "the woven program ended with {}: {}", outcome.print(),
                    outcome.errors);
    }
    return read_text(work / "outputs.bin");
}

Result<ordered_json> cut_everywhere(const HostBuild& build, const fs::path& work, const CutRequest& request) {
    MM_CHECK(write_file_if_changed(work / "inputs.bin", request.inputs));
    MM_CHECK(write_file_if_changed(work / "expected.bin", request.expected));
    ProcessRequest process;
    process.argv = arguments_of(build, work, request);
    process.output_file = work / "report.json";
    process.error_file = work / "explore.log";
    MM_TRY(const ProcessOutcome outcome, run_watched(process, request.progress));
    const bool has_report =
        outcome.succeeded() || (outcome.end == ProcessOutcome::End::exited && outcome.status == k_exit_failed_check);
    MM_TRY(const std::string text, read_text(work / "report.json"));
    ordered_json report = ordered_json::parse(text, nullptr, false);
    if (!has_report || report.is_discarded()) {
        return tl::unexpected(gave_up(outcome, work / "explore.log", request));
    }
    return report;
}

}  // namespace metamorph::verify
