// From files to ForeignCode: which are compiled, which headers are missing, where the entry and its extents are.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "app/framework.h"
#include "generate/driver/driver.h"
#include "generate/foreign_code.h"

namespace metamorph::generate {

// "{prefix}" and its like replaced by their values; "{{" and "}}" are braces.
std::string filled(const std::string& text, const std::map<std::string, std::string>& values);

// * and ? match within one part of a path. A pattern without a slash matches files in any folder.
bool matches(const std::string& pattern, const std::string& path);

// All files below `folder`, relative path → contents, those that match a pattern of the framework's only; the other
// paths go to `left_out`. Errors: system, toolchain (a pattern of a source that nothing matches; a source that is no
// text).
Result<std::map<std::string, std::string>> read_output(const app::Framework& framework,
                                                       const std::map<std::string, std::string>& values,
                                                       const std::filesystem::path& folder);

// Puts all together and checks it. `files`: of read_output. Errors: model.
Result<ForeignCode> assemble(const app::Framework& framework, const DriverRequest& request,
                             const std::map<std::string, std::string>& values, const std::string& version,
                             std::map<std::string, std::string> files);

// Empty files for headers that nothing provides, "stubs/NAME", with a note each that says who includes them first.
void add_missing_headers(ForeignCode& code);

// Functions that the sources seem to define: names at the start of a line's declaration, before a parenthesis and a
// body. For suggestions only: the front end knows better.
std::vector<std::string> defined_functions(const ForeignCode& code);

}  // namespace metamorph::generate
