#include "generate/driver/generator_process.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "util/file.h"
#include "util/text.h"

namespace metamorph::generate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_lines_shown = 8, k_line_characters_max = 200;
constexpr std::uintmax_t k_log_bytes_max = 4 << 20;
constexpr int k_model_is_wrong = 3;
constexpr std::string_view k_our_script_says = "metamorph: ";

// Of what is too long its beginning and its end.
std::string text_of(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    if (error || !file) {
        return {};
    }
    const auto part = [&](std::uintmax_t at, std::uintmax_t size) {
        std::string text(size, '\0');
        file.seekg(static_cast<std::streamoff>(at));
        file.read(text.data(), static_cast<std::streamsize>(size));
        text.resize(static_cast<std::size_t>(file.gcount()));
        return text;
    };
    constexpr std::uintmax_t half = k_log_bytes_max / 2;
    return bytes <= k_log_bytes_max ? part(0, bytes)
                                    : fmt::format("{}\n[{} bytes are left out here]\n{}", part(0, half),
                                                  bytes - k_log_bytes_max, part(bytes - half, half));
}

}  // namespace

ProcessRequest generator_process(std::vector<std::string> argv) {
    ProcessRequest request;
    request.argv = std::move(argv);
    request.environment = {{"LC_ALL", "C.UTF-8"},        {"NO_COLOR", "1"},
                           {"PYTHONHASHSEED", "0"},      {"PYTHONDONTWRITEBYTECODE", "1"},
                           {"PYTHONWARNINGS", "ignore"}, {"SOURCE_DATE_EPOCH", "0"}};
    return request;
}

std::vector<std::string> last_lines(const std::string& text, std::size_t count) {
    std::vector<std::string> lines;
    std::size_t end = text.size();
    while (end > 0 && lines.size() < count) {
        const std::size_t before = text.rfind('\n', end - 1);
        const std::size_t begin = before == std::string::npos ? 0 : before + 1;
        std::string line = text.substr(begin, end - begin);
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) {
            line.pop_back();
        }
        if (!line.empty()) {
            lines.push_back(printable(line, k_line_characters_max));
        }
        end = before == std::string::npos ? 0 : before;
    }
    std::reverse(lines.begin(), lines.end());
    return lines;
}

Status run_logged(const std::string& what, ProcessRequest request, const fs::path& log) {
    const fs::path said = log.string() + ".part";
    request.output_file = request.error_file = said;
    const auto outcome = run_process(request);
    const std::string output = text_of(said);
    std::error_code ignored;
    fs::remove(said, ignored);
    const std::string command = quoted(request.argv);
    if (!outcome) {
        return tl::unexpected<Error>(in_context(outcome.error(), "while running " + command));
    }
    MM_CHECK(write_file_if_changed(log, fmt::format("$ {}\n{}{}\n", command, output, outcome->print())));
    if (outcome->succeeded()) {
        return {};
    }
    const std::vector<std::string> lines = last_lines(output, k_lines_shown);
    if (outcome->end == ProcessOutcome::End::exited && outcome->status == k_model_is_wrong && !lines.empty() &&
        lines.back().starts_with(k_our_script_says)) {
        return fail_with_hint(ErrorCode::model, what, lines.back().substr(k_our_script_says.size()), "");
    }
    std::string message =
        outcome->end == ProcessOutcome::End::timed_out
            ? fmt::format("{} did not end within {} s", what, static_cast<double>(request.timeout.count()) / 1000.0)
            : fmt::format("{} failed: {}", what, outcome->print());
    message += lines.empty() ? "; it printed nothing" : "; its last lines:";
    for (const std::string& line : lines) {
        message += "\n    " + line;
    }
    Error error{ErrorCode::toolchain, message, log.string(), "the whole output is in this file", {}};
    return tl::unexpected<Error>(in_context(std::move(error), "while running " + command));
}

}  // namespace metamorph::generate
