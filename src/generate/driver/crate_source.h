// The source tree that a generator works on: fetched once by cargo's own client, or one that the user names.
#pragma once

#include <functional>
#include <string>

#include "app/framework.h"
#include "generate/driver/driver.h"
#include "generate/driver/environment.h"
#include "util/result.h"

namespace metamorph::generate {

// Sets the source and its version of what was found, or makes it missing. Nothing where the framework has none. Errors:
// system.
Status find_source(const app::Framework& framework, Installation& found);

// Fetches the crate with cargo, compares its hash, and unpacks it into the framework's folder. Where anything fails,
// nothing is left but the log. Errors: toolchain (no cargo, the crate cannot be had or is another one), system.
Status fetch_source(const app::Framework& framework, const std::function<void(const std::string&)>& say);

// Whether the user's options name a source tree, so that none need be installed.
bool names_a_source(const app::Framework& framework, const DriverRequest& request);

// The tree that the user's options name, or the fetched one; absolute. Empty where the framework has none. Errors:
// options (there is no such folder), system.
Result<std::filesystem::path> source_of(const app::Framework& framework, const DriverRequest& request);

}  // namespace metamorph::generate
