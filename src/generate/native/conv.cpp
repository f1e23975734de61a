// Conv2D and DepthwiseConv2D.
//
// The window is clamped to the image instead of testing every tap: `ky_begin`, `ky_end`, `kx_begin`, `kx_end` are
// computed once a row and once a column, and only where padding makes them vary. The reference omits taps outside the
// image, which equals an input at the zero point; so the zero point is folded into the bias where no tap is ever
// outside, and subtracted from each input otherwise. Without dilation the taps of one row and all their channels lie
// side by side in both the image and the filter: one loop goes through them. Rejected: splitting the border from the
// inside (code four times as long) and im2col (needs a buffer).
#include "generate/native/window.h"

namespace metamorph::generate::native {
namespace {

template <typename Attributes>
Axis axis_y(const LayerContext& c, const Attributes& a, std::int64_t filter) {
    const graph::Window w =
        graph::window(a.padding, c.input(0).shape[1], static_cast<int>(filter), a.stride_h, a.dilation_h);
    return {'y', c.input(0).shape[1], w.output, filter, w.padding_before, a.stride_h, a.dilation_h};
}
template <typename Attributes>
Axis axis_x(const LayerContext& c, const Attributes& a, std::int64_t filter) {
    const graph::Window w =
        graph::window(a.padding, c.input(0).shape[2], static_cast<int>(filter), a.stride_w, a.dilation_w);
    return {'x', c.input(0).shape[2], w.output, filter, w.padding_before, a.stride_w, a.dilation_w};
}

std::string scaled_bound(const std::string& bound, std::int64_t factor) {
    if (bound.find_first_not_of("0123456789") == std::string::npos) {
        return fmt::format("{}", std::stoll(bound) * factor);
    }
    return affine({{bound, factor}});
}

// "input[i]" or "(input[i] + 3)": what is multiplied, with the zero point taken off where it is not in the bias.
std::string centred(const std::string& element, std::int64_t zero_point, bool folded) {
    return folded || zero_point == 0 ? element : fmt::format("({})", affine({{element, 1}}, -zero_point));
}

template <typename Attributes>
void note_window(Layer& layer, const Attributes& a, const Axis& y, const Axis& x) {
    layer.notes.push_back(fmt::format("Filter {}x{}, stride {}x{}, dilation {}x{}, {} padding.", y.filter, x.filter,
                                      y.stride, x.stride, y.dilation, x.dilation,
                                      a.padding == graph::Padding::same ? "SAME" : "VALID"));
}

void note_zero_point(Layer& layer, std::int64_t zero_point, bool folded) {
    if (zero_point != 0) {
        layer.notes.push_back(
            folded ? "The input's zero point is folded into the biases."
                   : "Taps outside the image are left out; the input's zero point is taken off each input.");
    }
}

}  // namespace

Status write_conv2d(Layer& layer, const LayerContext& c, const graph::Conv2D& a) {
    const graph::Tensor& filter = c.input(1);
    const std::int64_t channels = filter.shape[0];
    const std::int64_t depth = filter.shape[3];
    const std::int64_t batch = c.input(0).shape[0];
    if (c.input(0).shape[3] != depth) {
        return fail(ErrorCode::model, c.where,
                    "grouped convolution ({} input channels, {} in the filter) is not supported", c.input(0).shape[3],
                    depth);
    }
    const Axis y = axis_y(c, a, filter.shape[1]);
    const Axis x = axis_x(c, a, filter.shape[2]);
    const bool fold = !y.is_clamped() && !x.is_clamped();
    const std::int64_t zero_point = zero_point_of(c.input(0));
    const std::vector<std::int64_t> weights = constant_values(filter);
    const std::int64_t taps = y.filter * x.filter * depth;
    std::vector<std::vector<std::int64_t>> by_channel;
    for (std::int64_t i = 0; i < channels; ++i) {
        by_channel.emplace_back(weights.begin() + i * taps, weights.begin() + (i + 1) * taps);
    }
    MM_TRY(const std::vector<std::int64_t> biases, folded_biases(c, by_channel, fold));
    MM_TRY(const ActivationRange range, range_of(c, a.activation));
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    const std::string w = add_constant(layer, "weights", "int8_t", weights,
                                       fmt::format("filter [{}, {}, {}, {}]", channels, y.filter, x.filter, depth));
    const std::string bias =
        add_constant(layer, "biases", "int32_t", biases, fold ? "bias, zero point folded in" : "bias");
    note_window(layer, a, y, x);
    note_zero_point(layer, zero_point, fold);

    CText& out = layer.body;
    const int body = out.depth();
    const std::int64_t row = x.input * depth;
    const std::string n = out.loop("n", batch);
    const std::string oy = row_loop(layer, y, x);
    const Bounds by = clamped_window(out, c.prefix, y, oy);
    const std::string ox = column_loop(layer, c.prefix, y, x);
    const Bounds bx = clamped_window(out, c.prefix, x, ox);
    const std::string oc = outer_loop(layer, "oc", channels, "channels");
    out.line("int32_t acc = {}[{}];", bias, affine({{oc, 1}}));
    const int taps_depth = out.depth();
    const std::string ky = tap_loop(out, y, by);
    // `from` and `filter_from`: index of the window's row in the image, for kx = 0 and channel 0, and in the filter.
    const std::vector<Term> image{
        {n, y.input * row}, {oy, y.stride * row}, {ky, y.dilation * row}, {ox, x.stride * depth}};
    const std::vector<Term> kernel{{oc, taps}, {ky, x.filter * depth}};
    const std::int64_t corner = -y.padding * row - x.padding * depth;
    if (x.dilation == 1) {
        out.line("const int32_t from = {};", affine(image, corner));
        out.line("const int32_t filter_from = {};", affine(kernel));
        out.loop_between("i", scaled_bound(bx.begin, depth), scaled_bound(bx.end, depth));
        out.line("acc += {}[filter_from + i] * {};", w, centred(in + "[from + i]", zero_point, fold));
    } else {
        const std::string kx = tap_loop(out, x, bx);
        std::vector<Term> image_at = image, kernel_at = kernel;
        image_at.push_back({kx, x.dilation * depth});
        kernel_at.push_back({kx, depth});
        out.line("const int32_t from = {};", affine(image_at, corner));
        out.line("const int32_t filter_from = {};", affine(kernel_at));
        out.loop_between("i", "0", fmt::format("{}", depth));
        out.line("acc += {}[filter_from + i] * {};", w, centred(in + "[from + i]", zero_point, fold));
    }
    out.close_to(taps_depth);
    const Requantization r{channel_multipliers(c, channels), zero_point_of(c.output()), range};
    const std::string value = requantized(layer, c, r, "acc", oc);
    out.assign(
        fmt::format("output[{}]",
                    affine({{n, y.output * x.output * channels}, {oy, x.output * channels}, {ox, channels}, {oc, 1}})),
        value);
    out.close_to(body);
    return {};
}

Status write_depthwise_conv2d(Layer& layer, const LayerContext& c, const graph::DepthwiseConv2D& a) {
    const graph::Tensor& filter = c.input(1);
    const std::int64_t channels = filter.shape[3];
    const std::int64_t depth = c.input(0).shape[3];
    const std::int64_t multiplier = channels / depth;
    const std::int64_t batch = c.input(0).shape[0];
    const Axis y = axis_y(c, a, filter.shape[1]);
    const Axis x = axis_x(c, a, filter.shape[2]);
    const bool fold = !y.is_clamped() && !x.is_clamped();
    const std::int64_t zero_point = zero_point_of(c.input(0));
    const std::vector<std::int64_t> weights = constant_values(filter);
    std::vector<std::vector<std::int64_t>> by_channel(static_cast<std::size_t>(channels));
    for (std::size_t i = 0; i < weights.size(); ++i) {
        by_channel[i % by_channel.size()].push_back(weights[i]);
    }
    MM_TRY(const std::vector<std::int64_t> biases, folded_biases(c, by_channel, fold));
    MM_TRY(const ActivationRange range, range_of(c, a.activation));
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    const std::string w = add_constant(layer, "weights", "int8_t", weights,
                                       fmt::format("filter [1, {}, {}, {}]", y.filter, x.filter, channels));
    const std::string bias =
        add_constant(layer, "biases", "int32_t", biases, fold ? "bias, zero point folded in" : "bias");
    note_window(layer, a, y, x);
    note_zero_point(layer, zero_point, fold);

    CText& out = layer.body;
    const int body = out.depth();
    const std::int64_t row = x.input * depth;
    const std::string n = out.loop("n", batch);
    const std::string oy = row_loop(layer, y, x);
    const Bounds by = clamped_window(out, c.prefix, y, oy);
    const std::string ox = column_loop(layer, c.prefix, y, x);
    const Bounds bx = clamped_window(out, c.prefix, x, ox);
    const std::string ic = outer_loop(layer, "ic", depth, "channels");
    const std::string m = outer_loop(layer, "m", multiplier, "channels");
    const std::vector<Term> channel{{ic, multiplier}, {m, 1}};
    out.line("int32_t acc = {}[{}];", bias, affine(channel));
    const int taps_depth = out.depth();
    const std::string ky = tap_loop(out, y, by);
    const std::string kx = tap_loop(out, x, bx);
    const std::string image = affine({{n, y.input * row},
                                      {oy, y.stride * row},
                                      {ky, y.dilation * row},
                                      {ox, x.stride * depth},
                                      {kx, x.dilation * depth},
                                      {ic, 1}},
                                     -y.padding * row - x.padding * depth);
    const std::string kernel = affine({{ky, x.filter * channels}, {kx, channels}, {ic, multiplier}, {m, 1}});
    out.line("acc += {}[{}] *", w, kernel);
    out.line("       {};", centred(fmt::format("{}[{}]", in, image), zero_point, fold));
    out.close_to(taps_depth);
    const Requantization r{channel_multipliers(c, channels), zero_point_of(c.output()), range};
    const std::string value = requantized(layer, c, r, "acc", affine(channel));
    out.assign(fmt::format("output[{}]", affine({{n, y.output * x.output * channels},
                                                 {oy, x.output * channels},
                                                 {ox, channels},
                                                 {ic, multiplier},
                                                 {m, 1}})),
               value);
    out.close_to(body);
    return {};
}

}  // namespace metamorph::generate::native
