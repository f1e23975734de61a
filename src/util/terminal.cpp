#include "util/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace metamorph {
namespace {

using namespace std::chrono_literals;

constexpr auto k_silent = 1s;
constexpr auto k_redraw = 100ms;
constexpr auto k_line = 10s;
constexpr int k_bar_columns = 24;
constexpr int k_width_min = 20, k_width_max = 400;

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::string_view(value) : std::string_view();
}

std::string_view code_of(Style style) {
    switch (style) {
        case Style::bold:
            return "1";
        case Style::dim:
            return "2";
        case Style::red:
            return "31";
        case Style::green:
            return "32";
        case Style::yellow:
            return "33";
        case Style::cyan:
            return "36";
    }
    return "0";
}

std::string duration(std::int64_t seconds) {
    return seconds < 60 ? fmt::format("{} s", seconds) : fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
}

}  // namespace

Terminal probe_terminal(int fd) {
    Terminal terminal;
    terminal.is_terminal = ::isatty(fd) == 1 && variable("TERM") != "dumb";
    terminal.has_color = terminal.is_terminal && variable("NO_COLOR").empty();
    winsize size{};
    if (terminal.is_terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal.width = size.ws_col;
    } else if (const std::string_view columns = variable("COLUMNS"); !columns.empty()) {
        int width = 0;
        if (std::from_chars(columns.data(), columns.data() + columns.size(), width).ec == std::errc{}) {
            terminal.width = width;
        }
    }
    terminal.width = std::clamp(terminal.width, k_width_min, k_width_max);
    return terminal;
}

std::string styled(const Terminal& terminal, Style style, std::string_view text) {
    return terminal.has_color ? fmt::format("\033[{}m{}\033[0m", code_of(style), text) : std::string(text);
}

Progress::Progress(Terminal terminal, std::string label, std::int64_t total, ProgressDoors doors)
    : m_terminal(terminal),
      m_label(std::move(label)),
      m_total(std::max<std::int64_t>(total, 0)),
      m_doors(std::move(doors)) {
    if (!m_doors.write) {
        m_doors.write = [](std::string_view text) {
            std::fwrite(text.data(), 1, text.size(), stderr);
            std::fflush(stderr);
        };
    }
    if (!m_doors.now) {
        m_doors.now = [] { return std::chrono::steady_clock::now(); };
    }
    m_start = m_last_shown = m_doors.now();
}

std::string Progress::line(std::int64_t seconds, std::string_view note) const {
    std::string text = m_total == 0 ? fmt::format("{}", m_done)
                                    : fmt::format("{} of {} ({} %)", m_done, m_total, 100 * m_done / m_total);
    if (m_done > 0 && m_done < m_total) {
        text += ", " + duration(seconds * (m_total - m_done) / m_done) + " left";
    }
    if (!note.empty()) {
        text += fmt::format(", {}", note);
    }
    if (!m_terminal.is_terminal) {
        return fmt::format("{}: {}\n", m_label, text);
    }
    if (m_total == 0) {
        text = fmt::format("{} {}", m_label, text);
    } else {
        const auto filled = static_cast<std::size_t>(k_bar_columns * m_done / m_total);
        const std::string bar = std::string(filled, '#') + std::string(k_bar_columns - filled, '-');
        text = fmt::format("{} [{}] {}", m_label, bar, text);
    }
    text.resize(std::min(text.size(), static_cast<std::size_t>(m_terminal.width) - 1));
    return "\r" + text + "\033[K";
}

void Progress::advance_to(std::int64_t done, std::string_view note) {
    const std::lock_guard lock(m_mutex);
    m_done = std::max(m_done, m_total == 0 ? done : std::min(done, m_total));
    const auto now = m_doors.now();
    const auto pause = m_terminal.is_terminal ? std::chrono::milliseconds(k_redraw) : std::chrono::milliseconds(k_line);
    const bool is_due = m_is_shown ? now - m_last_shown >= pause : now - m_start >= k_silent;
    if (m_is_finished || !is_due) {
        return;
    }
    m_doors.write(line(std::chrono::duration_cast<std::chrono::seconds>(now - m_start).count(), note));
    m_is_shown = true;
    m_last_shown = now;
}

void Progress::finish() {
    const std::lock_guard lock(m_mutex);
    if (m_is_shown && !m_is_finished && m_terminal.is_terminal) {
        m_doors.write("\r\033[K");
    }
    m_is_finished = true;
}

}  // namespace metamorph
