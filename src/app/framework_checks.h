// What is checked of a framework description beyond types: each with an error at its key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/framework.h"
#include "app/toml_reader.h"

namespace metamorph::app {

// Placeholders that a text may hold.
using Allowed = std::vector<std::string>;
extern const Allowed k_in_names, k_in_flags, k_in_prepare, k_in_command, k_in_command_after_prepare;

Status check_framework_name(const TomlReader& table, const std::string& name);  // of key "name"
Status check_packages(const TomlReader& table, const std::vector<std::string>& packages);
Status check_versions(const TomlReader& table, const Framework& framework);
Status check_formats(const TomlReader& table, const Framework& framework);
Status check_option(const TomlReader& table, const FrameworkOption& option, const Framework& earlier);
Status check_excludes(const std::vector<TomlReader>& tables, const Framework& framework);

// "{name}" in each text must be one of `allowed`; "{{" and "}}" are braces.
Status check_placeholders(const TomlReader& table, std::string_view key, const std::vector<std::string>& texts,
                          const Allowed& allowed);
Status check_command(const TomlReader& table, const std::vector<std::string>& arguments, const Allowed& allowed);
// The tables [source] (read before the options, whose names are then checked) and [opaque] (after output.sources); both
// may be missing.
Status read_source_table(const TomlReader& root, Framework& framework);
Status check_source_option(const TomlReader& root, const Framework& framework);
Status read_opaque_table(const TomlReader& root, Framework& framework);

// Relative paths that stay below their folder.
Status check_relative(const TomlReader& table, std::string_view key, const std::vector<std::string>& paths);

}  // namespace metamorph::app
