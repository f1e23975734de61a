// What the placeholders of a description stand for.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "generate/driver/driver.h"

namespace metamorph::generate {

// prefix, PREFIX, model, model_name, prepared, folder, source, library, python, program. Errors: system.
Result<std::map<std::string, std::string>> values_of(const app::Framework& framework, const Installation& installation,
                                                     const DriverRequest& request);

// The runtime library that the framework's code links, with the features that the options ask for; nothing: none.
// `values` as values_of gives them.
std::optional<LibraryNeed> library_need(const app::Framework& framework, const DriverRequest& request,
                                        const std::map<std::string, std::string>& values);

// The request's, or made from the model's name. Errors: options.
Result<std::string> prefix_of(const DriverRequest& request);

}  // namespace metamorph::generate
