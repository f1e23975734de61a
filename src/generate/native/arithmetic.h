// The text of the generated arithmetic header: the reference's fixed-point steps as `static inline` C.
#pragma once

#include <string>

namespace metamorph::generate::native {

// `upper` is the prefix in upper case, for the include guard; Softmax's part only where the graph has one.
std::string arithmetic_header(const std::string& banner, const std::string& prefix, const std::string& upper,
                              bool softmax);

}  // namespace metamorph::generate::native
