#include "pipeline/real_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace metamorph::pipeline {

std::optional<Int8Scale> int8_scale(const graph::Tensor& tensor) {
    if (tensor.type != graph::DataType::int8 || !tensor.quantization || tensor.quantization->per_channel()) {
        return std::nullopt;
    }
    return Int8Scale{tensor.quantization->scale.front(), tensor.quantization->zero_point.front()};
}

std::string floats_of(const std::string& quantised, Int8Scale scale) {
    std::string bytes(quantised.size() * sizeof(float), '\0');
    for (std::size_t i = 0; i < quantised.size(); ++i) {
        const std::int64_t steps = static_cast<signed char>(quantised[i]) - scale.zero_point;
        const float real = scale.scale * static_cast<float>(steps);
        std::memcpy(bytes.data() + i * sizeof real, &real, sizeof real);  // targets are little-endian, as this host is
    }
    return bytes;
}

std::optional<std::vector<double>> values_of(const std::string& bytes, const OutputFormat& format) {
    if (bytes.size() != format.values * (format.scale ? 1 : sizeof(float))) {
        return std::nullopt;
    }
    std::vector<double> values(format.values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (format.scale) {
            const std::int64_t steps = static_cast<signed char>(bytes[i]) - format.scale->zero_point;
            values[i] = static_cast<double>(format.scale->scale) * static_cast<double>(steps);
        } else {
            float real = 0;
            std::memcpy(&real, bytes.data() + i * sizeof real, sizeof real);
            values[i] = real;
        }
    }
    return values;
}

int answer_of(const std::vector<double>& values) {
    return values.empty() ? -1 : static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

report::OutputDifference difference_of(const Outputs& outputs, const Outputs& reference) {
    report::OutputDifference difference;
    difference.is_exact = outputs.bytes == reference.bytes;
    double greatest = 0;
    bool is_comparable = outputs.bytes.size() == reference.bytes.size();
    for (std::size_t i = 0; i < std::min(outputs.bytes.size(), reference.bytes.size()); ++i) {
        const auto ours = values_of(outputs.bytes[i], outputs.format);
        const auto theirs = values_of(reference.bytes[i], reference.format);
        if (!ours || !theirs || ours->size() != theirs->size()) {
            is_comparable = false;
            continue;
        }
        difference.same_answer += answer_of(*ours) == answer_of(*theirs) ? 1 : 0;
        for (std::size_t k = 0; k < ours->size(); ++k) {
            const double apart = std::abs((*ours)[k] - (*theirs)[k]);
            is_comparable = is_comparable && std::isfinite(apart);
            greatest = std::max(greatest, apart);
        }
    }
    if (is_comparable) {
        difference.greatest = greatest;
    }
    return difference;
}

}  // namespace metamorph::pipeline
