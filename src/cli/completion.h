// Shell completion, made from the same options that are parsed.
#pragma once

#include <string>
#include <vector>

#include "cli/subcommand.h"

namespace metamorph::cli {

const std::vector<std::string>& shell_choices();  // bash, zsh, fish

// A script to be sourced (bash, fish), or to be found as `_metamorph` in zsh's fpath.
std::string completion_script(const std::string& shell, const std::vector<const Subcommand*>& subcommands);

// The same as the document that --json prints (docs/command-line.md).
std::string completion_json(const std::string& shell, const std::vector<const Subcommand*>& subcommands);

}  // namespace metamorph::cli
