// From YAML to Network: a layer a map, its keys read one group after another. The rules between layers are in
// network_checks.cpp and cuts.cpp.
#include "generate/ai8x/network.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/ai8x/yaml_map.h"
#include "util/text.h"

namespace metamorph::generate::ai8x {
namespace {

const std::vector<std::string> k_document_keys{"arch",  "bias",       "dataset", "layers", "data_buffer",
                                               "snoop", "output_map", "unload",  "weights"};
// What says where the whole network's data, weights or output are: a part would take it for its own.
const std::vector<std::string> k_bound_document_keys{"bias", "data_buffer", "snoop", "output_map", "unload", "weights"};

const std::vector<std::string> k_operation_keys{"convolution", "operation", "operator", "op"};

const std::vector<std::string> k_layer_keys{"activate",        "activation",    "avg_pool",      "bias_group",
                                            "bias_quadrant",   "buffer_insert", "buffer_shift",  "bypass",
                                            "calcx4",          "conv_groups",   "convolution",   "data_format",
                                            "dilation",        "eltwise",       "flatten",       "groups",
                                            "in_channel_skip", "in_channels",   "in_crop",       "in_dim",
                                            "in_offset",       "in_sequences",  "in_skip",       "kernel_size",
                                            "max_pool",        "name",          "next_sequence", "op",
                                            "operands",        "operation",     "operator",      "out_channels",
                                            "out_offset",      "output",        "output_pad",    "output_processors",
                                            "output_shift",    "output_width",  "pad",           "pool_dilation",
                                            "pool_first",      "pool_stride",   "processors",    "quantization",
                                            "read_gap",        "readahead",     "sequence",      "simulated_sequence",
                                            "snoop_sequence",  "streaming",     "stride",        "tcalc",
                                            "weight_source",   "write_gap"};
const std::vector<std::string> k_bound_layer_keys{"buffer_insert",      "buffer_shift",   "next_sequence", "sequence",
                                                  "simulated_sequence", "snoop_sequence", "weight_source"};

Status read_operation(const YamlMap& map, Layer& layer) {
    const std::vector<std::string> given = map.among(k_operation_keys);
    if (given.size() > 1) {
        return map.refuse(given[1], fmt::format("{} has both '{}' and '{}'", Network::label(layer), given[0], given[1]),
                          "keep one of them");
    }
    layer.operation = "conv2d";
    if (!given.empty()) {
        MM_TRY(layer.operation, map.word(given[0]));
    }
    const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
        return std::find(words.begin(), words.end(), layer.operation) != words.end();
    };
    if (is_one_of({"linear", "fc", "mlp"})) {
        layer.operation = "mlp";
    } else if (is_one_of({"none", "passthrough", "add", "sub", "or", "bitwiseor", "bitwise_or", "xor", "bitwisexor",
                          "bitwise_xor"})) {
        layer.operation = "none";
    } else if (!is_one_of({"conv1d", "conv2d", "convtranspose2d"})) {
        const std::vector<std::string> words{"conv1d", "conv2d", "convtranspose2d", "mlp", "none", "add", "sub",
                                             "or",     "xor"};
        const std::string near = did_you_mean(layer.operation, words);
        return map.refuse(given[0],
                          fmt::format("{} has no operation '{}'", Network::label(layer), printable(layer.operation)),
                          near.empty() ? fmt::format("it is one of {}", fmt::join(words, ", ")) : near);
    }
    layer.has_weights = layer.operation != "none";
    return {};
}

Status read_window(const YamlMap& map, Layer& layer) {
    const bool is_2d = layer.operation == "conv2d" || layer.operation == "convtranspose2d";
    const bool is_1d = layer.operation == "conv1d";
    layer.kernel = is_2d ? Dimensions{3, 3} : is_1d ? Dimensions{9, 1} : Dimensions{1, 1};
    layer.pad = is_2d ? Dimensions{1, 1} : is_1d ? Dimensions{1, 0} : Dimensions{0, 0};
    if (layer.operation == "convtranspose2d") {
        layer.stride = {2, 2};
    }
    const auto read = [&](const char* key, std::int64_t min, std::int64_t max, Dimensions& to) -> Status {
        if (map.has(key)) {
            MM_TRY(const auto both, map.pair(key, min, max));
            to = {both.first, is_1d ? to.columns : both.second};
        }
        return {};
    };
    MM_CHECK(read("kernel_size", 1, 9, layer.kernel));
    MM_CHECK(read("pad", 0, is_1d ? 9 : 2, layer.pad));
    if (map.has("max_pool") && map.has("avg_pool")) {
        return map.refuse("avg_pool", fmt::format("{} has both 'max_pool' and 'avg_pool'", Network::label(layer)),
                          "keep one of them");
    }
    MM_CHECK(read("max_pool", 1, 16, layer.pool));
    MM_CHECK(read("avg_pool", 1, 16, layer.pool));
    layer.pool_stride = layer.pool;
    MM_CHECK(read("pool_stride", 1, 16, layer.pool_stride));
    MM_CHECK(read("stride", 1, 3, layer.stride));
    return read("dilation", 1, 16, layer.dilation);
}

Status read_memory(const YamlMap& map, Layer& layer) {
    MM_TRY(layer.processors, map.processors("processors"));
    if (map.has("output_processors")) {
        MM_TRY(layer.output_processors, map.processors("output_processors"));
    }
    const auto offset = [&](const char* key) -> Result<std::int64_t> {
        MM_TRY(const std::int64_t value, map.integer(key, 0, k_instance_bytes - 4));
        if (value % 4 != 0) {
            return map.refuse(
                key,
                fmt::format("'{}' of {} is {:#x}: data memory has words of 4 bytes", key, Network::label(layer), value),
                fmt::format("{:#x}, say", value / 4 * 4));
        }
        return value;
    };
    if (map.has("out_offset")) {
        MM_TRY(layer.out_offset, offset("out_offset"));
    }
    if (map.has("in_offset")) {
        MM_TRY(layer.in_offset, offset("in_offset"));
    }
    for (const auto& [key, to] :
         {std::pair{"in_channels", &layer.in_channels}, {"out_channels", &layer.out_channels}}) {
        if (map.has(key)) {
            MM_TRY(const std::int64_t channels, map.integer(key, 1, 1024));
            *to = static_cast<int>(channels);
        }
    }
    if (map.has("in_dim")) {
        MM_TRY(const auto both, map.pair("in_dim", 1, 1 << 20));
        layer.in_dim = Dimensions{both.first, layer.operation == "conv1d" ? 1 : both.second};
    }
    if (map.has("write_gap")) {
        MM_TRY(const std::int64_t gap, map.integer("write_gap", 0, 255));
        layer.write_gap = static_cast<int>(gap);
    }
    if (map.has("output_width")) {
        MM_TRY(const std::int64_t width, map.integer("output_width", 8, 32));
        layer.output_width = static_cast<int>(width);
        if (layer.output_width != 8 && layer.output_width != 32) {
            return map.refuse("output_width",
                              fmt::format("'output_width' of {} is {}: the accelerator writes 8 or 32 bits",
                                          Network::label(layer), layer.output_width),
                              "write 8, or 32 in the last layer");
        }
    }
    return {};
}

Status read_flags(const YamlMap& map, Layer& layer) {
    if (map.has("streaming")) {
        MM_TRY(layer.is_streaming, map.boolean("streaming"));
    }
    if (map.has("flatten")) {
        MM_TRY(layer.is_flattening, map.boolean("flatten"));
    }
    if (map.has("data_format")) {
        MM_TRY(const std::string format, map.word("data_format"));
        if (format != "chw" && format != "hwc" && format != "big" && format != "little") {
            return map.refuse("data_format",
                              fmt::format("'data_format' of {} is '{}'", Network::label(layer), printable(format)),
                              "it is HWC or CHW");
        }
        layer.data_format = format == "chw" || format == "big" ? DataFormat::chw : DataFormat::hwc;
    }
    layer.bound_keys = map.among(k_bound_layer_keys);
    return {};
}

Status read_producers(const YamlMap& map, const Network& network, Layer& layer) {
    const YAML::Node* node = map.find("in_sequences");
    if (node == nullptr) {
        layer.producers = {layer.index - 1};
        return {};
    }
    // Names of buffers are not looked up: a network that has some is never cut.
    const bool has_buffers =
        std::find(network.bound_keys.begin(), network.bound_keys.end(), "data_buffer") != network.bound_keys.end();
    std::vector<YAML::Node> items;
    if (node->IsSequence()) {
        for (const YAML::Node& item : *node) {
            items.push_back(item);
        }
    } else {
        items.push_back(*node);
    }
    for (const YAML::Node& item : items) {
        const std::string text = item.IsScalar() ? item.Scalar() : "";
        const std::string place = yaml_place(network.file, item.Mark());
        if (const auto number = yaml_integer(text)) {
            if (*number < k_network_input || *number >= layer.index) {
                return fail_with_hint(
                    ErrorCode::model, place,
                    fmt::format("{} reads layer {}, which does not come before it", Network::label(layer), *number),
                    "layers count from 0; -1 is the network's input");
            }
            layer.producers.push_back(static_cast<int>(*number));
            continue;
        }
        std::vector<std::string> names;
        int found = -2;
        for (const Layer& earlier : network.layers) {
            names.push_back(earlier.name);
            if (!text.empty() && earlier.name == text) {
                found = earlier.index;
            }
        }
        if (text == "input" || (!text.empty() && has_buffers)) {
            found = found == -2 ? k_network_input : found;
        }
        if (found == -2) {
            const std::string near = did_you_mean(text, names);
            return fail_with_hint(
                ErrorCode::model, place,
                fmt::format("{} reads '{}', which is no layer before it", Network::label(layer), printable(text)),
                near.empty() ? "write a layer's number, or the 'name' that it has" : near);
        }
        layer.producers.push_back(found);
        layer.named_producers.push_back(text);
    }
    if (layer.producers.empty()) {
        return map.refuse("in_sequences", fmt::format("'in_sequences' of {} is empty", Network::label(layer)),
                          "leave it out: then the layer reads the one before it");
    }
    return {};
}

Result<Layer> read_layer(const YAML::Node& node, const Network& network) {
    Layer layer;
    layer.index = static_cast<int>(network.layers.size());
    MM_TRY(const YamlMap map, YamlMap::make(node, network.file, fmt::format("layer {}", layer.index), k_layer_keys));
    layer.line = map.line();
    layer.column = map.column();
    if (map.has("name")) {
        MM_TRY(layer.name, map.text("name"));
        for (const Layer& earlier : network.layers) {
            if (earlier.name == layer.name) {
                return map.refuse("name",
                                  fmt::format("layer {} has the name '{}', too", earlier.index, printable(layer.name)),
                                  "give each layer a name of its own");
            }
        }
    }
    MM_CHECK(read_operation(map, layer));
    MM_CHECK(read_window(map, layer));
    MM_CHECK(read_memory(map, layer));
    MM_CHECK(read_flags(map, layer));
    MM_CHECK(read_producers(map, network, layer));
    return layer;
}

Result<Network> read_document(const YAML::Node& document, const std::string& file) {
    Network network;
    network.file = file;
    MM_TRY(const YamlMap map, YamlMap::make(document, file, "the description", k_document_keys));
    MM_TRY(network.arch, map.text("arch"));
    MM_TRY(network.dataset, map.text("dataset"));
    network.bound_keys = map.among(k_bound_document_keys);
    const YAML::Node* layers = map.find("layers");
    if (layers == nullptr || !layers->IsSequence() || layers->size() == 0) {
        return map.refuse("layers", "the description has no list 'layers'",
                          "add 'layers:', and a '- ' item for each layer");
    }
    for (const YAML::Node& node : *layers) {
        if (network.layers.size() == k_layers_max) {
            return fail_with_hint(ErrorCode::model, yaml_place(file, node.Mark()),
                                  fmt::format("the accelerator has {} layers, and here is one more", k_layers_max),
                                  "join layers, or give the network as two descriptions");
        }
        MM_TRY(Layer layer, read_layer(node, network));
        network.layers.push_back(std::move(layer));
    }
    return network;
}

}  // namespace

