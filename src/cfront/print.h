// A CodeModel as text, for --dump-after=cfront.
#pragma once

#include <string>

#include "cfront/code_model.h"

namespace metamorph::cfront {

std::string print(const CodeModel& model);

}  // namespace metamorph::cfront
