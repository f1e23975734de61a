// A TOML table, read strictly: every key must be known, present and of the right type, and every error says where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Debian's compiled library throws; the headers alone need not.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "util/result.h"

namespace metamorph::app {

class TomlReader {
public:
    // `path` names the table in errors: "memory[2]"; empty: the document. `guide` is the page that tells about its
    // keys.
    TomlReader(const toml::table& table, std::string file, std::string path, std::string guide)
        : m_table(&table), m_file(std::move(file)), m_path(std::move(path)), m_guide(std::move(guide)) {}

    // First of all: whether there is no other key. The error suggests the nearest.
    Status only(const std::vector<std::string>& keys) const;

    bool has(std::string_view key) const { return m_table->contains(key); }
    bool is_table(std::string_view key) const;
    Result<std::string> text(std::string_view key) const;  // not empty
    Result<std::uint64_t> integer(std::string_view key, std::uint64_t min, std::uint64_t max) const;
    Result<double> number(std::string_view key) const;  // an integer will do; finite, not negative
    Result<std::size_t> choice(std::string_view key, const std::vector<std::string>& choices) const;  // its index
    Result<bool> flag(std::string_view key) const;
    Result<std::vector<std::string>> texts(std::string_view key) const;
    Result<std::vector<std::uint64_t>> integers(std::string_view key, std::uint64_t max) const;
    Result<TomlReader> table(std::string_view key) const;
    Result<std::vector<TomlReader>> tables(std::string_view key) const;  // [[key]]; at least one
    std::vector<std::string> keys() const;

    // An error at this key ("file:line:column"), or at the table where there is no such key.
    tl::unexpected<Error> refuse(std::string_view key, std::string message, std::string hint) const;

    const std::string& path() const { return m_path; }
    std::string name_of(std::string_view key) const;  // "memory[2].bytes"

private:
    Result<const toml::node*> need(std::string_view key, std::string_view what) const;
    tl::unexpected<Error> wrong_type(std::string_view key, std::string_view wanted) const;

    const toml::table* m_table;  // not owned
    std::string m_file, m_path, m_guide;
};

}  // namespace metamorph::app
