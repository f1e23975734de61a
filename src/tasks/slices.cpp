#include "tasks/slices.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

#include "util/text.h"

namespace metamorph::tasks {
namespace {

constexpr std::int64_t k_slices_max = 10'000;  // of one layer
constexpr std::int64_t k_amount_max = std::int64_t{1} << 40;
constexpr int k_steps_max = 60'000;  // a task id has 16 bits
constexpr const char* k_option = "--slice";

bool read_amount(std::string_view text, std::int64_t max, std::int64_t& amount) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    return error == std::errc() && end == text.data() + text.size() && amount >= 1 && amount <= max;
}

tl::unexpected<Error> refuse(std::string message, std::string hint) {
    return fail_with_hint(ErrorCode::options, k_option, std::move(message), std::move(hint));
}

std::string called(const std::vector<SliceableLayer>& layers, std::size_t index) {
    return fmt::format("layer {} ({})", index, layers[index].name);
}

Result<std::size_t> find_layer(const std::string& wanted, const std::vector<SliceableLayer>& layers) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (wanted == std::to_string(i) || wanted == layers[i].name || wanted == layers[i].function) {
            return i;
        }
        names.push_back(layers[i].name);
    }
    const std::string hint = did_you_mean(wanted, names);
    return refuse(fmt::format("there is no layer '{}': they go from 0 to {}", printable(wanted), layers.size() - 1),
                  hint.empty() ? "'metamorph inspect MODEL' lists the layers" : hint);
}

// Of a layer that one --slice LAYER=N names.
Result<int> slices_asked_for(const SliceRequest& request, const std::vector<SliceableLayer>& layers,
                             std::size_t index) {
    const SliceableLayer& layer = layers[index];
    if (request.amount > 1 && layer.rounds == 0) {
        return refuse(fmt::format("{} cannot be sliced: {}", called(layers, index), layer.why_not),
                      "leave it whole, or split the network so that it is a task of its own: --tasks layer");
    }
    if (request.amount > std::max<std::int64_t>(layer.rounds, 1)) {
        return refuse(fmt::format("{} has {} {}: it cannot become {} slices", called(layers, index), layer.rounds,
                                  layer.unit, request.amount),
                      fmt::format("ask for at most {}: {} {}={}", layer.rounds, k_option, index, layer.rounds));
    }
    return static_cast<int>(request.amount);
}

// The fewest slices of which none exceeds the limit.
Result<int> slices_within(const SliceRequest& request, const std::vector<SliceableLayer>& layers, std::size_t index) {
    const SliceableLayer& layer = layers[index];
    const bool by_bytes = request.kind == SliceRequest::Kind::auto_bytes;
    const std::int64_t whole = by_bytes ? layer.output_bytes : layer.macs;
    if (whole <= request.amount) {
        return 1;
    }
    const std::string what = by_bytes ? "bytes of output" : "multiply-accumulates";
    const std::string exempt = fmt::format("allow more, or leave this layer whole: {} {}=1", k_option, index);
    if (layer.rounds == 0) {
        return refuse(fmt::format("{} makes {} {}, more than {}, and cannot be sliced: {}", called(layers, index),
                                  whole, what, print(request), layer.why_not),
                      exempt);
    }
    const std::int64_t each = (whole + layer.rounds - 1) / layer.rounds;
    const std::int64_t rounds = request.amount / each;
    if (rounds == 0) {
        return refuse(fmt::format("{} has {} {} of {} {} each: even one of them is more than {}", called(layers, index),
                                  layer.rounds, layer.unit, each, what, print(request)),
                      exempt);
    }
    const std::int64_t stretches = (layer.rounds + layer.whole - 1) / layer.whole;
    const std::int64_t at_once = rounds / layer.whole;  // stretches in a slice; 0: one is too much, so cut it
    const std::int64_t slices = at_once > 0 ? (stretches + at_once - 1) / at_once
                                            : std::max((layer.rounds + rounds - 1) / rounds, stretches + 1);
    if (slices > k_slices_max) {
        return refuse(fmt::format("{} would become {} slices with {}; at most {}", called(layers, index), slices,
                                  print(request), k_slices_max),
                      exempt);
    }
    return static_cast<int>(slices);
}

}  // namespace

