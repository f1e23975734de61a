// Stand-alone ReLU and ReLU6, Quantize and Dequantize: one loop over all elements.
//
// The reference's ReLU requantises with a multiplier from a float division; its ReLU6 only clamps in the input's scale,
// whatever the output's. Quantize from float divides by the scale as float and rounds half away from zero; here without
// libm, after saturating to what the result can tell apart, so that no conversion overflows. Dequantize multiplies in
// float: the product has 33 bits at most, so the reference's way through double rounds the same.
#include "generate/native/layer.h"

namespace metamorph::generate::native {
namespace {

// One loop that requantises each element.
void write_requantize(Layer& layer, const LayerContext& c, const Requantization& r) {
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    CText& out = layer.body;
    const int body = out.depth();
    const std::string i = outer_loop(layer, "i", c.input(0).elements(), "elements");
    const std::string at = affine({{i, 1}});
    const std::string centred = affine({{fmt::format("{}[{}]", in, at), 1}}, -zero_point_of(c.input(0)));
    const std::string value = requantized(layer, c, r, centred, "");
    out.assign(fmt::format("output[{}]", at), value);
    out.close_to(body);
}

}  // namespace

Status write_relu(Layer& layer, const LayerContext& c, const graph::Relu& a) {
    if (a.activation == graph::Activation::relu) {
        const float ratio = scale_of(c.input(0)) / scale_of(c.output());
        MM_TRY(const ActivationRange range, range_of(c, a.activation));
        write_requantize(layer, c,
                         {{quantize_multiplier(static_cast<double>(ratio))}, zero_point_of(c.output()), range});
        return {};
    }
    if (a.activation != graph::Activation::relu6) {
        return fail(ErrorCode::model, c.where, "only ReLU and ReLU6 are supported as operators of their own");
    }
    const std::int64_t lower = zero_point_of(c.input(0));
    const std::int32_t upper = quantize_saturated(6.0F, scale_of(c.input(0)), lower);
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    CText& out = layer.body;
    const int body = out.depth();
    const std::string i = outer_loop(layer, "i", c.input(0).elements(), "elements");
    out.line("output[{0}] = {1}_clamp_int8({2}[{0}], {3}, {4});", affine({{i, 1}}), c.prefix, in, lower, upper);
    out.close_to(body);
    return {};
}

Status write_quantize(Layer& layer, const LayerContext& c) {
    if (c.input(0).type == graph::DataType::int8) {
        const double real = static_cast<double>(scale_of(c.input(0))) / static_cast<double>(scale_of(c.output()));
        write_requantize(layer, c, {{quantize_multiplier(real)}, zero_point_of(c.output()), {}});
        return {};
    }
    if (c.input(0).is_constant()) {
        return fail(ErrorCode::model, c.where, "quantising a constant at run time is not supported");
    }
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    CText& out = layer.body;
    const int body = out.depth();
    const std::string i = outer_loop(layer, "i", c.input(0).elements(), "elements");
    out.line("const float scaled = {}[{}] / {};", in, affine({{i, 1}}), float_literal(scale_of(c.output())));
    out.line("const float bounded = !(scaled > -512.0F) ? -512.0F : scaled < 512.0F ? scaled : 512.0F;");
    out.line("const int32_t whole = (int32_t)bounded;");
    out.line("const float rest = bounded - (float)whole;");
    out.line("const int32_t rounded = whole + (rest >= 0.5F ? 1 : rest <= -0.5F ? -1 : 0);");
    out.line("output[{}] = {}_clamp_int8({}, -128, 127);", affine({{i, 1}}), c.prefix,
             affine({{"rounded", 1}}, zero_point_of(c.output())));
    out.close_to(body);
    return {};
}

Status write_dequantize(Layer& layer, const LayerContext& c) {
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    CText& out = layer.body;
    const int body = out.depth();
    const std::string i = outer_loop(layer, "i", c.input(0).elements(), "elements");
    const std::string element = fmt::format("{}[{}]", in, affine({{i, 1}}));
    out.line("output[{}] = {} * (float)({});", affine({{i, 1}}), float_literal(scale_of(c.input(0))),
             affine({{element, 1}}, -zero_point_of(c.input(0))));
    out.close_to(body);
    return {};
}

}  // namespace metamorph::generate::native
