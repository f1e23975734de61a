// C as text: words, comments, macros and the statements of a body. What the merge of parts needs to know of the
// generator's C beside what Clang says of it (cfront/outline.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace metamorph::parts {

// The same length, with comments (and, if wanted, what stands in quotes) replaced by spaces; line feeds stay.
std::string without_comments(std::string_view text, bool and_without_strings = false);

std::set<std::string> words_of(std::string_view text);  // identifiers outside of comments and strings

// Identifiers outside of comments and strings are renamed; all else stays byte for byte.
std::string renamed(std::string_view text, const std::map<std::string, std::string>& names);

// Object-like and function-like macros of a header: name → all behind it, on one line. Conditions are not looked at.
std::map<std::string, std::string> macros_of(std::string_view header);

struct Statement {
    std::string text;  // on one line, single spaces, without comments and without ';' at the end
    unsigned line = 0;
};
// The statements of a function's text, in order; a loop or a condition is one with all that belongs to it. Lines that
// belong to an #ifdef whose macro is not in `defined` are left out; other directives are statements of their own.
std::vector<Statement> statements_of(std::string_view function, unsigned first_line,
                                     const std::map<std::string, std::string>& defined);

// The numbers of "{ 0x1, 2, … }". Errors: model, naming `where`.
Result<std::vector<std::uint32_t>> numbers_of(std::string_view list, const std::string& where);

}  // namespace metamorph::parts