Result<SliceRequest> parse_slice(const std::string& text) {
    constexpr std::string_view k_auto = "auto:";
    SliceRequest request;
    if (text.starts_with(k_auto)) {
        for (const auto& [unit, kind] :
             {std::pair("MACs", SliceRequest::Kind::auto_macs), std::pair("B", SliceRequest::Kind::auto_bytes)}) {
            const std::string_view rest = std::string_view(text).substr(k_auto.size());
            if (rest.ends_with(unit) && read_amount(rest.substr(0, rest.size() - std::string_view(unit).size()),
                                                    k_amount_max, request.amount)) {
                request.kind = kind;
                return request;
            }
        }
        return refuse(fmt::format("'{}' does not say how large a slice may be", printable(text)),
                      "write 'auto:4096B' (bytes of output a slice) or 'auto:50000MACs' (multiply-accumulates)");
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        return refuse(fmt::format("'{}' is no way to slice a layer", printable(text)),
                      "write a layer and a number of slices, as in '3=4', or 'auto:4096B', or 'auto:50000MACs'");
    }
    request.layer = text.substr(0, equals);
    if (!read_amount(std::string_view(text).substr(equals + 1), k_slices_max, request.amount)) {
        return refuse(fmt::format("'{}' is no number of slices", printable(text.substr(equals + 1))),
                      fmt::format("write a number from 1 to {}, as in '{}=4'", k_slices_max, printable(request.layer)));
    }
    return request;
}

std::string print(const SliceRequest& request) {
    switch (request.kind) {
        case SliceRequest::Kind::auto_bytes:
            return fmt::format("auto:{}B", request.amount);
        case SliceRequest::Kind::auto_macs:
            return fmt::format("auto:{}MACs", request.amount);
        case SliceRequest::Kind::layer:
            break;
    }
    return fmt::format("{}={}", request.layer, request.amount);
}

Result<std::vector<int>> choose_slices(const std::vector<SliceRequest>& requests,
                                       const std::vector<SliceableLayer>& layers) {
    std::vector<int> slices(layers.size(), 1);
    std::vector<bool> is_named(layers.size(), false);
    for (const SliceRequest& request : requests) {
        if (request.kind != SliceRequest::Kind::layer) {
            continue;
        }
        MM_TRY(const std::size_t index, find_layer(request.layer, layers));
        if (is_named[index]) {
            return refuse(fmt::format("{} is sliced twice", called(layers, index)), "name each layer once");
        }
        is_named[index] = true;
        MM_TRY(slices[index], slices_asked_for(request, layers, index));
    }
    for (const SliceRequest& request : requests) {
        for (std::size_t i = 0; i < layers.size(); ++i) {
            if (request.kind != SliceRequest::Kind::layer && !is_named[i]) {
                MM_TRY(const int wanted, slices_within(request, layers, i));
                slices[i] = std::max(slices[i], wanted);
            }
        }
    }
    const int steps = std::accumulate(slices.begin(), slices.end(), 0);
    if (steps > k_steps_max) {
        return refuse(fmt::format("the layers would become {} slices in all; at most {}", steps, k_steps_max),
                      "ask for fewer");
    }
    return slices;
}

std::vector<int> steps_per_task(const std::vector<int>& layers_per_task, const std::vector<int>& slices) {
    std::vector<int> steps;
    std::size_t layer = 0;
    for (const int layers : layers_per_task) {
        int whole = 0;  // layers since the last slice
        const auto end_task = [&] {
            if (whole > 0) {
                steps.push_back(whole);
            }
            whole = 0;
        };
        for (int i = 0; i < layers; ++i, ++layer) {
            if (slices[layer] == 1) {
                ++whole;
                continue;
            }
            end_task();
            steps.insert(steps.end(), static_cast<std::size_t>(slices[layer]), 1);
        }
        end_task();
    }
    return steps;
}

std::vector<std::int64_t> behind_layers(const std::vector<std::int64_t>& behind_steps, const std::vector<int>& slices) {
    std::vector<std::int64_t> bytes;
    std::size_t step = 0;
    for (const int count : slices) {
        step += static_cast<std::size_t>(count);
        bytes.push_back(behind_steps[step - 1]);
    }
    return bytes;
}

}  // namespace metamorph::tasks
