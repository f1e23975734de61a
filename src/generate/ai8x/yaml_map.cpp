#include "generate/ai8x/yaml_map.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::generate::ai8x {
namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::optional<std::uint64_t> unsigned_of(const std::string& digits, int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
        return {};
    }
    return value;
}

void remove_all(std::string& text, char c) {
    text.erase(std::remove(text.begin(), text.end(), c), text.end());
}

}  // namespace

std::string yaml_place(const std::string& file, const YAML::Mark& mark) {
    return mark.is_null() ? file : fmt::format("{}:{}:{}", file, mark.line + 1, mark.column + 1);
}

std::optional<std::int64_t> yaml_integer(std::string text) {
    remove_all(text, '_');
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) {
        text.erase(0, 1);
    }
    const std::string small = lower(text);
    const auto value = small.starts_with("0x") ? unsigned_of(small.substr(2), 16) : unsigned_of(small, 10);
    if (!value || *value > static_cast<std::uint64_t>(INT64_MAX)) {
        return {};
    }
    return is_negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
}

Result<YamlMap> YamlMap::make(const YAML::Node& node, const std::string& file, const std::string& what,
                              const std::vector<std::string>& keys) {
    YamlMap map;
    map.m_file = file;
    map.m_what = what;
    if (!node.IsMap()) {
        return fail_with_hint(ErrorCode::model, yaml_place(file, node.Mark()),
                              fmt::format("{} is not a map of keys and values", what),
                              "write 'key: value' lines, as in docs/frameworks/ai8x.md");
    }
    map.m_line = node.Mark().line + 1;
    map.m_column = node.Mark().column + 1;
    for (const auto& entry : node) {
        const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
        const std::string place = yaml_place(file, entry.first.Mark());
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
            const std::string near = did_you_mean(key, keys);
            return fail_with_hint(ErrorCode::model, place, fmt::format("{} has no key '{}'", what, printable(key)),
                                  near.empty() ? fmt::format("the keys are {}", fmt::join(keys, ", ")) : near);
        }
        if (map.has(key)) {
            return fail_with_hint(ErrorCode::model, place, fmt::format("'{}' is here a second time", key),
                                  "keep one of them");
        }
        map.m_entries.emplace_back(key, entry.second);
    }
    return map;
}

const YAML::Node* YamlMap::find(std::string_view key) const {
    for (const auto& [name, node] : m_entries) {
        if (name == key) {
            return &node;
        }
    }
    return nullptr;
}

std::vector<std::string> YamlMap::among(const std::vector<std::string>& keys) const {
    std::vector<std::string> found;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(found), [&](const std::string& key) { return has(key); });
    return found;
}

tl::unexpected<Error> YamlMap::refuse(std::string_view key, std::string message, std::string hint) const {
    const YAML::Node* node = find(key);
    return fail_with_hint(
        ErrorCode::model,
        node == nullptr ? fmt::format("{}:{}:{}", m_file, m_line, m_column) : yaml_place(m_file, node->Mark()),
        std::move(message), std::move(hint));
}

Result<std::string> YamlMap::text(std::string_view key) const {
    const YAML::Node* node = find(key);
    if (node == nullptr) {
        return refuse(key, fmt::format("{} has no '{}'", m_what, key), fmt::format("add '{}: …'", key));
    }
    if (!node->IsScalar() || node->Scalar().empty()) {
        return refuse(key, fmt::format("'{}' of {} is not a word", key, m_what), fmt::format("write '{}: word'", key));
    }
    return node->Scalar();
}

Result<std::string> YamlMap::word(std::string_view key) const {
    MM_TRY(std::string value, text(key));
    return lower(std::move(value));
}

Result<bool> YamlMap::boolean(std::string_view key) const {
    MM_TRY(const std::string value, word(key));
    if (value == "true" || value == "yes" || value == "on" || value == "1") {
        return true;
    }
    if (value == "false" || value == "no" || value == "off" || value == "0") {
        return false;
    }
    return refuse(key, fmt::format("'{}' of {} is neither true nor false: '{}'", key, m_what, printable(value)),
                  fmt::format("write '{}: true' or '{}: false'", key, key));
}

Result<std::int64_t> YamlMap::integer(std::string_view key, std::int64_t min, std::int64_t max) const {
    MM_TRY(const std::string value, text(key));
    const auto number = yaml_integer(value);
    if (!number || *number < min || *number > max) {
        return refuse(key,
                      fmt::format("'{}' of {} is {}: it must be a whole number from {} to {}", key, m_what,
                                  printable(value), min, max),
                      fmt::format("write '{}: {}', for example", key, min));
    }
    return *number;
}

Result<std::uint64_t> YamlMap::processors(std::string_view key) const {
    MM_TRY(std::string value, word(key));
    const std::string as_written = value;
    remove_all(value, '_');
    remove_all(value, '.');
    const auto mask = value.starts_with("0x") ? unsigned_of(value.substr(2), 16) : unsigned_of(value, 10);
    if (!mask || *mask == 0) {
        return refuse(key,
                      fmt::format("'{}' of {} is {}: it must be a mask of processors, a bit each, not 0", key, m_what,
                                  printable(as_written)),
                      "write it as in 'processors: 0x000000000000ffff'");
    }
    return *mask;
}

Result<std::pair<std::int64_t, std::int64_t>> YamlMap::pair(std::string_view key, std::int64_t min,
                                                            std::int64_t max) const {
    const YAML::Node* node = find(key);
    std::vector<std::string> parts;
    if (node != nullptr && node->IsSequence()) {
        for (const YAML::Node& part : *node) {
            parts.push_back(part.IsScalar() ? part.Scalar() : "");
        }
    } else {
        MM_TRY(const std::string value, word(key));
        const std::size_t by = value.find('x');
        if (by == std::string::npos) {
            parts = {value, value};
        } else {
            parts = {value.substr(0, by), value.substr(by + 1)};
        }
    }
    if (parts.size() == 1) {
        parts.push_back(parts.front());
    }
    std::vector<std::int64_t> numbers;
    for (const std::string& part : parts) {
        if (const auto number = yaml_integer(part); number && *number >= min && *number <= max) {
            numbers.push_back(*number);
        }
    }
    if (numbers.size() != 2 || parts.size() != 2) {
        return refuse(key, fmt::format("'{}' of {} is not two whole numbers from {} to {}", key, m_what, min, max),
                      fmt::format("write '{}: {}' or '{}: [{}, {}]'", key, std::max<std::int64_t>(min, 1), key,
                                  std::max<std::int64_t>(min, 1), std::max<std::int64_t>(min, 1)));
    }
    return std::pair{numbers[0], numbers[1]};
}

}  // namespace metamorph::generate::ai8x
