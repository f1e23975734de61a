// Layers that move elements and compute nothing: Pad, Concatenation, and copies (a Reshape that cannot be an alias, a
// graph output that no operator writes).
//
// No store is conditional. Pad splits every padded dimension into before, inside and after: each part is a loop of its
// own. Of the outermost dimension these three share the rounds `first` to `end`; so do Concatenation's loops, one an
// input, where what is joined is not the outermost dimension.
#include "generate/native/layer.h"

#include <algorithm>

namespace metamorph::generate::native {
namespace {

struct PadDimension {
    std::int64_t before = 0, extent = 1, after = 0;
    std::int64_t stride_in = 1, stride_out = 1;
    std::int64_t out_extent() const { return before + extent + after; }
};

// Dimensions with padding, and runs without merged to one dimension; outermost first.
std::vector<PadDimension> pad_dimensions(const std::vector<std::int64_t>& shape, const graph::Pad& a) {
    std::vector<PadDimension> dimensions;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        PadDimension d{a.before[i], shape[i], a.after[i], 1, 1};
        const bool plain = d.before == 0 && d.after == 0;
        if (!dimensions.empty() && plain) {  // a row of what follows is one element more of the dimension before
            PadDimension& outer = dimensions.back();
            outer = {outer.before * d.extent, outer.extent * d.extent, outer.after * d.extent, 1, 1};
        } else {
            dimensions.push_back(d);
        }
    }
    std::int64_t in = 1;
    std::int64_t out = 1;
    for (std::size_t i = dimensions.size(); i-- > 0;) {
        dimensions[i].stride_in = in;
        dimensions[i].stride_out = out;
        in *= dimensions[i].extent;
        out *= dimensions[i].out_extent();
    }
    return dimensions;
}

class PadWriter {
public:
    PadWriter(Layer& layer, std::string prefix, std::vector<PadDimension> dimensions, std::string input, int value)
        : m_layer(layer),
          m_out(layer.body),
          m_prefix(std::move(prefix)),
          m_dimensions(std::move(dimensions)),
          m_input(std::move(input)),
          m_value(value) {}

    void write(std::size_t dimension, const std::vector<Term>& at_input, const std::vector<Term>& at_output,
               std::int64_t out_offset) {
        if (dimension == m_dimensions.size()) {
            m_out.line("output[{}] = {}[{}];", affine(at_output, out_offset), m_input, affine(at_input, m_in_offset));
            return;
        }
        const PadDimension& d = m_dimensions[dimension];
        if (!m_layer.outer_loop && d.out_extent() > 1) {
            write_outer_loop(dimension);
            return;
        }
        fill(d.before * d.stride_out, at_output, out_offset);
        const int depth = m_out.depth();
        const std::string variable = m_out.loop(fmt::format("i{}", dimension), d.extent);
        std::vector<Term> in = at_input, out = at_output;
        in.push_back({variable, d.stride_in});
        out.push_back({variable, d.stride_out});
        write(dimension + 1, in, out, out_offset + d.before * d.stride_out);
        m_out.close_to(depth);
        fill(d.after * d.stride_out, at_output, out_offset + (d.before + d.extent) * d.stride_out);
    }

private:
    // The outermost dimension by its position in the output: before, inside and after, of what is in [first, end).
    void write_outer_loop(std::size_t dimension) {
        const PadDimension& d = m_dimensions[dimension];
        m_layer.outer_loop = {d.out_extent(), "rows"};
        const int depth = m_out.depth();
        const std::string variable = fmt::format("i{}", dimension);
        const auto fill_row = [&] {
            fill(d.stride_out, {{variable, d.stride_out}}, 0);
            m_out.close_to(depth);
        };
        if (d.before > 0) {
            m_out.line("const int32_t before = {}_min(end, {});", m_prefix, d.before);
            m_out.loop_between(variable, "first", "before");
            fill_row();
            m_out.line("const int32_t inside = {}_max(first, {});", m_prefix, d.before);
        }
        if (d.after > 0) {
            m_out.line("const int32_t behind = {}_min(end, {});", m_prefix, d.before + d.extent);
        }
        m_out.loop_between(variable, d.before > 0 ? "inside" : "first", d.after > 0 ? "behind" : "end");
        m_in_offset = -d.before * d.stride_in;
        write(dimension + 1, {{variable, d.stride_in}}, {{variable, d.stride_out}}, 0);
        m_out.close_to(depth);
        if (d.after > 0) {
            m_out.line("const int32_t after = {}_max(first, {});", m_prefix, d.before + d.extent);
            m_out.loop_between(variable, "after", "end");
            fill_row();
        }
    }

