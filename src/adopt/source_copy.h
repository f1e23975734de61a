// The generator's files once more, with static variables that must be saved under names that other files can use.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "cfront/front_end.h"
#include "util/result.h"

namespace metamorph::adopt {

inline constexpr const char* k_generated_folder = "generated";
inline constexpr const char* k_copy_folder = "adopted/source";

// Where the static variables are declared that steps of the model write. Those that nobody writes need no home.
std::vector<cfront::SourceLocation> written_statics(const cfront::CodeModel& model);

// `files` by their path below k_generated_folder, which is how `input` names them → the same, edited. Errors: as of
// cfront::externalise.
Result<std::map<std::string, std::string>> copy_with_names(const cfront::FrontEndInput& input,
                                                           const std::map<std::string, std::string>& files,
                                                           const std::vector<cfront::SourceLocation>& statics,
                                                           const std::string& prefix);

// A place or message about the copy, as one about the generator's files: lines are the same.
std::string of_generated(std::string text);

}  // namespace metamorph::adopt
