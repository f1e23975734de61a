// Layers and an arena plan → the files of a C project. See docs/generated-code.md for what each file is.
#pragma once

#include <string>
#include <vector>

#include "generate/generator.h"
#include "generate/native/layer.h"

namespace metamorph::generate::native {

struct Call {
    std::size_t layer = 0;               // into Project::layers
    std::vector<std::string> arguments;  // C expressions, in the order of the layer's ports
};

struct Project {
    const graph::Graph& graph;
    const NativeOptions& options;
    std::string prefix, upper;  // "kws", "KWS"
    std::vector<EntryParameter> parameters;
    ArenaPlan plan;
    std::vector<Layer> layers;
    std::vector<Call> calls;               // the entry's body
    std::vector<std::string> entry_notes;  // operators without a call
};

// Fills in files, sources, header, entry and include folder of `code`.
void write_project(const Project& project, GeneratedCode& code);

// The parts of it: text of the public header, the entry, the example program and the build file (project.cpp), and of
// what belongs to layers (layer_files.cpp).
std::string banner(const Project& project, const std::string& comment_mark = "//");
std::string layer_file(const Project& project, const Layer& layer);
std::string weights_file(const Project& project, const Layer& layer);
std::string layers_header(const Project& project);
std::string weights_header(const Project& project);

// The function that does rounds [first, end) of a layer's outer loop: "kws_conv2d_00_relu_rows".
std::string rows_function(const Layer& layer);

// "int8 [1, 25, 5, 64], scale 0.0235, zero point -128".
std::string describe(const graph::Tensor& tensor);

// "const int8_t input[static 490]".
std::string parameter(const graph::Tensor& tensor, const std::string& name, bool is_output);

}  // namespace metamorph::generate::native
