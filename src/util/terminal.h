// What is known of the terminal, colour, and a progress bar for what takes longer than a second. Where the output is
// not a terminal, progress is a plain line now and then. NO_COLOR (any value but the empty one) turns colour off.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace metamorph {

struct Terminal {
    bool is_terminal = false;
    bool has_color = false;
    int width = 80;  // columns
};

// Looks at file descriptor `fd` and at the variables NO_COLOR, TERM and COLUMNS.
Terminal probe_terminal(int fd);

enum class Style { bold, dim, red, green, yellow, cyan };

// `text` in a style where the terminal has colour, unchanged elsewhere.
std::string styled(const Terminal& terminal, Style style, std::string_view text);

// The doors to the world, so that a test can hold the clock.
struct ProgressDoors {
    std::function<void(std::string_view)> write;                 // default: standard error
    std::function<std::chrono::steady_clock::time_point()> now;  // default: the steady clock
};

// Shows how far a piece of work is. Silent for its first second; then a bar that is redrawn at most ten times a second,
// or off a terminal one line every ten seconds. May be called from several threads. The bar is erased at the end.
class Progress {
public:
    // `total` 0: unknown, so that only what is done is told.
    Progress(Terminal terminal, std::string label, std::int64_t total, ProgressDoors doors = {});
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { finish(); }

    // `done` of `total` units are done; a lower number than before has no effect. `note` stands behind the numbers.
    void advance_to(std::int64_t done, std::string_view note = {});
    void finish();

private:
    std::string line(std::int64_t seconds, std::string_view note) const;

    const Terminal m_terminal;
    const std::string m_label;
    const std::int64_t m_total;
    ProgressDoors m_doors;
    std::mutex m_mutex;
    std::chrono::steady_clock::time_point m_start, m_last_shown;
    std::int64_t m_done = 0;
    bool m_is_shown = false, m_is_finished = false;
};

}  // namespace metamorph
