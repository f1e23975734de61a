// C source text with indentation and loops, for the writers of the native generator. Knows no operator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace metamorph::generate::native {

// A sum of products of a loop variable and a constant; the index expressions of every layer are of this form, which
// keeps them within what static analysis decides exactly. A term without a variable (a loop of one round) is left out.
struct Term {
    std::string variable;
    std::int64_t coefficient = 1;
};
std::string affine(const std::vector<Term>& terms, std::int64_t constant = 0);

class CText {
public:
    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        put(fmt::format(format, std::forward<Args>(args)...));
    }
    // A line that ends in " {"; everything until the matching close is indented.
    template <typename... Args>
    void open(fmt::format_string<Args...> format, Args&&... args) {
        put(fmt::format(format, std::forward<Args>(args)...) + " {");
        ++m_depth;
    }
    // "target = value;", the value a call or short; broken into several lines where one is too long.
    void assign(const std::string& target, const std::string& value);
    void close();
    int depth() const { return m_depth; }
    void close_to(int depth);

    // Opens a loop of `extent` rounds and returns its variable; one round needs no loop: returns "".
    std::string loop(const std::string& variable, std::int64_t extent);
    // Opens a loop over [begin, end), given as C expressions.
    void loop_between(const std::string& variable, const std::string& begin, const std::string& end);

    const std::string& text() const { return m_text; }

private:
    void put(std::string_view line);
    std::string m_text;
    int m_depth = 1;
};

// "1.5F": a literal that reads back as exactly this float.
std::string float_literal(float value);

// The decimal literal of an int32_t; INT32_MIN has none of its own.
std::string int_literal(std::int64_t value);

}  // namespace metamorph::generate::native
