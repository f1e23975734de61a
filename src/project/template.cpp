// What `metamorph init` writes. A test reads it back: it must stay a project that loads.
#include <set>

#include <fmt/format.h>

#include "project/project.h"
#include "util/text.h"

namespace metamorph::project {
namespace {

constexpr std::size_t k_stem_max = 50;

constexpr const char* k_head =
    R"(# The project file of Metamorph: what 'metamorph matrix' runs. docs/project.md tells about every key.
#   metamorph matrix --list    shows the runs, and why some are left out
#   metamorph matrix           does them; metamorph report shows what came out, metamorph why RUN explains one

)";

constexpr const char* k_model = R"([[model]]
name = "{}"
files = ["{}"]{}
# inputs = "inputs.bin"        # raw bytes, one inference after another; without it: random ones
# expected = "expected.bin"    # the outputs that belong to them
# expected_type = "int8"       # or "float32"
# tolerance = 0                # how far a value may be from the expected one

)";

constexpr const char* k_rest = R"([[generator]]
name = "native"

# [[generator]]                # 'metamorph frameworks' lists those of others, and their options
# name = "bakenn-cmsis"        # as reports show it
# generator = "bakenn"
# options = { kernels = "cmsis-nn" }

[matrix]                       # one run for each combination
device = ["cortex-m4-mapped", "rv32imc-mapped"]    # 'metamorph devices' lists them; "host" is this machine
toolchain = ["gcc"]
tasks = ["whole", "layer"]
# model = ["…"]                # without them: all that stand above
# generator = ["…"]

# [[matrix.include]]           # further runs: what is not named here is as above
# device = "host"

# [[matrix.exclude]]           # runs that match all that is named here are left out
# device = "rv32imc-mapped"
# tasks = "whole"
# why = "only the split is of interest there"

# [group.quick]                # 'metamorph matrix quick' does only these
# device = "cortex-m4-mapped"

[run]
inferences = 1                 # in a row
seed = 1                       # of random inputs
depth = 0                      # power cuts in a row that are looked at; 0: any number

[limits]
stage_seconds = 600            # for generating, building or proving one; then it has timed out
# memory_mib = 4096            # of all that runs at once; without it: three quarters of the machine's
)";

}  // namespace

std::string project_template(const std::vector<std::string>& models) {
    std::string text = k_head;
    if (models.empty()) {
        text += fmt::format(fmt::runtime(k_model), "net", "net.tflite", "         # put your network here");
    }
    std::set<std::string> taken;
    for (const std::string& model : models) {
        std::string in_quotes;
        for (const char c : model) {
            in_quotes += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
        }
        const std::string stem = c_identifier(std::filesystem::path(model).stem().string()).substr(0, k_stem_max);
        std::string name = stem;
        for (int i = 2; !taken.insert(name).second; ++i) {
            name = fmt::format("{}_{}", stem, i);
        }
        text += fmt::format(fmt::runtime(k_model), name, in_quotes, "");
    }
    return text + k_rest;
}

}  // namespace metamorph::project
