// The YAML description of a network for the MAX78000 generator (ai8x-synthesis), read and checked before its program
// runs: what that program would refuse minutes later, or wire wrongly without a word where the network is cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace metamorph::generate::ai8x {

inline constexpr int k_layers_max = 32;
inline constexpr int k_processors = 64;
inline constexpr std::int64_t k_instance_bytes = 0x8000;  // data memory of four processors

inline constexpr int k_network_input = -1;  // a producer that is no layer

struct Dimensions {
    std::int64_t rows = 0, columns = 0;
};

enum class DataFormat { unsaid, hwc, chw };

struct Layer {
    int index = 0;             // as the generator counts in the whole network
    int line = 0, column = 0;  // of its first key; from 1
    std::string name;          // empty: it has none
    std::string operation;     // "conv2d", "conv1d", "convtranspose2d", "mlp" or "none"; lower case
    bool has_weights = false;  // it takes a layer of the checkpoint
    std::uint64_t processors = 0;
    std::optional<std::uint64_t> output_processors;
    std::int64_t out_offset = 0;
    std::optional<std::int64_t> in_offset;
    std::optional<int> in_channels, out_channels;
    std::optional<Dimensions> in_dim;
    std::vector<int> producers;                // layers that it reads, or k_network_input; in its order
    std::vector<std::string> named_producers;  // of these, those that in_sequences tells by name
    bool is_streaming = false, is_flattening = false;
    int output_width = 8;
    int write_gap = 0;
    DataFormat data_format = DataFormat::unsaid;
    Dimensions kernel{1, 1}, pad{0, 0}, pool{1, 1}, pool_stride{1, 1}, stride{1, 1}, dilation{1, 1};
    std::vector<std::string> bound_keys;  // keys that count layers in a way that a cut would shift: "next_sequence"
};

struct Network {
    std::string file;  // as errors name it
    std::string arch, dataset;
    std::vector<Layer> layers;
    std::vector<std::string> bound_keys;  // of the document, likewise: "data_buffer"

    std::string where(const Layer& layer) const;       // "net.yaml:12:5"
    static std::string label(const Layer& layer);      // "layer 3 (conv2_1)"
    std::uint64_t output_processors(int layer) const;  // where a layer's output goes; 0: of the last, unsaid
    std::optional<std::int64_t> output_channels(int layer) const;  // where the description says it
};

// Reads the description. Errors: model, with "file:line:column": not YAML, unknown keys (with the nearest), missing or
// repeated ones, values of a wrong kind or out of range.
Result<Network> read_network(std::string_view yaml, const std::string& file);

// Checks what can be known without the weights: channels against processors, offsets that leave the data memory or
// overwrite input that is still to be read, formats, streaming and FIFO rules. `input`: channels, rows and columns of
// the network's input where they are known. Errors: model, with "file:line:column".
struct InputShape {
    std::int64_t channels = 0, rows = 1, columns = 1;
};
Status check_network(const Network& network, const std::optional<InputShape>& input);

// Why no cut can be behind layer `layer`; empty: one can. The sentence names the layers.
std::string why_no_cut(const Network& network, int layer);

// Whether layers first to last (inclusive) make parts that the generator wires as the whole network is wired: `cuts`
// are the last layers of all parts but the last. Errors: options ("--tasks"; the hint lists where cuts are possible).
Status check_cuts(const Network& network, const std::vector<int>& cuts);

}  // namespace metamorph::generate::ai8x
