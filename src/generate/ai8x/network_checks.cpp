// What the description alone shows to be wrong. Where a size is not known (channels come from the weights), a check
// says nothing: the generator's own run finds the rest.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "generate/ai8x/network.h"

namespace metamorph::generate::ai8x {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

// Channels beyond 64 go through the processors in several passes, as equal as can be, in fours.
struct Passes {
    std::int64_t count = 1, processors = 0;
};
Passes passes_of(std::int64_t channels) {
    const std::int64_t count = ceil_div(channels, k_processors);
    const std::int64_t each = ceil_div(channels, count);
    return {count, count == 1 ? each : std::min<std::int64_t>(ceil_div(each, 4) * 4, k_processors)};
}

// Data memories (of four processors each) that a mask reaches, a bit each.
std::uint32_t instances_of(std::uint64_t processors) {
    std::uint32_t instances = 0;
    for (int i = 0; i < k_processors / 4; ++i) {
        instances |= ((processors >> (4 * i)) & 0xf) != 0 ? 1u << i : 0u;
    }
    return instances;
}

std::string mask_for(std::int64_t processors) {
    return fmt::format("{:#018x}", processors >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << processors) - 1);
}

std::optional<std::int64_t> channels_into(const Network& network, const Layer& layer,
                                          const std::optional<InputShape>& input) {
    if (layer.in_channels) {
        return *layer.in_channels;
    }
    if (layer.producers.size() != 1) {
        return {};  // joined, or element by element
    }
    if (layer.producers[0] == k_network_input) {
        return input ? std::optional(input->channels) : std::nullopt;
    }
    return network.output_channels(layer.producers[0]);
}

Status check_processors(const Network& network, const Layer& layer, const std::optional<InputShape>& input) {
    const auto channels = channels_into(network, layer, input);
    if (!channels || layer.is_flattening || layer.producers.size() != 1) {
        return {};
    }
    const Passes passes = passes_of(*channels);
    const int given = std::popcount(layer.processors);
    if (given != passes.processors) {
        return fail_with_hint(
            ErrorCode::model, network.where(layer),
            fmt::format("{} has {} processors for {} channels, which take {}{}", Network::label(layer), given,
                        *channels, passes.processors,
                        passes.count == 1 ? "" : fmt::format(" in each of {} passes", passes.count)),
            fmt::format("a mask with {} bits, such as {}, begun at the processor that the layer before writes to",
                        passes.processors, mask_for(passes.processors)));
    }
    return {};
}

Status check_format(const Network& network, const Layer& layer) {
    if (layer.data_format != DataFormat::chw) {
        return {};
    }
    if (layer.index != 0) {
        return fail_with_hint(
            ErrorCode::model, network.where(layer),
            fmt::format("{} has the format CHW, which only the network's input can have", Network::label(layer)),
            "leave 'data_format' out here: layers write HWC");
    }
    for (int i = 0; i < k_processors / 4; ++i) {
        const auto nibble = static_cast<unsigned>((layer.processors >> (4 * i)) & 0xf);
        if (std::popcount(nibble) > 1) {
            return fail_with_hint(
                ErrorCode::model, network.where(layer),
                fmt::format("{} reads CHW, a data memory a channel, but its processors {} to {} share one",
                            Network::label(layer), 4 * i, 4 * i + 3),
                "give each channel the first processor of a group of four: 0x0000000000000111 for three channels");
        }
    }
    return {};
}

Status check_streaming(const Network& network, const Layer& layer) {
    if (!layer.is_streaming || layer.index == 0) {
        return {};
    }
    if (!network.layers[static_cast<std::size_t>(layer.index) - 1].is_streaming) {
        return fail_with_hint(
            ErrorCode::model, network.where(layer),
            fmt::format("{} streams, but the layer before it does not", Network::label(layer)),
            "streaming layers are the first of a network, one behind the other: remove 'streaming' here, or add it "
            "before");
    }
    if (layer.producers.size() != 1 || layer.producers[0] != layer.index - 1) {
        return fail_with_hint(
            ErrorCode::model, network.where(layer),
            fmt::format("{} streams, and so reads the layer before it and no other", Network::label(layer)),
            "remove 'streaming' or 'in_sequences'");
    }
    return {};
}

Status check_width(const Network& network, const Layer& layer) {
    if (layer.output_width == 8) {
        return {};
    }
    for (const Layer& later : network.layers) {
        if (std::find(later.producers.begin(), later.producers.end(), layer.index) != later.producers.end()) {
            return fail_with_hint(
                ErrorCode::model, network.where(layer),
                fmt::format("{} writes 32 bits, which {} cannot read", Network::label(layer), Network::label(later)),
                "'output_width: 32' is for a layer that no other reads");
        }
    }
    if (layer.operation == "none") {
        return fail_with_hint(
            ErrorCode::model, network.where(layer),
            fmt::format("{} writes 32 bits, but only a convolution or a linear layer can", Network::label(layer)),
            "remove 'output_width' here");
    }
    return {};
}

