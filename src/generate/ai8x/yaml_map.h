// A YAML map, read strictly: known keys, once each, of the right kind; every error says where. Only this file and its
// users see yaml-cpp, whose exceptions end there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "util/result.h"

namespace metamorph::generate::ai8x {

class YamlMap {
public:
    // Errors: model (not a map, a key that is not in `keys`, one that is there twice). `what`: "the document", "layer
    // 3".
    static Result<YamlMap> make(const YAML::Node& node, const std::string& file, const std::string& what,
                                const std::vector<std::string>& keys);

    bool has(std::string_view key) const { return find(key) != nullptr; }
    const YAML::Node* find(std::string_view key) const;
    std::vector<std::string> among(const std::vector<std::string>& keys) const;  // those that are there

    Result<std::string> text(std::string_view key) const;  // a scalar that is not empty
    Result<std::string> word(std::string_view key) const;  // likewise, in lower case
    Result<bool> boolean(std::string_view key) const;      // true, yes, on, 1 and their opposites
    Result<std::int64_t> integer(std::string_view key, std::int64_t min, std::int64_t max) const;
    Result<std::uint64_t> processors(std::string_view key) const;  // a mask, not 0; "0x0000.ffff" too
    // "3x3", 3, [3, 3]: rows, then columns.
    Result<std::pair<std::int64_t, std::int64_t>> pair(std::string_view key, std::int64_t min, std::int64_t max) const;

    tl::unexpected<Error> refuse(std::string_view key, std::string message, std::string hint) const;
    int line() const { return m_line; }
    int column() const { return m_column; }
    const std::string& file() const { return m_file; }

private:
    std::vector<std::pair<std::string, YAML::Node>> m_entries;
    std::string m_file, m_what;
    int m_line = 1, m_column = 1;
};

// "net.yaml:12:5" of a place in a file that yaml-cpp counts from 0.
std::string yaml_place(const std::string& file, const YAML::Mark& mark);

// A whole number as YAML writes it: decimal, 0x…, with underscores. Nothing: it is none.
std::optional<std::int64_t> yaml_integer(std::string text);

}  // namespace metamorph::generate::ai8x
