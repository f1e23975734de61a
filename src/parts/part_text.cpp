#include "parts/part_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "util/text.h"

namespace metamorph::parts {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Calls `found` with [begin, end) of each identifier.
template <typename Found>
void each_word(const std::string& code, Found found) {
    for (std::size_t i = 0; i < code.size();) {
        std::size_t end = i;
        while (end < code.size() && is_word(code[end])) {
            ++end;
        }
        if (end > i && !is_digit(code[i])) {
            found(i, end);
        }
        i = std::max(end, i + 1);
    }
}

std::string on_one_line(std::string_view text) {
    std::string line;
    for (char c : text) {
        const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!is_space) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    while (!line.empty() && line.back() == ' ') {
        line.pop_back();
    }
    return line;
}

// Blanks the lines of conditions that do not hold, and the directives of those that are understood.
std::string without_conditions(std::string code, const std::map<std::string, std::string>& defined) {
    std::vector<bool> holds;
    std::string result;
    for (std::size_t at = 0; at < code.size();) {
        const std::size_t end = std::min(code.find('\n', at), code.size());
        const std::string line = on_one_line(std::string_view(code).substr(at, end - at));
        bool is_directive = true;
        if (line.starts_with("#ifdef ")) {
            holds.push_back(defined.contains(line.substr(7)));
        } else if (line.starts_with("#ifndef ")) {
            holds.push_back(!defined.contains(line.substr(8)));
        } else if (line == "#else" && !holds.empty()) {
            holds.back() = !holds.back();
        } else if (line.starts_with("#endif") && !holds.empty()) {
            holds.pop_back();
        } else {
            is_directive = false;
        }
        const bool is_kept = !is_directive && std::all_of(holds.begin(), holds.end(), [](bool it) { return it; });
        result += is_kept ? code.substr(at, end - at) : std::string(end - at, ' ');
        result += end < code.size() ? "\n" : "";
        at = end + 1;
    }
    return result;
}

// Behind the bracket that closes the one at `open`; the end where none does.
std::size_t behind_bracket(const std::string& code, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < code.size(); ++i) {
        depth += code[i] == '(' || code[i] == '{' ? 1 : code[i] == ')' || code[i] == '}' ? -1 : 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return code.size();
}

std::size_t behind_spaces(const std::string& code, std::size_t at) {
    while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])) != 0) {
        ++at;
    }
    return at;
}

bool begins_with_word(const std::string& code, std::size_t at, std::string_view word) {
    return code.compare(at, word.size(), word) == 0 &&
           (at + word.size() == code.size() || !is_word(code[at + word.size()]));
}

// Behind the statement that begins at `at`, which is no space.
std::size_t behind_statement(const std::string& code, std::size_t at) {
    if (code[at] == '{') {
        return behind_bracket(code, at);
    }
    if (code[at] == '#') {
        return std::min(code.find('\n', at), code.size());
    }
    for (const std::string_view word : {"while", "for", "if"}) {
        if (begins_with_word(code, at, word)) {
            const std::size_t open = std::min(code.find('(', at), code.size());
            std::size_t end = behind_spaces(code, behind_bracket(code, open));
            end = end < code.size() ? behind_statement(code, end) : end;
            const std::size_t next = behind_spaces(code, end);
            if (word == "if" && next < code.size() && begins_with_word(code, next, "else")) {
                const std::size_t rest = behind_spaces(code, next + 4);
                return rest < code.size() ? behind_statement(code, rest) : rest;
            }
            return end;
        }
    }
    std::size_t i = at;
    while (i < code.size() && code[i] != ';') {
        i = code[i] == '(' || code[i] == '{' ? behind_bracket(code, i) : i + 1;
    }
    return std::min(i + 1, code.size());
}

}  // namespace

std::string without_comments(std::string_view text, bool and_without_strings) {
    std::string code(text);
    const auto blank = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && i < code.size(); ++i) {
            code[i] = code[i] == '\n' ? '\n' : ' ';
        }
    };
    for (std::size_t i = 0; i < text.size();) {
        if (text.compare(i, 2, "//") == 0) {
            const std::size_t end = std::min(text.find('\n', i), text.size());
            blank(i, end);
            i = end;
        } else if (text.compare(i, 2, "/*") == 0) {
            const std::size_t close = text.find("*/", i + 2);
            const std::size_t end = close == std::string_view::npos ? text.size() : close + 2;
            blank(i, end);
            i = end;
        } else if (text[i] == '"' || text[i] == '\'') {
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != text[i] && text[end] != '\n') {
                end += text[end] == '\\' ? 2 : 1;
            }
            if (and_without_strings) {
                blank(i + 1, end);
            }
            i = end + 1;
        } else {
            ++i;
        }
    }
    return code;
}

