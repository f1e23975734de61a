// Edit distance is the restricted Damerau-Levenshtein distance by dynamic programming over three rows, because swapped
// neighbours are the commonest slip of a typist and should cost one.
#include "util/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace metamorph {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string lower_case(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return result;
}

constexpr auto k_keywords = std::to_array<std::string_view>(
    {"alignas",     "alignof",  "and",       "asm",       "auto",     "bool",         "break",
     "case",        "catch",    "char",      "class",     "const",    "constexpr",    "const_cast",
     "continue",    "decltype", "default",   "delete",    "do",       "double",       "dynamic_cast",
     "else",        "enum",     "explicit",  "export",    "extern",   "false",        "float",
     "for",         "friend",   "goto",      "if",        "inline",   "int",          "long",
     "main",        "mutable",  "namespace", "new",       "noexcept", "not",          "nullptr",
     "operator",    "or",       "private",   "protected", "public",   "register",     "reinterpret_cast",
     "restrict",    "return",   "short",     "signed",    "sizeof",   "static",       "static_assert",
     "static_cast", "struct",   "switch",    "template",  "this",     "thread_local", "throw",
     "true",        "try",      "typedef",   "typeid",    "typename", "typeof",       "union",
     "unsigned",    "using",    "virtual",   "void",      "volatile", "wchar_t",      "while",
     "xor"});

// Characters that nobody sees, or that turn the text around them: a name with one is not what it looks like.
bool is_hidden(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFB);
}

// How many bytes the first character has, in UTF-8 as RFC 3629 defines it; 0: it is none, or cannot be seen.
std::size_t seen_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t bytes = byte(0) < 0x80   ? 1
                              : byte(0) < 0xC2 ? 0
                              : byte(0) < 0xE0 ? 2
                              : byte(0) < 0xF0 ? 3
                              : byte(0) < 0xF5 ? 4
                                               : 0;
    if (bytes == 0 || bytes > text.size()) {
        return 0;
    }
    std::uint32_t c = bytes == 1 ? byte(0) : byte(0) & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return 0;
        }
        c = c << 6U | (byte(i) & 0x3FU);
    }
    const bool is_longer_than_needed = (bytes == 3 && c < 0x800) || (bytes == 4 && c < 0x10000);
    const bool is_no_character = (c >= 0xD800 && c < 0xE000) || c > 0x10FFFF;
    return is_longer_than_needed || is_no_character || is_hidden(c) ? 0 : bytes;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(above);
        above.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
    constexpr std::size_t k_suggestions_max = 3;
    constexpr std::size_t k_length_max = 200;  // the distance costs the product of the lengths
    if (name.size() > k_length_max) {
        return {};
    }
    std::vector<std::pair<std::size_t, std::size_t>> near;  // distance, index
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const std::string& candidate = candidates[i];
        if (candidate.size() > k_length_max) {
            continue;
        }
        const std::size_t distance = edit_distance(lower_case(name), lower_case(candidate));
        if (distance <= std::max<std::size_t>(1, std::max(name.size(), candidate.size()) / 3)) {
            near.emplace_back(distance, i);
        }
    }
    std::sort(near.begin(), near.end());
    std::vector<std::string> result;
    for (std::size_t i = 0; i < std::min(near.size(), k_suggestions_max); ++i) {
        result.push_back(candidates[near[i].second]);
    }
    return result;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
    const std::vector<std::string> near = nearest(name, candidates);
    std::string text;
    for (std::size_t i = 0; i < near.size(); ++i) {
        text += i == 0 ? "did you mean '" : i + 1 == near.size() ? " or '" : ", '";
        text += printable(near[i]) + "'";
    }
    return text.empty() ? text : text + "?";
}

std::string c_identifier(std::string_view name, std::string_view fallback) {
    std::string result;
    for (const char c : name) {
        if (is_letter(c) || is_digit(c)) {
            result += c;
        } else if (!result.empty() && result.back() != '_') {
            result += '_';
        }
    }
    if (!result.empty() && result.back() == '_') {
        result.pop_back();
    }
    if (result.empty()) {
        return std::string(fallback);
    }
    if (is_digit(result.front())) {
        result.insert(0, "n");
    }
    if (std::find(k_keywords.begin(), k_keywords.end(), result) != k_keywords.end()) {
        result += '_';
    }
    return result;
}

std::string printable(std::string_view text, std::size_t length_max) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = seen_character(text.substr(at));
        if (result.size() + std::max<std::size_t>(bytes, 1) > length_max) {
            return result + "...";
        }
        result += bytes == 0 ? "?" : text.substr(at, bytes);
        at += std::max<std::size_t>(bytes, 1);
    }
    return result;
}

std::string quoted(const std::vector<std::string>& argv) {
    std::string line;
    for (const std::string& word : argv) {
        const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
            return std::isalnum(c) != 0 ||
                   std::string_view("_-./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
        });
        std::string inside = word;
        for (std::size_t at = inside.find('\''); at != std::string::npos; at = inside.find('\'', at + 4)) {
            inside.replace(at, 1, "'\\''");
        }
        line += (line.empty() ? "" : " ") + (is_plain ? word : "'" + inside + "'");
    }
    return line;
}

}  // namespace metamorph
