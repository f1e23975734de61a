// A table of converters, one an operator; the same table says what is supported. Each takes the options from the file's
// table and folds constant operands (shapes, axes, paddings) into attributes. Whether the result makes sense (extents,
// quantisation, types) is for graph::verify, which every importer shares.
#include "import/tflite/tflite_operators.h"

#include <algorithm>
#include <cstring>

#include "util/checked.h"

namespace metamorph::import {

namespace {

using Converted = Result<ConvertedOperator>;

tl::unexpected<Error> no_options(const TfliteOperator& op) {
    return fail(ErrorCode::model, op.where, "its options are missing or of another operator");
}

Result<graph::Activation> activation_of(const TfliteOperator& op, schema::ActivationFunctionType type) {
    switch (type) {
        case schema::ActivationFunctionType::NONE:
            return graph::Activation::none;
        case schema::ActivationFunctionType::RELU:
            return graph::Activation::relu;
        case schema::ActivationFunctionType::RELU_N1_TO_1:
            return graph::Activation::relu_n1_to_1;
        case schema::ActivationFunctionType::RELU6:
            return graph::Activation::relu6;
        default:
            break;
    }
    const std::string name = schema::EnumNameActivationFunctionType(type);
    return fail(ErrorCode::model, op.where, "its fused activation is {}; supported: NONE, RELU, RELU_N1_TO_1, RELU6",
                name.empty() ? fmt::format("unknown ({})", static_cast<int>(type)) : name);
}

Result<graph::Padding> padding_of(const TfliteOperator& op, schema::Padding padding) {
    if (padding != schema::Padding::SAME && padding != schema::Padding::VALID) {
        return fail(ErrorCode::model, op.where, "its padding is unknown ({}); supported: SAME, VALID",
                    static_cast<int>(padding));
    }
    return padding == schema::Padding::SAME ? graph::Padding::same : graph::Padding::valid;
}

Status has_inputs(const TfliteOperator& op, std::size_t min, std::size_t max) {
    if (op.inputs.size() < min || op.inputs.size() > max) {
        return fail(ErrorCode::model, op.where, "it has {} inputs; supported: {} to {}", op.inputs.size(), min, max);
    }
    return {};
}

std::vector<std::int64_t> shape_of(const TfliteOperator& op, int tensor) {
    const auto extents =
        op.file.has_tensor(tensor) ? elements_of(op.file.tensor(tensor).shape()) : std::span<const int>();
    return {extents.begin(), extents.end()};
}

// A constant operand that becomes an attribute: a few 32- or 64-bit integers.
Result<std::vector<std::int64_t>> constant_integers(const TfliteOperator& op, std::size_t input, const char* role) {
    constexpr std::size_t k_count_max = 2 * graph::k_rank_max;
    const int id = op.inputs[input];
    if (!op.file.has_tensor(id)) {
        return fail(ErrorCode::model, op.where, "input {} ({}) is absent", input, role);
    }
    MM_TRY(const std::span<const std::byte> data, op.file.data(id, op.where));
    const schema::TensorType type = op.file.tensor(id).type();
    if (type != schema::TensorType::INT32 && type != schema::TensorType::INT64) {
        return fail(ErrorCode::model, op.where, "{} ({}) is {}; supported: INT32, INT64", op.file.tensor_text(id), role,
                    schema::EnumNameTensorType(type));
    }
    const std::size_t width = type == schema::TensorType::INT32 ? 4 : 8;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape_of(op, id)) {
        count = extent < 0 ? -1 : saturating_multiply(count, extent);
        if (count < 0) {
            break;
        }
    }
    if (data.empty() && count != 0) {
        return fail(ErrorCode::model, op.where, "{} ({}) is computed; supported: a constant", op.file.tensor_text(id),
                    role);
    }
    if (count < 0 || static_cast<std::size_t>(count) > k_count_max ||
        data.size() != static_cast<std::size_t>(count) * width) {
        return fail(ErrorCode::model, op.where, "{} ({}) has {} bytes for {} entries; supported: up to {} entries",
                    op.file.tensor_text(id), role, data.size(), count, k_count_max);
    }
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::int32_t narrow = 0;
        if (width == 4) {
            std::memcpy(&narrow, data.data() + i * width, width);
            values[i] = narrow;
        } else {
            std::memcpy(&values[i], data.data() + i * width, width);
        }
    }
    return values;
}

