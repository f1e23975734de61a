// Starts from one or two images, appends random layers (mostly to the newest tensor, sometimes to an older one, which
// makes branches) and ends with a head. What nobody reads in the end becomes an output now and then; the rest of it
// stays computed and unused, as models in the wild have it.
#include "support/random_network.h"

#include <algorithm>

#include "support/random_layers.h"

namespace metamorph::test_support {

namespace {

using graph::TensorId;

struct Choice {
    int weight;
    bool (RandomLayers::*add)(TensorId);
};

constexpr Choice k_choices[] = {
    {6, &RandomLayers::add_conv_2d},
    {5, &RandomLayers::add_depthwise_conv_2d},
    {2, &RandomLayers::add_fully_connected},
    {4, &RandomLayers::add_pool_2d},
    {6, &RandomLayers::add_elementwise},
    {2, &RandomLayers::add_relu},
    {1, &RandomLayers::add_reshape},
    {3, &RandomLayers::add_pad},
    {2, &RandomLayers::add_mean},
    {3, &RandomLayers::add_concatenation},
    {2, &RandomLayers::add_requantize},
};

bool add_random_layer(RandomLayers& layers, TensorId x) {
    int total = 0;
    for (const Choice& choice : k_choices) {
        total += choice.weight;
    }
    int at = layers.random.small(0, total - 1);
    for (const Choice& choice : k_choices) {
        if (at < choice.weight) {
            return (layers.*choice.add)(x);
        }
        at -= choice.weight;
    }
    return false;
}

std::vector<std::int64_t> random_image(RandomSource& random) {
    const std::int64_t batch = random.chance(0.1) ? 2 : 1;
    return {batch, random.between(3, 13), random.between(3, 13), random.between(1, 6)};
}

std::vector<TensorId> computed_int8(const graph::Graph& graph) {
    std::vector<TensorId> ids;
    for (const graph::Operator& op : graph.operators) {
        if (graph.tensors[static_cast<std::size_t>(op.outputs[0])].type == graph::DataType::int8) {
            ids.push_back(op.outputs[0]);
        }
    }
    return ids;
}

void add_head(RandomLayers& layers) {
    const TensorId x = layers.last();
    if (layers.random.chance(0.5)) {
        layers.add_fully_connected(x);
    }
    if (layers.random.chance(0.5)) {
        layers.add_softmax(layers.last());
    }
    if (layers.random.chance(0.15)) {
        layers.add_dequantize(layers.last());
    }
}

void choose_outputs(RandomLayers& layers) {
    std::vector<bool> is_read(layers.graph.tensors.size());
    for (const graph::Operator& op : layers.graph.operators) {
        for (const TensorId id : op.inputs) {
            if (id >= 0) {
                is_read[static_cast<std::size_t>(id)] = true;
            }
        }
    }
    layers.graph.outputs.push_back(layers.last());
    for (const graph::Operator& op : layers.graph.operators) {
        const TensorId id = op.outputs[0];
        if (id != layers.last() && layers.random.chance(is_read[static_cast<std::size_t>(id)] ? 0.03 : 0.7)) {
            layers.graph.outputs.push_back(id);
        }
    }
}

}  // namespace

graph::Graph random_network(std::uint64_t seed, const RandomNetworkOptions& options) {
    RandomLayers layers(seed, options);
    layers.graph.name = fmt::format("random_{}", seed);
    const std::vector<std::int64_t> shape = random_image(layers.random);
    std::vector<TensorId> sources = {layers.add_input(shape, layers.random.chance(0.15))};
    if (layers.random.chance(0.15)) {
        const bool is_alike = layers.random.chance(0.5);
        sources.push_back(layers.add_input(is_alike ? shape : std::vector<std::int64_t>{1, 1, 1, shape[3]}, false));
    }
    const int wanted = layers.random.small(options.operators_min, options.operators_max);
    constexpr int k_attempts_max = 1000;  // layers that do not fit are skipped
    for (int i = 0; i < k_attempts_max && std::ssize(layers.graph.operators) < wanted; ++i) {
        std::vector<TensorId> candidates = computed_int8(layers.graph);
        candidates.insert(candidates.end(), sources.begin(), sources.end());
        const bool goes_on = !layers.graph.operators.empty() && layers.random.chance(0.8);
        add_random_layer(layers, goes_on ? layers.last() : layers.random.pick(candidates));
    }
    if (layers.graph.operators.empty()) {
        layers.add_requantize(sources[0]);
    }
    add_head(layers);
    choose_outputs(layers);
    return layers.graph;
}

}  // namespace metamorph::test_support
