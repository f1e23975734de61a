// The names that a project file, or the command line, may give as values of an axis, and what they mean.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/toml_reader.h"
#include "project/project.h"
#include "util/result.h"

namespace metamorph::project {

// What is part of a run's name, which is a folder's: letters, digits, '-', '_', '+' and '.', at most 60, no '.' first.
bool is_name(const std::string& name);
Status check_name(const app::TomlReader& at, const std::string& key, const std::string& name);

// A text, or an array with one text at least, none twice.
Result<std::vector<std::string>> one_or_more(const app::TomlReader& at, const std::string& key);

// What a generator is given as: "native", of a framework that comes with Metamorph, or the absolute path of a
// description: one below `folder`/frameworks/NAME, or a path from `folder`. Errors: options, at this key.
Result<std::string> generator_named(const app::TomlReader& at, const std::string& key, const std::string& text,
                                    const std::filesystem::path& folder);

// Names and values as the framework's description has them; a value that begins with "./" is a path from `folder`.
Result<std::vector<std::pair<std::string, std::string>>> read_options(const app::TomlReader& at,
                                                                      const std::string& generator,
                                                                      const std::filesystem::path& folder);

// A value as it stands in runs: a path of a device becomes absolute. `declared`: the project's models or generators.
Result<std::string> checked_value(const app::TomlReader& at, const std::string& key, Axis axis,
                                  const std::string& value, const std::vector<std::string>& declared,
                                  const std::filesystem::path& folder);

// The same without a file around it: what is wrong, and a hint. Empty message: nothing.
struct Complaint {
    std::string message, hint;
};
Complaint complaint_of(Axis axis, const std::string& value, const std::vector<std::string>& declared);

}  // namespace metamorph::project