    void fill(std::int64_t elements, const std::vector<Term>& at_output, std::int64_t out_offset) {
        if (elements == 0) {
            return;
        }
        const int depth = m_out.depth();
        std::vector<Term> out = at_output;
        out.push_back({m_out.loop("p", elements), 1});
        m_out.line("output[{}] = {};", affine(out, out_offset), m_value);
        m_out.close_to(depth);
    }

    Layer& m_layer;
    CText& m_out;
    std::string m_prefix;
    std::vector<PadDimension> m_dimensions;
    std::string m_input;
    int m_value;
    std::int64_t m_in_offset = 0;
};

}  // namespace

Status write_pad(Layer& layer, const LayerContext& c, const graph::Pad& a) {
    const std::string in = add_input(layer, c, c.op.inputs[0], "input");
    add_output(layer, c);
    const int value = a.pad_value ? *a.pad_value : static_cast<int>(zero_point_of(c.output()));
    layer.notes.push_back(fmt::format("Pads with {}.", value));
    PadWriter(layer, c.prefix, pad_dimensions(c.input(0).shape, a), in, value).write(0, {}, {}, 0);
    return {};
}

Status write_concatenation(Layer& layer, const LayerContext& c, const graph::Concatenation& a) {
    if (a.activation != graph::Activation::none) {
        return fail(ErrorCode::model, c.where, "a fused activation is not supported");
    }
    const std::vector<std::int64_t>& shape = c.output().shape;
    const auto axis = static_cast<std::size_t>(a.axis);
    std::int64_t outer = 1;
    std::int64_t inner = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        (i < axis ? outer : inner) *= i == axis ? 1 : shape[i];
    }
    const std::int64_t run_out = shape[axis] * inner;
    std::int64_t offset = 0;
    if (outer > 1) {
        layer.outer_loop = {outer, "rows"};
    } else {
        layer.why_no_slices = "its inputs follow one another in the output: no loop goes through all of it";
    }
    CText& out = layer.body;
    for (std::size_t i = 0; i < c.op.inputs.size(); ++i) {
        const std::string in = add_input(layer, c, c.op.inputs[i], fmt::format("input_{}", i));
        const std::int64_t run = c.input(i).shape[axis] * inner;
        const int body = out.depth();
        const std::string o = outer > 1 ? "o" : "";
        if (outer > 1) {
            out.loop_between(o, "first", "end");
        }
        const std::string k = out.loop("i", run);
        out.line("output[{}] = {}[{}];", affine({{o, run_out}, {k, 1}}, offset), in, affine({{o, run}, {k, 1}}));
        out.close_to(body);
        offset += run;
    }
    add_output(layer, c);
    return {};
}

void write_copy(Layer& layer, const LayerContext& c, graph::TensorId from, graph::TensorId to) {
    const std::string in = add_input(layer, c, from, "input");
    layer.ports.push_back({to, "output", true});
    CText& out = layer.body;
    const int body = out.depth();
    const std::string i = outer_loop(layer, "i", c.tensor(from).elements(), "elements");
    out.line("output[{}] = {}[{}];", affine({{i, 1}}), in, affine({{i, 1}}));
    out.close_to(body);
}

}  // namespace metamorph::generate::native
