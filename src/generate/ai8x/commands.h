// From layers per task to one command of ai8xize.py a part. A part is the layers first … last of the YAML file; its
// input is what the part before it left in data memory, which that part's run saves as a NumPy file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "generate/ai8x/flags.h"
#include "generate/ai8x/network.h"
#include "util/result.h"

namespace metamorph::generate::ai8x {

struct CommandRequest {
    std::filesystem::path program;  // ai8xize.py; it runs in its own folder, where it finds its templates
    std::string python = "python3";
    std::filesystem::path network;       // the YAML file
    std::filesystem::path checkpoint;    // .pth.tar or .onnx
    std::filesystem::path sample_input;  // .npy; empty: the generator's own, of the network's data set
    std::filesystem::path folder;        // where the parts' projects go: folder/part_0 …
    std::vector<std::string> flags;      // to be handed on, word by word
};

struct PartCommand {
    int first = 0, last = 0;             // layers, inclusive
    int checkpoint_layers_skipped = 0;   // layers with weights before it
    std::int64_t input_offset = -1;      // -1: not given (the first part)
    std::string name;                    // "part_0"; its project is folder/part_0
    std::filesystem::path output_numpy;  // what the next part's --sample-input is; empty for the last part
    std::vector<std::string> argv;
    std::filesystem::path directory;  // to run in
};

// `layers_per_part` must sum up to the network's layers. Errors: options (sum, cuts that are not possible, flags), each
// with what is.
Result<std::vector<PartCommand>> plan_commands(const Network& network, const std::vector<int>& layers_per_part,
                                               const CommandRequest& request);

// The commands as a shell takes them, a line each.
std::string print_commands(const std::vector<PartCommand>& commands);

}  // namespace metamorph::generate::ai8x
