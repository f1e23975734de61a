#include "wiring_output.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace metamorph::cli {

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void print(const nlohmann::ordered_json& json) {
    // A file name need not be UTF-8.
    print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void remark(const std::string& line) {
    const std::string text = line + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
}

std::function<void(const std::string&, std::uint64_t, std::uint64_t)> Shown::door() {
    if (!m_is_wanted) {
        return {};
    }
    return [this](const std::string& what, std::uint64_t done, std::uint64_t total) {
        if (!m_bar || m_what != what) {
            m_bar.emplace(m_terminal, what, static_cast<std::int64_t>(total));
            m_what = what;
        }
        m_bar->advance_to(static_cast<std::int64_t>(done));
    };
}

}  // namespace metamorph::cli
