// Where a network can be cut: one tensor is alive, it is in data memory as a whole, and the generator, which counts
// layers from the first of a part, still wires what remains as it was wired.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/ai8x/network.h"

namespace metamorph::generate::ai8x {
namespace {

std::string producer_label(const Network& network, int producer) {
    return producer == k_network_input ? "the network's input"
                                       : Network::label(network.layers[static_cast<std::size_t>(producer)]);
}

std::string why_not_residual(const Network& network, int last) {
    for (const Layer& layer : network.layers) {
        if (layer.index <= last) {
            continue;
        }
        for (int producer : layer.producers) {
            if (producer < last) {
                return fmt::format("{} reads {}, an edge across the cut, besides what {} wrote", Network::label(layer),
                                   producer_label(network, producer), producer_label(network, last));
            }
        }
        for (const std::string& name : layer.named_producers) {
            if (network.layers[static_cast<std::size_t>(last)].name == name) {
                return fmt::format(
                    "{} reads '{}' by name, which the generator does not find in a part without it; "
                    "write its number, {}",
                    Network::label(layer), name, last);
            }
        }
    }
    const bool is_read = std::any_of(network.layers.begin() + last + 1, network.layers.end(), [&](const Layer& layer) {
        return std::find(layer.producers.begin(), layer.producers.end(), last) != layer.producers.end();
    });
    return is_read ? "" : fmt::format("nothing behind it reads {}", producer_label(network, last));
}

}  // namespace

std::string why_no_cut(const Network& network, int last) {
    const auto at = static_cast<std::size_t>(last);
    if (at + 1 >= network.layers.size()) {
        return "it is the last layer";
    }
    const Layer& layer = network.layers[at];
    const Layer& next = network.layers[at + 1];
    if (!network.bound_keys.empty()) {
        return fmt::format("'{}' describes the network as a whole, and each part would take it for its own",
                           network.bound_keys.front());
    }
    for (const Layer& any : network.layers) {
        if (!any.bound_keys.empty()) {
            return fmt::format("'{}' of {} counts layers in a way that a cut would shift", any.bound_keys.front(),
                               Network::label(any));
        }
    }
    if (next.is_streaming) {
        return layer.is_streaming ? fmt::format("{} streams into {}: what it wrote is never in memory as a whole",
                                                Network::label(layer), Network::label(next))
                                  : fmt::format("{} streams, and only the first part can stream", Network::label(next));
    }
    if (layer.output_width != 8) {
        return fmt::format("{} writes 32 bits, which no layer reads", Network::label(layer));
    }
    if (std::string why = why_not_residual(network, last); !why.empty()) {
        return why;
    }
    if (next.in_offset && *next.in_offset != layer.out_offset) {
        return fmt::format("{} reads from {:#x} on, and {} writes from {:#x} on", Network::label(next), *next.in_offset,
                           Network::label(layer), layer.out_offset);
    }
    if (next.producers != std::vector<int>{last}) {
        return fmt::format("{} does not read {} alone", Network::label(next), Network::label(layer));
    }
    return "";
}

Status check_cuts(const Network& network, const std::vector<int>& cuts) {
    std::vector<int> possible;
    for (int last = 0; last + 1 < static_cast<int>(network.layers.size()); ++last) {
        if (why_no_cut(network, last).empty()) {
            possible.push_back(last);
        }
    }
    for (int last : cuts) {
        const std::string why = why_no_cut(network, last);
        if (!why.empty()) {
            const Layer& layer = network.layers[static_cast<std::size_t>(last)];
            return fail_with_hint(
                ErrorCode::options, "--tasks",
                fmt::format("{} cannot be cut behind {} ({}): {}", network.file, Network::label(layer),
                            network.where(layer), why),
                possible.empty() ? "it cannot be cut anywhere: '--tasks whole' makes it one task"
                                 : fmt::format("cuts are possible behind the layers {}", fmt::join(possible, ", ")));
        }
    }
    return {};
}

}  // namespace metamorph::generate::ai8x
