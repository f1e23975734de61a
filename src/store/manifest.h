// What a stored object was made from, as a list of fields whose text is the object's name: the key is the hash of the
// text. The text is readable, is kept beside the object, and is what explanations compare. Two manifests are the same
// exactly if their texts are.
//
// A field may stand several times; the order counts (flags are such). A line is a field: "NAME = VALUE".
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/result.h"

namespace metamorph::store {

class Manifest {
public:
    // Any bytes are fine: those that would break the form of a line are escaped in the text.
    void add(std::string field, std::string value);

    const std::vector<std::pair<std::string, std::string>>& fields() const { return m_fields; }
    // Of the first such field; "" where there is none.
    std::string value(std::string_view field) const;
    std::vector<std::string> values(std::string_view field) const;

    std::string text() const;
    std::string key() const;  // 64 hexadecimal digits

    // The inverse of text(). Errors: system (not a manifest), naming `where` and the line.
    static Result<Manifest> parse(std::string_view text, const std::filesystem::path& where);

    friend bool operator==(const Manifest&, const Manifest&) = default;

private:
    std::vector<std::pair<std::string, std::string>> m_fields;
};

// A field in which two manifests differ. Of a field that stands several times only the values that the other has not,
// joined by spaces; "(other order)" on both sides where only the order differs.
struct Difference {
    std::string field;
    std::optional<std::string> left, right;  // nothing: the field is not there
    friend bool operator==(const Difference&, const Difference&) = default;
};

// In the order of the left one's fields, then of those that only the right one has.
std::vector<Difference> differences(const Manifest& left, const Manifest& right);

// "flag: -O2 → -O3", one line each; absent values read "(none)".
std::string print(const std::vector<Difference>& differences, const std::string& indent);

}  // namespace metamorph::store