// Input, filter and bias, where files may leave out the last.
std::vector<int> with_bias(std::vector<int> inputs) {
    inputs.resize(3, -1);
    return inputs;
}

template <typename Attributes, typename Options>
Result<Attributes> convolution(const TfliteOperator& op, const Options& options) {
    Attributes result;
    MM_TRY(result.padding, padding_of(op, options.padding()));
    MM_TRY(result.activation, activation_of(op, options.fused_activation_function()));
    result.stride_h = options.stride_h();
    result.stride_w = options.stride_w();
    result.dilation_h = options.dilation_h_factor();
    result.dilation_w = options.dilation_w_factor();
    return result;
}

Converted convert_conv_2d(const TfliteOperator& op) {
    MM_CHECK(has_inputs(op, 2, 3));
    const auto* options = op.table.builtin_options_as_Conv2DOptions();
    if (options == nullptr) {
        return no_options(op);
    }
    MM_TRY(const auto result, (convolution<graph::Conv2D>(op, *options)));
    return ConvertedOperator{result, with_bias(op.inputs)};
}

Converted convert_depthwise_conv_2d(const TfliteOperator& op) {
    MM_CHECK(has_inputs(op, 2, 3));
    const auto* options = op.table.builtin_options_as_DepthwiseConv2DOptions();
    if (options == nullptr) {
        return no_options(op);
    }
    MM_TRY(auto result, (convolution<graph::DepthwiseConv2D>(op, *options)));
    result.depth_multiplier = options->depth_multiplier();
    if (result.depth_multiplier == 0) {  // newer converters may leave it to the shapes
        const auto input = shape_of(op, op.inputs[0]), filter = shape_of(op, op.inputs[1]);
        if (input.size() == 4 && filter.size() == 4 && input[3] > 0) {
            result.depth_multiplier = static_cast<int>(filter[3] / input[3]);
        }
    }
    return ConvertedOperator{result, with_bias(op.inputs)};
}

Converted convert_fully_connected(const TfliteOperator& op) {
    MM_CHECK(has_inputs(op, 2, 3));
    graph::FullyConnected result;
    if (const auto* options = op.table.builtin_options_as_FullyConnectedOptions()) {
        MM_TRY(result.activation, activation_of(op, options->fused_activation_function()));
        result.keep_num_dims = options->keep_num_dims();
        if (options->weights_format() != schema::WeightsFormat::DEFAULT) {
            return fail(ErrorCode::model, op.where, "its weights are shuffled; supported: the default format");
        }
    } else {
        return no_options(op);
    }
    return ConvertedOperator{result, with_bias(op.inputs)};
}

template <graph::Pool2D::Kind kind>
Converted convert_pool_2d(const TfliteOperator& op) {
    const auto* options = op.table.builtin_options_as_Pool2DOptions();
    if (options == nullptr) {
        return no_options(op);
    }
    graph::Pool2D result;
    result.kind = kind;
    MM_TRY(result.padding, padding_of(op, options->padding()));
    MM_TRY(result.activation, activation_of(op, options->fused_activation_function()));
    result.stride_h = options->stride_h();
    result.stride_w = options->stride_w();
    result.filter_h = options->filter_height();
    result.filter_w = options->filter_width();
    return ConvertedOperator{result, op.inputs};
}

Converted convert_add(const TfliteOperator& op) {
    graph::Elementwise result{graph::Elementwise::Kind::add, graph::Activation::none};
    if (const auto* options = op.table.builtin_options_as_AddOptions()) {
        MM_TRY(result.activation, activation_of(op, options->fused_activation_function()));
    }
    return ConvertedOperator{result, op.inputs};
}

Converted convert_mul(const TfliteOperator& op) {
    graph::Elementwise result{graph::Elementwise::Kind::mul, graph::Activation::none};
    if (const auto* options = op.table.builtin_options_as_MulOptions()) {
        MM_TRY(result.activation, activation_of(op, options->fused_activation_function()));
    }
    return ConvertedOperator{result, op.inputs};
}

template <graph::Activation activation>
Converted convert_relu(const TfliteOperator& op) {
    return ConvertedOperator{graph::Relu{activation}, op.inputs};
}

