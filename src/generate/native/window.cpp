// Tap k of the window at position p reads p * stride - padding + k * dilation. Inside the image means
//   k >= (padding - p * stride) / dilation, rounded up, and k < (input + padding - p * stride) / dilation, rounded up.
// C's division rounds negative numbers towards zero, which only happens below 0, where the maximum with 0 decides.
#include "generate/native/window.h"

namespace metamorph::generate::native {
namespace {

std::string rounded_up(const std::string& variable, std::int64_t coefficient, std::int64_t constant,
                       std::int64_t divisor) {
    if (divisor == 1) {
        return affine({{variable, coefficient}}, constant);
    }
    return fmt::format("({}) / {}", affine({{variable, coefficient}}, constant + divisor - 1), divisor);
}

}  // namespace

Bounds clamped_window(CText& out, const std::string& prefix, const Axis& axis, const std::string& at) {
    Bounds bounds{"0", fmt::format("{}", axis.filter)};
    if (axis.starts_outside()) {
        bounds.begin = fmt::format("k{}_begin", axis.letter);
        out.line("const int32_t {} = {}_max(0, {});", bounds.begin, prefix,
                 rounded_up(at, -axis.stride, axis.padding, axis.dilation));
    }
    if (axis.ends_outside()) {
        bounds.end = fmt::format("k{}_end", axis.letter);
        out.line("const int32_t {} = {}_min({}, {});", bounds.end, prefix, axis.filter,
                 rounded_up(at, -axis.stride, axis.input + axis.padding, axis.dilation));
    }
    return bounds;
}

std::string tap_loop(CText& out, const Axis& axis, const Bounds& bounds) {
    const std::string variable = fmt::format("k{}", axis.letter);
    if (!axis.is_clamped()) {
        return out.loop(variable, axis.filter);
    }
    out.loop_between(variable, bounds.begin, bounds.end);
    return variable;
}

std::string row_loop(Layer& layer, const Axis& y, const Axis& x) {
    if (y.output == 1 || x.output == 1) {
        return outer_loop(layer, "oy", y.output, "positions");
    }
    layer.outer_loop = {y.output * x.output, "positions"};
    layer.body.open("for (int32_t oy = first / {0}; oy * {0} < end; ++oy)", x.output);
    return "oy";
}

std::string column_loop(Layer& layer, const std::string& prefix, const Axis& y, const Axis& x) {
    if (y.output == 1 || x.output == 1) {
        return outer_loop(layer, "ox", x.output, "positions");
    }
    layer.body.line("const int32_t ox_begin = {}_max(0, first - oy * {});", prefix, x.output);
    layer.body.line("const int32_t ox_end = {}_min({}, end - oy * {});", prefix, x.output, x.output);
    layer.body.loop_between("ox", "ox_begin", "ox_end");
    return "ox";
}

}  // namespace metamorph::generate::native
