// Small work on names: suggestions for misspelt ones, C identifiers, safe printing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace metamorph {

// How many insertions, deletions, replacements or swaps of neighbours turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidates that `name` may have been meant to be, nearest first (then in their given order), at most three;
// letter case does not count. Empty where nothing is near: the distance may be a third of the longer name, and 1 at
// least.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

// "did you mean 'generate'?", "did you mean 'a' or 'b'?", or "" where nothing is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// A C identifier made of `name`: letters and digits stay, everything else becomes single underscores, none at the ends;
// a leading digit gets "n" before it; `fallback` where nothing is left; a keyword of C or C++ gets "_" behind it.
std::string c_identifier(std::string_view name, std::string_view fallback = "unnamed");

// `text` for a message or a comment: printable ASCII and other characters in UTF-8 stay; control characters, those that
// change the direction of writing or cannot be seen, and every byte that is no UTF-8 become '?'. What exceeds
// `length_max` bytes is cut, between characters, and marked by "...".
std::string printable(std::string_view text, std::size_t length_max = 80);

// Words as a shell would take them, a space between them.
std::string quoted(const std::vector<std::string>& words);

}  // namespace metamorph