// The output's shape says everything; a new shape that is given, too, must agree with it.
Converted convert_reshape(const TfliteOperator& op) {
    MM_CHECK(has_inputs(op, 1, 2));
    std::vector<std::int64_t> wanted;
    if (op.inputs.size() == 2 && op.inputs[1] != -1) {
        MM_TRY(wanted, constant_integers(op, 1, "the new shape"));
    } else if (const auto* options = op.table.builtin_options_as_ReshapeOptions(); options && options->new_shape()) {
        const auto extents = elements_of(options->new_shape());
        wanted.assign(extents.begin(), extents.begin() + std::min<std::ptrdiff_t>(std::ssize(extents), 64));
    } else {
        return ConvertedOperator{graph::Reshape{}, {op.inputs[0]}};
    }
    const bool is_scalar_by_old_custom = wanted == std::vector<std::int64_t>{0};
    if (is_scalar_by_old_custom) {
        wanted.clear();
    }
    const std::vector<std::int64_t> output = op.outputs.empty() ? wanted : shape_of(op, op.outputs[0]);
    const auto agrees = [](std::int64_t want, std::int64_t have) { return want == -1 || want == have; };
    if (std::count(wanted.begin(), wanted.end(), -1) > 1 || wanted.size() != output.size() ||
        !std::equal(wanted.begin(), wanted.end(), output.begin(), agrees)) {
        return fail(ErrorCode::model, op.where, "its new shape contradicts the shape of its output, {}",
                    op.outputs.empty() ? "none" : op.file.tensor_text(op.outputs[0]));
    }
    return ConvertedOperator{graph::Reshape{}, {op.inputs[0]}};
}

Converted convert_softmax(const TfliteOperator& op) {
    const auto* options = op.table.builtin_options_as_SoftmaxOptions();
    if (options == nullptr) {
        return no_options(op);
    }
    return ConvertedOperator{graph::Softmax{options->beta()}, op.inputs};
}

Result<graph::Pad> paddings_of(const TfliteOperator& op) {
    MM_TRY(const auto paddings, constant_integers(op, 1, "the paddings"));
    const std::vector<std::int64_t> shape = shape_of(op, op.inputs[1]);
    if (shape.size() != 2 || shape[1] != 2) {
        return fail(ErrorCode::model, op.where, "{} (the paddings) is not a list of pairs",
                    op.file.tensor_text(op.inputs[1]));
    }
    graph::Pad result;
    for (std::size_t i = 0; i < paddings.size(); i += 2) {
        result.before.push_back(paddings[i]);
        result.after.push_back(paddings[i + 1]);
    }
    return result;
}

Converted convert_pad(const TfliteOperator& op) {
    MM_CHECK(has_inputs(op, 2, 2));
    MM_TRY(auto result, paddings_of(op));
    return ConvertedOperator{std::move(result), {op.inputs[0]}};
}

Converted convert_padv2(const TfliteOperator& op) {
    MM_CHECK(has_inputs(op, 3, 3));
    MM_TRY(auto result, paddings_of(op));
    const int id = op.inputs[2];
    if (!op.file.has_tensor(id) || !op.file.has_tensor(op.inputs[0])) {
        return fail(ErrorCode::model, op.where, "its input or its padding value is absent");
    }
    MM_TRY(const std::span<const std::byte> data, op.file.data(id, op.where));
    const schema::Tensor& value = op.file.tensor(id);
    if (value.type() != schema::TensorType::INT8 || data.size() != 1) {
        return fail(ErrorCode::model, op.where,
                    "{} (the padding value) is {} with {} bytes of data; supported: a constant INT8",
                    op.file.tensor_text(id), schema::EnumNameTensorType(value.type()), data.size());
    }
    const auto* mine = value.quantization();
    const auto* of_input = op.file.tensor(op.inputs[0]).quantization();
    if (mine == nullptr || of_input == nullptr ||
        !std::ranges::equal(elements_of(mine->scale()), elements_of(of_input->scale())) ||
        !std::ranges::equal(elements_of(mine->zero_point()), elements_of(of_input->zero_point()))) {
        return fail(ErrorCode::model, op.where,
                    "{} (the padding value) is quantised unlike the input; supported: alike", op.file.tensor_text(id));
    }
    result.pad_value = static_cast<std::int8_t>(data[0]);
    return ConvertedOperator{std::move(result), {op.inputs[0]}};
}

