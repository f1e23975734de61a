// FullyConnected: one dot product an output, the input's zero point always folded into the bias.
//
// With one scale for the whole filter the reference multiplies input and filter scale as floats before it divides in
// double; with a scale a channel everything is double. The difference is in the last bit of the multiplier.
#include "generate/native/layer.h"

namespace metamorph::generate::native {

Status write_fully_connected(Layer& layer, const LayerContext& c, const graph::FullyConnected& a) {
    const graph::Tensor& filter = c.input(1);
    const std::int64_t channels = filter.shape[0];
    const std::int64_t depth = filter.shape[1];
    const std::int64_t batches = c.output().elements() / channels;
    const std::vector<std::int64_t> weights = constant_values(filter);
    std::vector<std::vector<std::int64_t>> by_channel;
    for (std::int64_t i = 0; i < channels; ++i) {
        by_channel.emplace_back(weights.begin() + i * depth, weights.begin() + (i + 1) * depth);
    }
    MM_TRY(const std::vector<std::int64_t> biases, folded_biases(c, by_channel, true));
    MM_TRY(const ActivationRange range, range_of(c, a.activation));
    Requantization r{{}, zero_point_of(c.output()), range};
    if (filter.quantization->per_channel()) {
        r.multipliers = channel_multipliers(c, channels);
    } else {
        const float product = scale_of(c.input(0)) * scale_of(filter);
        r.multipliers = {quantize_multiplier(static_cast<double>(product) / static_cast<double>(scale_of(c.output())))};
    }
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    const std::string w =
        add_constant(layer, "weights", "int8_t", weights, fmt::format("filter [{}, {}]", channels, depth));
    const std::string bias = add_constant(layer, "biases", "int32_t", biases, "bias, zero point folded in");
    if (zero_point_of(c.input(0)) != 0) {
        layer.notes.push_back("The input's zero point is folded into the biases.");
    }

    CText& out = layer.body;
    const int body = out.depth();
    const std::string b = channels > 1 ? out.loop("b", batches) : outer_loop(layer, "b", batches, "rows");
    const std::string oc = outer_loop(layer, "oc", channels, "channels");
    out.line("int32_t acc = {}[{}];", bias, affine({{oc, 1}}));
    const int taps = out.depth();
    const std::string i = out.loop("i", depth);
    out.line("acc += {}[{}] * {}[{}];", w, affine({{oc, depth}, {i, 1}}), in, affine({{b, depth}, {i, 1}}));
    out.close_to(taps);
    const std::string value = requantized(layer, c, r, "acc", oc);
    out.assign(fmt::format("output[{}]", affine({{b, channels}, {oc, 1}})), value);
    out.close_to(body);
    return {};
}

}  // namespace metamorph::generate::native
