// A look at C without a parser, before there is anything that a parser could read: includes that lead nowhere would
// make it stop at once. Comments, strings and conditions are told apart only as far as this needs: an include inside
// "#if 0" that leads nowhere gets an empty file, which harms nobody.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "generate/driver/collect.h"

namespace metamorph::generate {
namespace {

namespace fs = std::filesystem;

// Of C11, and what compilers and C libraries of bare metal bring along.
const std::set<std::string_view>& headers_of_compilers() {
    static const std::set<std::string_view> names{
        "assert.h",      "complex.h",   "ctype.h",    "errno.h",     "fenv.h",         "float.h",     "inttypes.h",
        "iso646.h",      "limits.h",    "locale.h",   "math.h",      "setjmp.h",       "signal.h",    "stdalign.h",
        "stdarg.h",      "stdatomic.h", "stdbool.h",  "stddef.h",    "stdint.h",       "stdio.h",     "stdlib.h",
        "stdnoreturn.h", "string.h",    "tgmath.h",   "threads.h",   "time.h",         "uchar.h",     "wchar.h",
        "wctype.h",      "arm_acle.h",  "arm_neon.h", "arm_mve.h",   "riscv_vector.h", "sys/types.h", "unistd.h",
        "malloc.h",      "alloca.h",    "strings.h",  "sys/cdefs.h", "immintrin.h"};
    return names;
}

// The text without comments; line feeds stay.
std::string without_comments(const std::string& text) {
    std::string plain;
    plain.reserve(text.size());
    enum class In { code, line_comment, comment, string, character } in = In::code;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
        switch (in) {
            case In::code:
                if (c == '/' && (next == '/' || next == '*')) {
                    in = next == '/' ? In::line_comment : In::comment;
                    ++i;
                    break;
                }
                in = c == '"' ? In::string : c == '\'' ? In::character : In::code;
                plain += c;
                break;
            case In::line_comment:
                if (c == '\n') {
                    in = In::code;
                    plain += c;
                }
                break;
            case In::comment:
                if (c == '*' && next == '/') {
                    in = In::code;
                    ++i;
                    plain += ' ';
                } else if (c == '\n') {
                    plain += c;
                }
                break;
            case In::string:
            case In::character:
                plain += c;
                if (c == '\\' && next != '\0') {
                    plain += next;
                    ++i;
                } else if (c == '\n' || c == (in == In::string ? '"' : '\'')) {
                    in = In::code;
                }
                break;
        }
    }
    return plain;
}

struct Include {
    std::string name;
    bool quoted = false;
    int line = 0;
};

std::vector<Include> includes_of(const std::string& source) {
    const std::string text = without_comments(source);
    std::vector<Include> includes;
    int line = 1;
    for (std::size_t begin = 0; begin < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::size_t at = text.find_first_not_of(" \t", begin);
        if (at < end && text[at] == '#') {
            at = text.find_first_not_of(" \t", at + 1);
            if (at < end && text.compare(at, 7, "include") == 0) {
                at = text.find_first_not_of(" \t", at + 7);
                const char open = at < end ? text[at] : '\0';
                const std::size_t close = open == '"'   ? text.find('"', at + 1)
                                          : open == '<' ? text.find('>', at + 1)
                                                        : std::string::npos;
                if (close < end) {
                    includes.push_back({text.substr(at + 1, close - at - 1), open == '"', line});
                }
            }
        }
        begin = end + 1;
    }
    return includes;
}

bool is_found(const ForeignCode& code, const std::string& from, const Include& include) {
    if (headers_of_compilers().contains(include.name)) {
        return true;
    }
    const auto has = [&](const fs::path& folder) {
        return code.files.contains((folder / include.name).lexically_normal().generic_string());
    };
    return (include.quoted && has(fs::path(from).parent_path())) ||
           std::any_of(code.include_dirs.begin(), code.include_dirs.end(), has);
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The names at file scope before "(…) {".
void add_functions(const std::string& source, std::vector<std::string>& names) {
    const std::string text = without_comments(source);
    int depth = 0, parentheses = 0;
    std::string word, candidate;  // the last word; the one before the outermost parenthesis
    bool is_directive = false, at_line_start = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            is_directive = is_directive && i > 0 && text[i - 1] == '\\';
            at_line_start = true;
            continue;
        }
        if (at_line_start && c == '#') {
            is_directive = true;
        }
        at_line_start = at_line_start && (c == ' ' || c == '\t');
        if (is_directive) {
            continue;
        }
        if (c == '"' || c == '\'') {
            const std::size_t close = text.find(c, i + 1);  // braces and quotes in strings are rare enough
            i = close == std::string::npos ? text.size() : close;
            continue;
        }
        if (is_word(c)) {
            const bool goes_on = i > 0 && is_word(text[i - 1]);
            word = goes_on ? word + c : std::string(1, c);
        } else if (c == '(') {
            if (depth == 0 && parentheses++ == 0 && word != "__attribute__") {
                candidate = word;
            }
        } else if (c == ')') {
            parentheses -= depth == 0 && parentheses > 0 ? 1 : 0;
        } else if (c == '{') {
            if (depth++ == 0 && parentheses == 0 && !candidate.empty() &&
                !std::isdigit(static_cast<unsigned char>(candidate[0]))) {
                names.push_back(candidate);
            }
        } else if (c == '}') {
            depth -= depth > 0 ? 1 : 0;
            candidate.clear();
        } else if ((c == ';' || c == '=') && depth == 0 && parentheses == 0) {
            candidate.clear();
        }
    }
}

}  // namespace

void add_missing_headers(ForeignCode& code) {
    std::map<std::string, std::string> missing;  // name → who includes it first
    for (const auto& [path, text] : code.files) {
        for (const Include& include : includes_of(text)) {
            if (!is_found(code, path, include)) {
                missing.emplace(include.name, fmt::format("{}:{}", path, include.line));
            }
        }
    }
    for (const auto& [name, where] : missing) {
        const fs::path path = fs::path("stubs") / name;
        const fs::path inside = path.lexically_normal();
        if (fs::path(name).is_absolute() || *inside.begin() != "stubs") {
            code.notes.push_back(fmt::format("{}: '{}' is not there, and cannot be replaced", where, name));
            continue;
        }
        code.files[inside.generic_string()] = "/* Stands for a header that was not there; it says nothing. */\n";
        code.notes.push_back(
            fmt::format("{}: '{}' is not there: an empty file stands for it (--include gives it, --define its macros)",
                        where, name));
    }
    const bool has_stubs = std::any_of(code.files.begin(), code.files.end(),
                                       [](const auto& file) { return file.first.starts_with("stubs/"); });
    if (has_stubs &&
        std::find(code.include_dirs.begin(), code.include_dirs.end(), "stubs") == code.include_dirs.end()) {
        code.include_dirs.push_back("stubs");
    }
}

std::vector<std::string> defined_functions(const ForeignCode& code) {
    std::vector<std::string> names;
    for (const std::string& source : code.sources) {
        add_functions(code.files.at(source), names);
    }
    return names;
}

}  // namespace metamorph::generate