Converted convert_mean(const TfliteOperator& op) {
    MM_CHECK(has_inputs(op, 2, 2));
    MM_TRY(const auto axes, constant_integers(op, 1, "the axes"));
    const std::int64_t rank = std::ssize(shape_of(op, op.inputs[0]));
    graph::Mean result;
    for (const std::int64_t axis : axes) {
        if (axis < -rank || axis >= rank) {
            return fail(ErrorCode::model, op.where, "it reduces axis {} of {} dimensions", axis, rank);
        }
        result.axes.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
    }
    std::sort(result.axes.begin(), result.axes.end());
    result.axes.erase(std::unique(result.axes.begin(), result.axes.end()), result.axes.end());
    const auto* options = op.table.builtin_options_as_ReducerOptions();
    result.keep_dims = options != nullptr && options->keep_dims();
    return ConvertedOperator{std::move(result), {op.inputs[0]}};
}

Converted convert_concatenation(const TfliteOperator& op) {
    const auto* options = op.table.builtin_options_as_ConcatenationOptions();
    if (options == nullptr) {
        return no_options(op);
    }
    graph::Concatenation result;
    MM_TRY(result.activation, activation_of(op, options->fused_activation_function()));
    const std::int64_t rank = op.outputs.empty() ? 0 : std::ssize(shape_of(op, op.outputs[0]));
    const std::int64_t axis = options->axis();
    if (axis < -rank || axis >= rank) {
        return fail(ErrorCode::model, op.where, "it joins along axis {} of {} dimensions", axis, rank);
    }
    result.axis = static_cast<int>(axis < 0 ? axis + rank : axis);
    return ConvertedOperator{result, op.inputs};
}

Converted convert_quantize(const TfliteOperator& op) {
    return ConvertedOperator{graph::Quantize{}, op.inputs};
}
Converted convert_dequantize(const TfliteOperator& op) {
    return ConvertedOperator{graph::Dequantize{}, op.inputs};
}

struct Converter {
    schema::BuiltinOperator code;
    Converted (*convert)(const TfliteOperator&);
};

constexpr Converter k_converters[] = {
    {schema::BuiltinOperator::ADD, convert_add},
    {schema::BuiltinOperator::AVERAGE_POOL_2D, convert_pool_2d<graph::Pool2D::Kind::average>},
    {schema::BuiltinOperator::CONCATENATION, convert_concatenation},
    {schema::BuiltinOperator::CONV_2D, convert_conv_2d},
    {schema::BuiltinOperator::DEPTHWISE_CONV_2D, convert_depthwise_conv_2d},
    {schema::BuiltinOperator::DEQUANTIZE, convert_dequantize},
    {schema::BuiltinOperator::FULLY_CONNECTED, convert_fully_connected},
    {schema::BuiltinOperator::MAX_POOL_2D, convert_pool_2d<graph::Pool2D::Kind::max>},
    {schema::BuiltinOperator::MEAN, convert_mean},
    {schema::BuiltinOperator::MUL, convert_mul},
    {schema::BuiltinOperator::PAD, convert_pad},
    {schema::BuiltinOperator::PADV2, convert_padv2},
    {schema::BuiltinOperator::QUANTIZE, convert_quantize},
    {schema::BuiltinOperator::RELU, convert_relu<graph::Activation::relu>},
    {schema::BuiltinOperator::RELU6, convert_relu<graph::Activation::relu6>},
    {schema::BuiltinOperator::RELU_N1_TO_1, convert_relu<graph::Activation::relu_n1_to_1>},
    {schema::BuiltinOperator::RESHAPE, convert_reshape},
    {schema::BuiltinOperator::SOFTMAX, convert_softmax},
};

}  // namespace

std::string supported_operators() {
    std::string text;
    for (const Converter& converter : k_converters) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", schema::EnumNameBuiltinOperator(converter.code));
    }
    return text;
}

Result<ConvertedOperator> convert_operator(schema::BuiltinOperator code, const std::string& name,
                                           const TfliteOperator& op) {
    for (const Converter& converter : k_converters) {
        if (converter.code == code) {
            return converter.convert(op);
        }
    }
    return fail(ErrorCode::model, op.where, "the operator {} is not supported; supported: {}", name,
                supported_operators());
}

}  // namespace metamorph::import
