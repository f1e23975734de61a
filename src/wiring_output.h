// What commands write: results on standard output, remarks and progress on standard error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <unistd.h>

#include <nlohmann/json_fwd.hpp>

#include "util/terminal.h"

namespace metamorph::cli {

void print(const std::string& text);
void print(const nlohmann::ordered_json& json);
void remark(const std::string& line);  // on standard error

// Progress: a bar where the work has a known end, else a line that a terminal overwrites.
class Shown {
public:
    explicit Shown(bool is_wanted) : m_is_wanted(is_wanted) {}
    // (what, done, total; 0: unknown); empty where it is not wanted. It must not outlive this.
    std::function<void(const std::string&, std::uint64_t, std::uint64_t)> door();
    void finish() { m_bar.reset(); }

private:
    const bool m_is_wanted;
    const Terminal m_terminal = probe_terminal(STDERR_FILENO);
    std::optional<Progress> m_bar;
    std::string m_what;
};

}  // namespace metamorph::cli
