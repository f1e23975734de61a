// Mean over any set of dimensions: an integer sum, the zero points of all summed elements taken off at once, one
// requantisation whose multiplier has the division by the number of elements in it (the reference folds it in as an
// integer division).
#include "generate/native/layer.h"

#include <algorithm>
#include <bit>

namespace metamorph::generate::native {
namespace {

struct Dimension {
    std::int64_t extent = 1, stride = 1;
    bool summed = false;
};

// The input's dimensions, outermost first; neighbours of the same kind merged.
std::vector<Dimension> merged_dimensions(const std::vector<std::int64_t>& shape, const std::vector<int>& axes) {
    std::vector<Dimension> merged;
    std::int64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        const bool summed = std::find(axes.begin(), axes.end(), static_cast<int>(i)) != axes.end();
        if (shape[i] != 1) {
            if (!merged.empty() && merged.front().summed == summed) {
                merged.front().extent *= shape[i];
            } else {
                merged.insert(merged.begin(), Dimension{shape[i], stride, summed});
            }
        }
        stride *= shape[i];
    }
    return merged;
}

Multiplier divided(Multiplier m, std::int64_t count) {
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) - 1;
    const int shift = std::min({bits, 32, 31 + m.shift});
    return {static_cast<std::int32_t>((static_cast<std::int64_t>(m.value) << shift) / count), m.shift - shift};
}

}  // namespace

Status write_mean(Layer& layer, const LayerContext& c, const graph::Mean& a) {
    constexpr std::int64_t k_count_max = std::int64_t{1} << 22;  // the sum stays below 2^31
    const std::vector<Dimension> dimensions = merged_dimensions(c.input(0).shape, a.axes);
    const std::int64_t count = c.input(0).elements() / c.output().elements();
    if (count > k_count_max) {
        return fail(ErrorCode::model, c.where, "a mean over {} elements is not supported; at most {}", count,
                    k_count_max);
    }
    const double real = static_cast<double>(scale_of(c.input(0))) / static_cast<double>(scale_of(c.output()));
    const Requantization r{{divided(quantize_multiplier(real), count)}, zero_point_of(c.output()), {}};
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);

    CText& out = layer.body;
    const int body = out.depth();
    std::vector<Term> at_input, at_output;
    std::int64_t output_stride = c.output().elements();
    int kept = 0;
    for (const Dimension& d : dimensions) {
        if (!d.summed) {
            output_stride /= d.extent;
            const std::string variable = outer_loop(layer, fmt::format("o{}", kept++), d.extent, "means");
            at_input.push_back({variable, d.stride});
            at_output.push_back({variable, output_stride});
        }
    }
    out.line("int32_t sum = 0;");
    const int before = out.depth();
    int summed = 0;
    for (const Dimension& d : dimensions) {
        if (d.summed) {
            at_input.push_back({out.loop(fmt::format("i{}", summed++), d.extent), d.stride});
        }
    }
    out.line("sum += {}[{}];", in, affine(at_input));
    out.close_to(before);
    const std::int64_t zero = zero_point_of(c.input(0)) * count;
    const std::string value = requantized(layer, c, r, zero == 0 ? "sum" : affine({{"sum", 1}}, -zero), "");
    out.assign(fmt::format("output[{}]", affine(at_output)), value);
    out.close_to(body);
    return {};
}

}  // namespace metamorph::generate::native
