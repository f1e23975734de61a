// The JSON file that a generator script may write beside its C, to say what a description cannot know beforehand.
#pragma once

#include <string>

#include "app/framework.h"
#include "generate/foreign_code.h"
#include "util/result.h"

namespace metamorph::generate {

// Reads the file `path` of `code`, takes it out, and sets what it says: "entry", "parameters" (objects with "name",
// "role", "bytes", "value"), "include_dirs", "defines", "notes"; all may be missing. Errors: toolchain (it is not
// there, no JSON, of another form).
Status apply_manifest(const app::Framework& framework, const std::string& path, ForeignCode& code);

}  // namespace metamorph::generate
