// A description for the tests, and its libraries.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/framework.h"

namespace metamorph::libraries {

inline const std::string k_description = R"(name = "sample"
description = "libraries for tests"

[[library]]
name = "kernels"
description = "all kinds of keys"
source = { kind = "folder", path = "tree" }
sources = ["src/**/*.c"]
exclude = ["src/broken*.c"]
headers = ["include/*.h"]
include_dirs = ["include", "src"]
exports = ["include"]
defines = ["SIZE=4", "FAST"]
flags = ["-O2", "-g"]
c_flags = ["-std=c11"]
source_flags = [{ sources = ["src/b.c"], flags = ["-Os"] }]
generated = [{ path = "include/config.h", text = "#define CONFIG 1\n" }]
needs = ["base"]
hooks = ["log_text"]

[[library.when]]
toolchains = ["clang"]
cores = ["cortex-m4f"]
flags = ["-fno-unroll-loops"]

[[library.feature]]
name = "debug"
description = "no optimisation"
excludes = ["strip"]
flags = ["-O0"]
generated = [{ path = "include/config.h", text = "#define CONFIG 2\n" }]

[[library.feature]]
name = "strip"
description = "no texts"
defines = ["STRIP"]

[[library.feature]]
name = "trace"
description = "tells all; wants the texts"
requires = ["debug"]

[[library]]
name = "base"
description = "what kernels need"
source = { kind = "folder", path = "tree" }
sources = ["base.c"]
headers = ["base/*.h"]
include_dirs = ["base"]
exports = ["base"]
)";

inline std::vector<app::Library> sample_libraries(const std::string& text = k_description,
                                                  const std::string& where = "sample/framework.toml") {
    const auto framework = app::read_framework(text, where);
    EXPECT_TRUE(framework) << (framework ? "" : framework.error().where + ": " + framework.error().message);
    return framework ? framework->libraries : std::vector<app::Library>{};
}

}  // namespace metamorph::libraries
