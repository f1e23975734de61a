// Generators of other people, installed as `doctor --install` does it and kept between test runs.
#pragma once

#include <string>

#include "app/framework.h"

namespace metamorph::test {

// Nothing where it is ready (and METAMORPH_VENVS names the place), else why it cannot be had. One test at a time
// installs.
std::string make_ready(const app::Framework& framework);

}  // namespace metamorph::test
