// Softmax over the last dimension. The reference evaluates exp() in fixed point for every element, twice; its argument
// has at most 256 values, so they are a table here, made at generation time by the same arithmetic. Summing and
// dividing stay integer arithmetic at run time (the arithmetic header's reciprocal).
//
// The reference stops with a failed check when the sum reaches 2^28 (more than 511 nearly equal values) and overflows
// at 2^31. Here the result of the former is what it would be mathematically; the latter (more than 4095 values) is
// refused.
#include "generate/native/layer.h"

namespace metamorph::generate::native {

Status write_softmax(Layer& layer, const LayerContext& c, const graph::Softmax& a) {
    constexpr std::int64_t k_depth_max = 4095;
    constexpr std::int64_t k_depth_of_reference = 511;
    const std::int64_t depth = c.input(0).shape.back();
    const std::int64_t rows = c.input(0).elements() / depth;
    if (depth > k_depth_max) {
        return fail(ErrorCode::model, c.where, "Softmax over {} values is not supported; at most {}", depth,
                    k_depth_max);
    }
    const auto exponentials = softmax_exponentials(scale_of(c.input(0)), a.beta);
    if (!exponentials) {
        return fail(ErrorCode::model, c.where, "Softmax's input scale {} times beta {} is too small",
                    scale_of(c.input(0)), a.beta);
    }
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    layer.why_no_slices = "every value of its only row needs the sum over all of them";
    const std::string table = add_constant(layer, "exponentials", "int32_t",
                                           std::vector<std::int64_t>(exponentials->begin(), exponentials->end()),
                                           "exp(-i * input scale * beta), Q0.31");
    CText& out = layer.body;
    const int body = out.depth();
    const std::string row = outer_loop(layer, "row", rows, "rows");
    const std::string at = affine({{row, depth}, {depth == 1 ? "" : "i", 1}});
    out.line("int32_t largest = INT8_MIN;");
    const int before = out.depth();
    out.loop("i", depth);
    out.line("largest = {}_max(largest, {}[{}]);", c.prefix, in, at);
    out.close_to(before);
    out.line("int32_t sum = 0;  // Q12.19");
    out.loop("i", depth);
    out.line("sum += {}_rounding_shift_right({}[largest - {}[{}]], 12);", c.prefix, table, in, at);
    out.close_to(before);
    out.line("const int32_t zeros = {}_leading_zeros(sum);", c.prefix);
    out.line("const int32_t reciprocal = {}_reciprocal(sum, zeros);", c.prefix);
    out.line("const int32_t shift = 35 - zeros;  // 12 integer bits of the sum, 31 fraction bits, 8 of them kept");
    out.loop("i", depth);
    out.assign("const int32_t share",
               fmt::format("{}_doubling_high_multiply(reciprocal, {}[largest - {}[{}]])", c.prefix, table, in, at));
    const std::string scaled = fmt::format("{}_rounding_shift_right(share, shift) - 128", c.prefix);
    if (depth > k_depth_of_reference) {
        out.line("output[{}] = {}_clamp_int8(shift > 31 ? -128 : {}, -128, 127);", at, c.prefix, scaled);
    } else {
        out.line("output[{}] = {}_clamp_int8({}, -128, 127);", at, c.prefix, scaled);
    }
    out.close_to(body);
    return {};
}

}  // namespace metamorph::generate::native