// One after another, as the accelerator does it; nothing: it is not known.
std::optional<Dimensions> dimensions_behind(const Layer& layer, Dimensions in) {
    const auto one = [](std::int64_t size, std::int64_t pool, std::int64_t pool_stride, std::int64_t kernel,
                        std::int64_t dilation, std::int64_t pad, std::int64_t stride) {
        const std::int64_t pooled = pool > 1 ? (size - pool) / pool_stride + 1 : ceil_div(size, pool_stride);
        return (pooled + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
    };
    if (layer.operation == "convtranspose2d") {
        return {};
    }
    if (layer.operation == "mlp") {
        return Dimensions{1, 1};
    }
    const Dimensions out{one(in.rows, layer.pool.rows, layer.pool_stride.rows, layer.kernel.rows, layer.dilation.rows,
                             layer.pad.rows, layer.stride.rows),
                         one(in.columns, layer.pool.columns, layer.pool_stride.columns, layer.kernel.columns,
                             layer.dilation.columns, layer.pad.columns, layer.stride.columns)};
    return out.rows < 1 || out.columns < 1 ? std::nullopt : std::optional(out);
}

// Output that is certain to hit input before it was read: it begins inside the input, further on than the rows that the
// first output pixel needs. Whether output that follows closer is safe, the generator finds out.
Status check_overlap(const Network& network, const Layer& layer, Dimensions in, std::int64_t in_offset) {
    const std::uint64_t to = network.output_processors(layer.index);
    if (layer.is_streaming || to == 0 || (instances_of(layer.processors) & instances_of(to)) == 0) {
        return {};
    }
    const std::int64_t rows_needed = std::max(layer.kernel.rows * layer.dilation.rows, std::int64_t{1}) +
                                     (layer.pool.rows - 1) + layer.pool_stride.rows * layer.kernel.rows;
    const std::int64_t first = in_offset + rows_needed * in.columns * 4, end = in_offset + in.rows * in.columns * 4;
    if (layer.data_format != DataFormat::chw && layer.out_offset >= first && layer.out_offset < end) {
        return fail_with_hint(
            ErrorCode::model, network.where(layer),
            fmt::format("{} writes from {:#x} on, over its own input from {:#x} to {:#x} that it still has to read",
                        Network::label(layer), layer.out_offset, in_offset, end),
            fmt::format("put 'out_offset' behind the input ({:#x} or more), or onto other processors",
                        ceil_div(end, 0x10) * 0x10));
    }
    return {};
}

Status check_size(const Network& network, const Layer& layer, Dimensions out) {
    const bool streams_on = layer.index + 1 < static_cast<int>(network.layers.size()) &&
                            network.layers[static_cast<std::size_t>(layer.index) + 1].is_streaming;
    const std::int64_t bytes = out.rows * out.columns * 4 * (layer.write_gap + 1) * (layer.output_width / 8);
    if (!streams_on && layer.output_width == 8 && layer.out_offset + bytes > k_instance_bytes) {
        return fail_with_hint(
            ErrorCode::model, network.where(layer),
            fmt::format("{} writes {} x {} pixels from {:#x} on: {} bytes in each data memory of {}",
                        Network::label(layer), out.rows, out.columns, layer.out_offset, bytes, k_instance_bytes),
            "lower 'out_offset', pool or stream in the layers before");
    }
    return {};
}

Status check_places(const Network& network, const std::optional<InputShape>& input) {
    std::vector<std::optional<Dimensions>> behind(network.layers.size());
    for (const Layer& layer : network.layers) {
        std::optional<Dimensions> in = layer.in_dim;
        const int from = layer.producers[0];
        std::int64_t in_offset = layer.in_offset.value_or(0);
        if (from != k_network_input) {
            const Layer& before = network.layers[static_cast<std::size_t>(from)];
            in = in ? in : behind[static_cast<std::size_t>(from)];
            in_offset = layer.in_offset.value_or(before.out_offset);
        } else if (input && !in) {
            in = Dimensions{input->rows, input->columns};
        }
        if (!in) {
            continue;
        }
        // Layers that gather what several wrote, or that write in the gaps of another, have a plan of their own.
        const bool is_plain = layer.producers.size() == 1 && layer.write_gap == 0;
        if (is_plain) {
            MM_CHECK(check_overlap(network, layer, *in, in_offset));
        }
        auto& out = behind[static_cast<std::size_t>(layer.index)];
        out = layer.is_flattening ? Dimensions{1, 1} : dimensions_behind(layer, *in);
        if (out) {
            MM_CHECK(check_size(network, layer, *out));
        }
    }
    return {};
}

}  // namespace

Status check_network(const Network& network, const std::optional<InputShape>& input) {
    for (const Layer& layer : network.layers) {
        MM_CHECK(check_format(network, layer));
        MM_CHECK(check_processors(network, layer, input));
        MM_CHECK(check_streaming(network, layer));
        MM_CHECK(check_width(network, layer));
    }
    return check_places(network, input);
}

}  // namespace metamorph::generate::ai8x
