// Framework descriptions and what lies beside them, embedded at build time (cmake/EmbedFiles.cmake): frameworks/*/*.
#pragma once

#include <vector>

#include "app/embedded_devices.h"

namespace metamorph::app {

const std::vector<EmbeddedFile>& embedded_frameworks();

}  // namespace metamorph::app
