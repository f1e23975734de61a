#include "store/manifest.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/hash.h"

namespace metamorph::store {
namespace {

constexpr std::string_view k_separator = " = ";

void escape(std::string& text, unsigned char c) {
    text += fmt::format("\\x{:02x}", c);
}

// A name has no spaces and no '=', so that the first separator of a line ends it.
std::string escaped(std::string_view plain, bool is_name) {
    std::string text;
    for (const char c : plain) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F || c == '\\' || (is_name && (c == ' ' || c == '='))) {
            escape(text, byte);
        } else {
            text += c;
        }
    }
    return text;
}

int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<std::string> unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            plain += text[i];
            continue;
        }
        if (i + 3 >= text.size() || text[i + 1] != 'x' || digit_of(text[i + 2]) < 0 || digit_of(text[i + 3]) < 0) {
            return std::nullopt;
        }
        plain += static_cast<char>(digit_of(text[i + 2]) * 16 + digit_of(text[i + 3]));
        i += 3;
    }
    return plain;
}

// What `values` has more of than `others`, in its order.
std::vector<std::string> surplus(const std::vector<std::string>& values, std::vector<std::string> others) {
    std::vector<std::string> left;
    for (const std::string& value : values) {
        const auto found = std::find(others.begin(), others.end(), value);
        if (found == others.end()) {
            left.push_back(value);
        } else {
            others.erase(found);
        }
    }
    return left;
}

std::optional<std::string> shown(const std::vector<std::string>& all, const std::vector<std::string>& own,
                                 bool is_order) {
    if (all.empty()) {
        return std::nullopt;
    }
    return is_order ? "(other order)" : fmt::format("{}", fmt::join(own, " "));
}

}  // namespace

void Manifest::add(std::string field, std::string value) {
    m_fields.emplace_back(std::move(field), std::move(value));
}

std::string Manifest::value(std::string_view field) const {
    const auto found = std::find_if(m_fields.begin(), m_fields.end(), [&](const auto& f) { return f.first == field; });
    return found == m_fields.end() ? std::string() : found->second;
}

std::vector<std::string> Manifest::values(std::string_view field) const {
    std::vector<std::string> found;
    for (const auto& [name, value] : m_fields) {
        if (name == field) {
            found.push_back(value);
        }
    }
    return found;
}

std::string Manifest::text() const {
    std::string text;
    for (const auto& [name, value] : m_fields) {
        text += escaped(name, true);
        text += k_separator;
        text += escaped(value, false);
        text += '\n';
    }
    return text;
}

std::string Manifest::key() const {
    return sha256_hex(text());
}

Result<Manifest> Manifest::parse(std::string_view text, const std::filesystem::path& where) {
    Manifest manifest;
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::size_t end = text.find('\n');
        const std::string_view row = text.substr(0, end);
        const std::size_t separator = row.find(k_separator);
        const auto name = unescaped(row.substr(0, separator));
        const auto value =
            separator == std::string_view::npos ? std::nullopt : unescaped(row.substr(separator + k_separator.size()));
        if (end == std::string_view::npos || !name || !value) {
            return fail(ErrorCode::system, fmt::format("{}:{}", where.string(), line), "this is no line of a manifest");
        }
        manifest.add(*name, *value);
        text.remove_prefix(end + 1);
    }
    return manifest;
}

std::vector<Difference> differences(const Manifest& left, const Manifest& right) {
    std::vector<std::string> names;
    for (const Manifest* manifest : {&left, &right}) {
        for (const auto& [name, value] : manifest->fields()) {
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    std::vector<Difference> found;
    for (const std::string& name : names) {
        const std::vector<std::string> in_left = left.values(name), in_right = right.values(name);
        if (in_left == in_right) {
            continue;
        }
        const std::vector<std::string> more_left = surplus(in_left, in_right), more_right = surplus(in_right, in_left);
        const bool is_order = more_left.empty() && more_right.empty();
        found.push_back({name, shown(in_left, more_left, is_order), shown(in_right, more_right, is_order)});
    }
    return found;
}

std::string print(const std::vector<Difference>& differences, const std::string& indent) {
    const auto side = [](const std::optional<std::string>& value) {
        return !value || value->empty() ? std::string("(none)") : *value;
    };
    std::string text;
    for (const Difference& difference : differences) {
        text += fmt::format("{}{}: {} → {}\n", indent, difference.field, side(difference.left), side(difference.right));
    }
    return text;
}

}  // namespace metamorph::store
