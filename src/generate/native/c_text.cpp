// Text only; nothing here is clever. Lines are not wrapped: writers keep them short.
#include "generate/native/c_text.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace metamorph::generate::native {

std::string affine(const std::vector<Term>& terms, std::int64_t constant) {
    std::string text;
    const auto add = [&](bool negative, const std::string& piece) {
        text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
        text += piece;
    };
    const auto is_left_out = [](const Term& term) { return term.variable.empty() || term.coefficient == 0; };
    const auto first = std::find_if_not(terms.begin(), terms.end(), is_left_out);
    const bool constant_first =
        first == terms.end() || (first->coefficient < 0 && constant > 0);  // "3 - x", not "-x + 3"
    if (constant_first) {
        add(constant < 0, fmt::format("{}", constant < 0 ? -constant : constant));
    }
    for (const Term& term : terms) {
        if (!is_left_out(term)) {
            const std::int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
            add(term.coefficient < 0, size == 1 ? term.variable : fmt::format("{} * {}", term.variable, size));
        }
    }
    if (!constant_first && constant != 0) {
        add(constant < 0, fmt::format("{}", constant < 0 ? -constant : constant));
    }
    return text;
}

void CText::put(std::string_view line) {
    m_text.append(static_cast<std::size_t>(m_depth) * 4, ' ');
    m_text.append(line);
    m_text += '\n';
}

void CText::assign(const std::string& target, const std::string& value) {
    constexpr std::size_t k_columns = 120;
    const std::size_t indent = static_cast<std::size_t>(m_depth) * 4;
    if (indent + target.size() + value.size() + 4 <= k_columns) {
        put(target + " = " + value + ";");
        return;
    }
    put(target + " =");
    const std::size_t open = value.find('(') + 1;
    std::string row = "    ";
    std::size_t begin = 0;
    while (begin < value.size()) {  // break after commas, aligned behind the call's parenthesis
        const std::size_t comma = value.find(", ", begin);
        const std::size_t end = comma == std::string::npos ? value.size() : comma + 2;
        const std::string piece = value.substr(begin, end - begin);
        if (begin > 0 && indent + row.size() + piece.size() > k_columns) {
            row.pop_back();
            put(row);
            row = std::string(open + 4, ' ');
        }
        row += piece;
        begin = end;
    }
    put(row + ";");
}

void CText::close() {
    assert(m_depth > 1);
    --m_depth;
    put("}");
}

void CText::close_to(int depth) {
    while (m_depth > depth) {
        close();
    }
}

std::string CText::loop(const std::string& variable, std::int64_t extent) {
    if (extent == 1) {
        return "";
    }
    loop_between(variable, "0", fmt::format("{}", extent));
    return variable;
}

void CText::loop_between(const std::string& variable, const std::string& begin, const std::string& end) {
    open("for (int32_t {0} = {1}; {0} < {2}; ++{0})", variable, begin, end);
}

std::string float_literal(float value) {
    std::string text = fmt::format("{:.9g}", value);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text + "F";
}

std::string int_literal(std::int64_t value) {
    if (value == std::numeric_limits<std::int32_t>::min()) {
        return "INT32_MIN";
    }
    return fmt::format("{}", value);
}

}  // namespace metamorph::generate::native
