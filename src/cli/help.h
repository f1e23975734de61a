// Help that teaches by example: what the command is for, how it is written, examples with their effect, then the
// options.
#pragma once

#include <string>
#include <vector>

#include "cli/subcommand.h"

namespace metamorph::cli {

std::string help_of(const Subcommand& subcommand, int width);
std::string help_of_all(const std::vector<const Subcommand*>& subcommands, int width);

// `text` in lines of at most `width` columns, each after the first begun with `indent` spaces; breaks at spaces only.
std::string wrapped(const std::string& text, std::size_t first_column, std::size_t indent, std::size_t width);

}  // namespace metamorph::cli