std::string Network::where(const Layer& layer) const {
    return fmt::format("{}:{}:{}", file, layer.line, layer.column);
}

std::string Network::label(const Layer& layer) {
    return layer.name.empty() ? fmt::format("layer {}", layer.index)
                              : fmt::format("layer {} ({})", layer.index, printable(layer.name));
}

std::uint64_t Network::output_processors(int layer) const {
    const Layer& of = layers[static_cast<std::size_t>(layer)];
    if (of.output_processors) {
        return *of.output_processors;
    }
    // As the generator has it: those of the next layer, which is where the output is read.
    return layer + 1 < static_cast<int>(layers.size()) ? layers[static_cast<std::size_t>(layer) + 1].processors : 0;
}

std::optional<std::int64_t> Network::output_channels(int layer) const {
    const Layer& of = layers[static_cast<std::size_t>(layer)];
    if (of.out_channels) {
        return *of.out_channels;
    }
    if (!of.has_weights && of.in_channels && !of.is_flattening && of.producers.size() == 1) {
        return *of.in_channels;
    }
    return {};
}

Result<Network> read_network(std::string_view yaml, const std::string& file) {
    try {
        return read_document(YAML::Load(std::string(yaml)), file);
    } catch (const YAML::Exception& wrong) {
        return fail_with_hint(ErrorCode::model, yaml_place(file, wrong.mark),
                              fmt::format("this is not YAML: {}", printable(wrong.msg, 200)),
                              "indent with spaces; a list item begins with '- '");
    }
}

}  // namespace metamorph::generate::ai8x