std::set<std::string> words_of(std::string_view text) {
    const std::string code = without_comments(text, true);
    std::set<std::string> words;
    each_word(code, [&](std::size_t begin, std::size_t end) { words.insert(code.substr(begin, end - begin)); });
    return words;
}

std::string renamed(std::string_view text, const std::map<std::string, std::string>& names) {
    const std::string code = without_comments(text, true);
    std::string result;
    std::size_t done = 0;
    each_word(code, [&](std::size_t begin, std::size_t end) {
        const auto found = names.find(code.substr(begin, end - begin));
        if (found != names.end()) {
            result += text.substr(done, begin - done);
            result += found->second;
            done = end;
        }
    });
    result += text.substr(done);
    return result;
}

std::map<std::string, std::string> macros_of(std::string_view header) {
    std::map<std::string, std::string> macros;
    const std::string code = without_comments(header);
    for (std::size_t at = 0; at < code.size();) {
        std::size_t end = at;
        do {  // a backslash at the end joins lines
            end = std::min(code.find('\n', end), code.size());
        } while (end < code.size() && end > at && code[end - 1] == '\\' && ++end > 0);
        std::string line = code.substr(at, end - at);
        std::replace(line.begin(), line.end(), '\\', ' ');
        line = on_one_line(line);
        constexpr std::string_view k_define = "#define ";
        if (line.starts_with(k_define)) {
            std::size_t name = k_define.size();
            while (name < line.size() && is_word(line[name])) {
                ++name;
            }
            const std::size_t body = std::min(line.find_first_not_of(' ', name), line.size());
            macros[line.substr(k_define.size(), name - k_define.size())] = line.substr(body);
        }
        at = end + 1;
    }
    return macros;
}

std::vector<Statement> statements_of(std::string_view function, unsigned first_line,
                                     const std::map<std::string, std::string>& defined) {
    const std::string code = without_conditions(without_comments(function), defined);
    std::vector<Statement> statements;
    const std::size_t open = code.find('{'), close = code.rfind('}');
    if (open == std::string::npos || close == std::string::npos) {
        return statements;
    }
    const std::string body = code.substr(0, close);
    for (std::size_t at = behind_spaces(body, open + 1); at < body.size();) {
        const std::size_t end = behind_statement(body, at);
        std::string text = on_one_line(std::string_view(body).substr(at, end - at));
        if (text.ends_with(';')) {
            text.pop_back();
        }
        const auto lines = std::count(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        if (!text.empty()) {
            statements.push_back({std::move(text), first_line + static_cast<unsigned>(lines)});
        }
        at = behind_spaces(body, end);
    }
    return statements;
}

Result<std::vector<std::uint32_t>> numbers_of(std::string_view list, const std::string& where) {
    std::vector<std::uint32_t> numbers;
    const std::string code = on_one_line(without_comments(list));
    if (!code.starts_with('{') || !code.ends_with('}')) {
        return fail(ErrorCode::model, where, "'{}' is no list of numbers", printable(code, 40));
    }
    std::string_view rest = std::string_view(code).substr(1, code.size() - 2);
    while (!rest.empty()) {
        std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(item.size() + 1, rest.size()));
        item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
        while (item.ends_with(' ')) {
            item.remove_suffix(1);
        }
        if (item.empty()) {
            continue;
        }
        const bool is_hex = item.starts_with("0x") || item.starts_with("0X");
        const std::string_view digits = is_hex ? item.substr(2) : item;
        std::uint32_t number = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), number, is_hex ? 16 : 10);
        if (error != std::errc() || end != digits.data() + digits.size()) {
            return fail(ErrorCode::model, where, "'{}' is no number of 32 bits", printable(item, 40));
        }
        numbers.push_back(number);
    }
    return numbers;
}

}  // namespace metamorph::parts
