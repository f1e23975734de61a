// Add and Mul, with broadcasting.
//
// Both operands become strides over the output's dimensions (0 where one is repeated); neighbouring dimensions that
// both operands walk through without a gap are merged, so that equal shapes are one loop. Add brings both operands to a
// common scale, shifted left by 20 bits, before it sums: three roundings, as in the reference.
#include "generate/native/layer.h"

#include <algorithm>

namespace metamorph::generate::native {
namespace {

struct Dimension {
    std::int64_t extent = 1, stride_a = 0, stride_b = 0;
};

// Strides of `shape` over the dimensions of `out_shape`, aligned at the end; 0 where it is repeated.
std::vector<std::int64_t> broadcast_strides(const std::vector<std::int64_t>& shape, std::size_t rank) {
    std::vector<std::int64_t> strides(rank, 0);
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::int64_t extent = shape[shape.size() - 1 - i];
        strides[rank - 1 - i] = extent == 1 ? 0 : stride;
        stride *= extent;
    }
    return strides;
}

// The output's dimensions, outermost first, merged where both operands go on without a gap.
std::vector<Dimension> merged_dimensions(const LayerContext& c) {
    const std::vector<std::int64_t>& shape = c.output().shape;
    const std::vector<std::int64_t> a = broadcast_strides(c.input(0).shape, shape.size());
    const std::vector<std::int64_t> b = broadcast_strides(c.input(1).shape, shape.size());
    std::vector<Dimension> merged;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 1) {
            continue;
        }
        if (!merged.empty() && merged.back().stride_a == shape[i] * a[i] && merged.back().stride_b == shape[i] * b[i]) {
            merged.back() = {merged.back().extent * shape[i], a[i], b[i]};
        } else {
            merged.push_back({shape[i], a[i], b[i]});
        }
    }
    return merged;
}

// Multiplier of Add: the reference insists on a real factor in (0, 1).
Result<Multiplier> below_one(const LayerContext& c, double real) {
    const Multiplier m = quantize_multiplier(real);
    if (!(real > 0.0 && real < 1.0) || m.shift > 0) {
        return fail(ErrorCode::model, c.where, "the output's scale {} is too small beside the inputs' scales {} and {}",
                    scale_of(c.output()), scale_of(c.input(0)), scale_of(c.input(1)));
    }
    return m;
}

std::string centred(const std::string& element, std::int64_t zero_point) {
    return zero_point == 0 ? element : fmt::format("({})", affine({{element, 1}}, -zero_point));
}

Status emit_add(CText& out, const LayerContext& c, const std::string& a, const std::string& b,
                const ActivationRange& range, const std::string& target) {
    constexpr int k_left_shift = 20;
    const double scale_a = static_cast<double>(scale_of(c.input(0)));
    const double scale_b = static_cast<double>(scale_of(c.input(1)));
    const double twice_larger = 2 * std::max(scale_a, scale_b);
    MM_TRY(const Multiplier ma, below_one(c, scale_a / twice_larger));
    MM_TRY(const Multiplier mb, below_one(c, scale_b / twice_larger));
    MM_TRY(const Multiplier mo,
           below_one(c, twice_larger / ((1 << k_left_shift) * static_cast<double>(scale_of(c.output())))));
    out.line("const int32_t scaled_a = {}_scale({} * {}, {}, {});", c.prefix, centred(a, zero_point_of(c.input(0))),
             1 << k_left_shift, ma.value, -ma.shift);
    out.line("const int32_t scaled_b = {}_scale({} * {}, {}, {});", c.prefix, centred(b, zero_point_of(c.input(1))),
             1 << k_left_shift, mb.value, -mb.shift);
    out.assign(target, fmt::format("{}_requantize(scaled_a + scaled_b, {}, {}, {}, {}, {})", c.prefix, mo.value,
                                   -mo.shift, zero_point_of(c.output()), range.min, range.max));
    return {};
}

}  // namespace

Status write_elementwise(Layer& layer, const LayerContext& c, const graph::Elementwise& a) {
    MM_TRY(const ActivationRange range, range_of(c, a.activation));
    const std::string name_a = add_input(layer, c, c.op.inputs[0], "a");
    const std::string name_b = add_input(layer, c, c.op.inputs[1], "b");
    add_output(layer, c);
    CText& out = layer.body;
    const int body = out.depth();
    std::vector<Term> at_a, at_b, at_output;
    const std::vector<Dimension> dimensions = merged_dimensions(c);
    std::int64_t inner = c.output().elements();
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const Dimension& d = dimensions[i];
        inner /= d.extent;
        const std::string variable = outer_loop(layer, dimensions.size() == 1 ? "i" : fmt::format("i{}", i), d.extent,
                                                dimensions.size() == 1 ? "elements" : "rows");
        at_a.push_back({variable, d.stride_a});
        at_b.push_back({variable, d.stride_b});
        at_output.push_back({variable, inner});
    }
    const std::string element_a = fmt::format("{}[{}]", name_a, affine(at_a));
    const std::string element_b = fmt::format("{}[{}]", name_b, affine(at_b));
    const std::string target = fmt::format("output[{}]", affine(at_output));
    if (a.kind == graph::Elementwise::Kind::add) {
        MM_CHECK(emit_add(out, c, element_a, element_b, range, target));
    } else {
        const double real = static_cast<double>(scale_of(c.input(0))) * static_cast<double>(scale_of(c.input(1))) /
                            static_cast<double>(scale_of(c.output()));
        const Requantization r{{quantize_multiplier(real)}, zero_point_of(c.output()), range};
        out.line("const int32_t product = {} * {};", centred(element_a, zero_point_of(c.input(0))),
                 centred(element_b, zero_point_of(c.input(1))));
        const std::string value = requantized(layer, c, r, "product", "");
        out.assign(target, value);
    }
    out.close_to(body);
    return {};
}

}  // namespace metamorph::generate::native
