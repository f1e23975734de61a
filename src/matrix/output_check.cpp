#include "matrix/output_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace metamorph::matrix {
namespace {

std::vector<double> values_of(const std::string& bytes, bool is_float) {
    std::vector<double> values;
    if (!is_float) {
        for (const char byte : bytes) {
            values.push_back(static_cast<signed char>(byte));
        }
        return values;
    }
    for (std::size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, bytes.data() + i, sizeof value);
        values.push_back(static_cast<double>(value));
    }
    return values;
}

std::ptrdiff_t answer_of(const std::vector<double>& values, std::size_t from, std::size_t count) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
    return std::max_element(begin, begin + static_cast<std::ptrdiff_t>(count)) - begin;
}

int digit_of(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::string bytes_of(const std::string& hexadecimal) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
        const int high = digit_of(hexadecimal[i]), low = digit_of(hexadecimal[i + 1]);
        if (high < 0 || low < 0) {
            break;
        }
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::optional<OutputCheck> compare_outputs(const std::string& expected, const std::string& actual, bool is_float,
                                           int inferences, double tolerance) {
    const bool is_same_type = expected.size() == actual.size();
    const bool is_other_type =
        is_float ? expected.size() == actual.size() * sizeof(float) : expected.size() * sizeof(float) == actual.size();
    const std::vector<double> wanted = values_of(expected, is_float);
    const std::vector<double> given = values_of(actual, is_float == is_same_type);
    if ((!is_same_type && !is_other_type) || wanted.size() != given.size() || wanted.empty() || inferences < 1 ||
        wanted.size() % static_cast<std::size_t>(inferences) != 0) {
        return {};
    }
    OutputCheck check;
    check.inferences = inferences;
    const std::size_t each = wanted.size() / static_cast<std::size_t>(inferences);
    for (std::size_t at = 0; at < wanted.size(); at += each) {
        check.same_answer += answer_of(wanted, at, each) == answer_of(given, at, each) ? 1 : 0;
    }
    if (!is_same_type) {
        check.is_within_tolerance = check.same_answer == inferences;
        return check;
    }
    check.is_exact = expected == actual;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double difference = std::abs(wanted[i] - given[i]);
        // Not a number is as far away as can be.
        check.greatest =
            std::isnan(difference) ? std::numeric_limits<double>::max() : std::max(check.greatest, difference);
    }
    check.is_within_tolerance = check.is_exact || check.greatest <= tolerance;
    return check;
}

}  // namespace metamorph::matrix
