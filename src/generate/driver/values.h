// What the placeholders of a description stand for.
#pragma once

#include <map>
#include <string>

#include "generate/driver/driver.h"

namespace metamorph::generate {

// prefix, PREFIX, model, model_name, prepared, folder, source, python, program. Errors: system.
Result<std::map<std::string, std::string>> values_of(const app::Framework& framework, const Installation& installation,
                                                     const DriverRequest& request);

// The request's, or made from the model's name. Errors: options.
Result<std::string> prefix_of(const DriverRequest& request);

}  // namespace metamorph::generate
