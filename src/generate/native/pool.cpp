// AveragePool2D and MaxPool2D. An average divides by the taps inside the image and rounds half away from zero.
#include "generate/native/window.h"

namespace metamorph::generate::native {
namespace {

// The number of taps inside the image along an axis: a literal, or a difference of the clamped bounds.
std::string taps_inside(const Axis& axis, const Bounds& bounds) {
    if (!axis.is_clamped()) {
        return fmt::format("{}", axis.filter);
    }
    return bounds.begin == "0" ? bounds.end : fmt::format("({} - {})", bounds.end, bounds.begin);
}

}  // namespace

Status write_pool2d(Layer& layer, const LayerContext& c, const graph::Pool2D& a) {
    const std::vector<std::int64_t>& shape = c.input(0).shape;
    const graph::Window wy = graph::window(a.padding, shape[1], a.filter_h, a.stride_h, 1);
    const graph::Window wx = graph::window(a.padding, shape[2], a.filter_w, a.stride_w, 1);
    const Axis y{'y', shape[1], wy.output, a.filter_h, wy.padding_before, a.stride_h, 1};
    const Axis x{'x', shape[2], wx.output, a.filter_w, wx.padding_before, a.stride_w, 1};
    const std::int64_t channels = shape[3];
    const std::int64_t row = x.input * channels;
    const bool average = a.kind == graph::Pool2D::Kind::average;
    MM_TRY(const ActivationRange range, range_of(c, a.activation));
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    layer.notes.push_back(fmt::format("Window {}x{}, stride {}x{}, {} padding.", y.filter, x.filter, y.stride, x.stride,
                                      a.padding == graph::Padding::same ? "SAME" : "VALID"));

    CText& out = layer.body;
    const int body = out.depth();
    const std::string n = out.loop("n", shape[0]);
    const std::string oy = row_loop(layer, y, x);
    const Bounds by = clamped_window(out, c.prefix, y, oy);
    const std::string ox = column_loop(layer, c.prefix, y, x);
    const Bounds bx = clamped_window(out, c.prefix, x, ox);
    std::string count = taps_inside(y, by) + " * " + taps_inside(x, bx);
    if (!y.is_clamped() && !x.is_clamped()) {
        count = fmt::format("{}", y.filter * x.filter);
    }
    if (average) {
        out.line("const int32_t count = {};", count);
    }
    const std::string ch = outer_loop(layer, "c", channels, "channels");
    out.line("int32_t {} = {};", average ? "sum" : "largest", average ? "0" : "INT8_MIN");
    const int taps = out.depth();
    const std::string ky = tap_loop(out, y, by);
    const std::string kx = tap_loop(out, x, bx);
    const std::string at = affine(
        {{n, y.input * row}, {oy, y.stride * row}, {ky, row}, {ox, x.stride * channels}, {kx, channels}, {ch, 1}},
        -y.padding * row - x.padding * channels);
    if (average) {
        out.line("sum += {}[{}];", in, at);
    } else {
        out.line("largest = {}_max(largest, {}[{}]);", c.prefix, in, at);
    }
    out.close_to(taps);
    if (average) {
        out.line("const int32_t rounded = sum > 0 ? sum + count / 2 : sum - count / 2;");
    }
    const std::string position =
        affine({{n, y.output * x.output * channels}, {oy, x.output * channels}, {ox, channels}, {ch, 1}});
    out.assign(fmt::format("output[{}]", position),
               fmt::format("{}_clamp_int8({}, {}, {})", c.prefix, average ? "rounded / count" : "largest", range.min,
                           range.max));
    out.close_to(body);
    return {};
}

}  // namespace metamorph::generate::native
