#include "app/toml_reader.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::app {
namespace {

constexpr std::string_view k_table = "a table", k_tables = "an array of tables";

std::string type_of(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return "an array";
        case toml::node_type::string:
            return "a text";
        case toml::node_type::integer:
            return "an integer";
        case toml::node_type::floating_point:
            return "a number with a fraction";
        case toml::node_type::boolean:
            return "true or false";
        default:
            return "a date or time";
    }
}

// As TOML writes it: "memory.source" of "memory[1].source".
std::string header_of(const std::string& name) {
    const std::size_t index = name.find('[');
    return index == std::string::npos ? name : name.substr(0, index) + name.substr(name.find(']') + 1);
}

}  // namespace

std::string TomlReader::name_of(std::string_view key) const {
    return m_path.empty() ? std::string(key) : fmt::format("{}.{}", m_path, key);
}

bool TomlReader::is_table(std::string_view key) const {
    const toml::node* node = m_table->get(key);
    return node != nullptr && node->is_table();
}

std::vector<std::string> TomlReader::keys() const {
    std::vector<std::string> names;
    for (const auto& [key, value] : *m_table) {
        names.emplace_back(key.str());
    }
    return names;
}

tl::unexpected<Error> TomlReader::refuse(std::string_view key, std::string message, std::string hint) const {
    toml::source_position at = m_table->source().begin;
    for (const auto& [name, value] : *m_table) {
        if (name.str() == key) {
            at = name.source().begin;
        }
    }
    return fail_with_hint(ErrorCode::options, fmt::format("{}:{}:{}", m_file, at.line, at.column), std::move(message),
                          std::move(hint));
}

Status TomlReader::only(const std::vector<std::string>& keys) const {
    for (const auto& [key, value] : *m_table) {
        const std::string name(key.str());
        if (std::find(keys.begin(), keys.end(), name) == keys.end()) {
            const std::string nearest = did_you_mean(name, keys);
            return refuse(name, fmt::format("there is no key '{}' here", printable(name_of(name))),
                          nearest.empty() ? fmt::format("the keys are {}", fmt::join(keys, ", ")) : nearest);
        }
    }
    return {};
}

Result<const toml::node*> TomlReader::need(std::string_view key, std::string_view what) const {
    const toml::node* node = m_table->get(key);
    if (node == nullptr) {
        const std::string line = what == k_table    ? fmt::format("a table [{}]", header_of(name_of(key)))
                                 : what == k_tables ? fmt::format("a table [[{}]]", header_of(name_of(key)))
                                                    : fmt::format("'{} = …', {}", key, what);
        return refuse("", fmt::format("'{}' is missing", name_of(key)),
                      fmt::format("add {}; {} tells what it means", line, m_guide));
    }
    return node;
}

tl::unexpected<Error> TomlReader::wrong_type(std::string_view key, std::string_view wanted) const {
    return refuse(key, fmt::format("'{}' is {}", name_of(key), type_of(*m_table->get(key))),
                  fmt::format("it must be {}", wanted));
}

Result<std::string> TomlReader::text(std::string_view key) const {
    MM_TRY(const toml::node* node, need(key, "a text"));
    const auto value = node->value_exact<std::string>();
    if (!value || value->empty()) {
        return value ? refuse(key, fmt::format("'{}' is empty", name_of(key)), "write something")
                     : wrong_type(key, "a text in quotes");
    }
    return *value;
}

Result<std::uint64_t> TomlReader::integer(std::string_view key, std::uint64_t min, std::uint64_t max) const {
    MM_TRY(const toml::node* node, need(key, "an integer"));
    const auto value = node->value_exact<std::int64_t>();
    if (!value) {
        return wrong_type(key, "an integer");
    }
    if (*value < 0 || static_cast<std::uint64_t>(*value) < min || static_cast<std::uint64_t>(*value) > max) {
        return refuse(key, fmt::format("'{}' is {}", name_of(key), *value),
                      fmt::format("it must be from {} to {}", min, max));
    }
    return static_cast<std::uint64_t>(*value);
}

Result<double> TomlReader::number(std::string_view key) const {
    MM_TRY(const toml::node* node, need(key, "a number"));
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value) {
        return wrong_type(key, "a number");
    }
    if (!std::isfinite(*value) || *value < 0.0) {
        return refuse(key, fmt::format("'{}' is {}", name_of(key), *value), "it must be finite and not negative");
    }
    return *value;
}

Result<std::size_t> TomlReader::choice(std::string_view key, const std::vector<std::string>& choices) const {
    MM_TRY(const std::string value, text(key));
    const auto found = std::find(choices.begin(), choices.end(), value);
    if (found == choices.end()) {
        const std::string nearest = did_you_mean(value, choices);
        return refuse(key, fmt::format("'{}' is '{}'", name_of(key), printable(value)),
                      nearest.empty() ? fmt::format("it must be one of {}", fmt::join(choices, ", ")) : nearest);
    }
    return static_cast<std::size_t>(found - choices.begin());
}

Result<bool> TomlReader::flag(std::string_view key) const {
    MM_TRY(const toml::node* node, need(key, "true or false"));
    const auto value = node->value_exact<bool>();
    return value ? Result<bool>(*value) : wrong_type(key, "true or false");
}

Result<std::vector<std::string>> TomlReader::texts(std::string_view key) const {
    MM_TRY(const toml::node* node, need(key, "an array of texts"));
    const toml::array* array = node->as_array();
    std::vector<std::string> values;
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
        const auto value = array->get(i)->value_exact<std::string>();
        if (!value) {
            return wrong_type(key, "an array of texts only");
        }
        values.push_back(*value);
    }
    return array != nullptr ? Result<std::vector<std::string>>(values) : wrong_type(key, "an array of texts");
}

Result<std::vector<std::uint64_t>> TomlReader::integers(std::string_view key, std::uint64_t max) const {
    MM_TRY(const toml::node* node, need(key, "an array of integers"));
    const toml::array* array = node->as_array();
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
        const auto value = array->get(i)->value_exact<std::int64_t>();
        if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > max) {
            return refuse(key, fmt::format("'{}' holds something that is no integer from 0 to {}", name_of(key), max),
                          "write them as in [0x04, 0x7F]");
        }
        values.push_back(static_cast<std::uint64_t>(*value));
    }
    return array != nullptr ? Result<std::vector<std::uint64_t>>(values) : wrong_type(key, "an array of integers");
}

Result<TomlReader> TomlReader::table(std::string_view key) const {
    MM_TRY(const toml::node* node, need(key, k_table));
    const toml::table* table = node->as_table();
    return table != nullptr ? Result<TomlReader>(TomlReader(*table, m_file, name_of(key), m_guide))
                            : wrong_type(key, "a table");
}

Result<std::vector<TomlReader>> TomlReader::tables(std::string_view key) const {
    MM_TRY(const toml::node* node, need(key, k_tables));
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
        return refuse(key, fmt::format("'{}' is no array of tables", name_of(key)),
                      fmt::format("begin each with [[{}]]", key));
    }
    std::vector<TomlReader> readers;
    for (std::size_t i = 0; i < array->size(); ++i) {
        readers.emplace_back(*array->get(i)->as_table(), m_file, fmt::format("{}[{}]", name_of(key), i), m_guide);
    }
    return readers;
}

}  // namespace metamorph::app
