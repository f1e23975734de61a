// A number of tasks is resolved by dynamic programming over the cuts: first the smallest possible longest part (which
// is ceil(steps / tasks)), then the fewest bytes over all cuts. Cost by MACs was rejected: the partition does not know
// graphs.
#include "tasks/partition.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metamorph::tasks {
namespace {

constexpr int k_number_max = 100000;

tl::unexpected<Error> unreadable(const std::string& text) {
    return fail_with_hint(ErrorCode::options, "--tasks", fmt::format("'{}' is no way to split a network", text),
                          "write 'whole', 'layer', layers per task as in '3,3,3', or a number of tasks as in '4'");
}

bool read_number(std::string_view text, int& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= k_number_max;
}

std::vector<int> balanced(int steps, int tasks, const std::vector<std::int64_t>& boundary_bytes) {
    constexpr std::int64_t k_none = std::numeric_limits<std::int64_t>::max();
    const int longest = (steps + tasks - 1) / tasks;
    const auto at = [&](int task, int step) { return static_cast<std::size_t>(task * (steps + 1) + step); };
    std::vector<std::int64_t> cost(at(tasks, steps) + 1, k_none);
    std::vector<int> taken(cost.size(), 0);
    cost[at(0, 0)] = 0;
    for (int task = 1; task <= tasks; ++task) {
        for (int step = task; step <= steps; ++step) {
            for (int length = 1; length <= std::min(longest, step); ++length) {
                const std::int64_t before = cost[at(task - 1, step - length)];
                if (before == k_none) {
                    continue;
                }
                const std::int64_t crossing = step < steps ? boundary_bytes[static_cast<std::size_t>(step - 1)] : 0;
                if (before + crossing < cost[at(task, step)]) {
                    cost[at(task, step)] = before + crossing;
                    taken[at(task, step)] = length;
                }
            }
        }
    }
    std::vector<int> layers;
    for (int task = tasks, step = steps; task > 0; --task) {
        layers.push_back(taken[at(task, step)]);
        step -= layers.back();
    }
    std::reverse(layers.begin(), layers.end());
    return layers;
}

}  // namespace

Result<Split> parse_split(const std::string& text) {
    if (text == "whole") {
        return Split{Split::Kind::whole, {}, 0};
    }
    if (text == "layer") {
        return Split{Split::Kind::layer, {}, 0};
    }
    Split split;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        int number = 0;
        if (!read_number(std::string_view(text).substr(begin, comma - begin), number)) {
            return unreadable(text);
        }
        split.layers.push_back(number);
        begin = comma + 1;
    }
    split.kind = Split::Kind::list;
    if (split.layers.size() == 1) {
        split = Split{Split::Kind::count, {}, split.layers.front()};
    }
    return split;
}

std::string print(const Split& split) {
    switch (split.kind) {
        case Split::Kind::whole:
            return "whole";
        case Split::Kind::layer:
            return "layer";
        case Split::Kind::count:
            return std::to_string(split.count);
        case Split::Kind::list:
            break;
    }
    return fmt::format("{}", fmt::join(split.layers, ","));
}

Result<std::vector<int>> layers_per_task(const Split& split, int steps,
                                         const std::vector<std::int64_t>& boundary_bytes) {
    switch (split.kind) {
        case Split::Kind::whole:
            return std::vector<int>{steps};
        case Split::Kind::layer:
            return std::vector<int>(static_cast<std::size_t>(steps), 1);
        case Split::Kind::count:
            if (split.count > steps) {
                return fail(ErrorCode::options, "--tasks",
                            "{} tasks cannot be made of {} layers; at most one task a layer", split.count, steps);
            }
            return balanced(steps, split.count, boundary_bytes);
        case Split::Kind::list:
            break;
    }
    const std::int64_t sum = std::accumulate(split.layers.begin(), split.layers.end(), std::int64_t{0});
    if (sum != steps) {
        return fail_with_hint(ErrorCode::options, "--tasks",
                              fmt::format("the layers per task in '{}' sum up to {}, but this network has {} layers",
                                          print(split), sum, steps),
                              "'metamorph inspect MODEL' numbers the layers");
    }
    return split.layers;
}

}  // namespace metamorph::tasks
