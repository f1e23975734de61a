// From the text of an option to its value: numbers with a range, choices, files. All errors have code options and name
// the option, what is wrong with it and what would be right.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "util/result.h"

namespace metamorph::cli {

Result<std::uint64_t> read_number(const std::string& option, const std::string& text, std::uint64_t min,
                                  std::uint64_t max);

// "a,b": what stands between the commas.
std::vector<std::string> split_list(const std::string& list);

// Index of `text` among `choices`; the error suggests the nearest.
Result<std::size_t> read_choice(const std::string& option, const std::string& text,
                                const std::vector<std::string>& choices);

// "every", "none", or a number of cuts.
Result<Cuts> read_cuts(const std::string& option, const std::string& text);

// "whole", "layer", "3,3,3" or "4". Only its form is checked here; whether it fits the network is known later.
Status check_split(const std::string& option, const std::string& text);

// "3=4", "conv2d_03_relu=4", "auto:4096B" or "auto:50000MACs". Only its form, as above.
Status check_slice(const std::string& option, const std::string& text);

// A C identifier without underscores at its ends.
Status check_prefix(const std::string& option, const std::string& text);

// The path of a framework description (as of a device: it ends in ".toml" or has a slash) must be there.
Status check_framework(const std::string& option, const std::string& text);

// The file, or the folder, must exist; the error suggests a neighbour of similar name.
Status need_file(const std::string& option, const std::filesystem::path& path);
// A device: a name, whose meaning others check, or the path of a description (it ends in ".toml" or has a slash, as
// app/device.h has it), which must be there.
Status check_device(const std::string& option, const std::string& text);

Status need_folder(const std::string& option, const std::filesystem::path& path);

// A folder that can be written to, or a path where nothing is yet.
Status check_output_folder(const std::string& option, const std::filesystem::path& path);

const std::vector<std::string>& nvm_choices();    // in the order of Nvm
const std::vector<std::string>& stage_choices();  // in the order of Stage

}  // namespace metamorph::cli
