// Sliding windows clamped to the image, shared by convolutions and pooling.
#pragma once

#include "generate/native/layer.h"

namespace metamorph::generate::native {

// One spatial dimension of a sliding window.
struct Axis {
    char letter = 'y';  // 'y' or 'x': names the variables
    std::int64_t input = 0, output = 0, filter = 0, padding = 0;
    std::int64_t stride = 1, dilation = 1;
    bool starts_outside() const { return padding > 0; }
    bool ends_outside() const { return (output - 1) * stride - padding + (filter - 1) * dilation > input - 1; }
    bool is_clamped() const { return starts_outside() || ends_outside(); }
};

struct Bounds {
    std::string begin, end;  // of the taps inside the image: C expressions, literals or variables
};

// Emits the bounds of the window at output position `at` (a variable, or "" for position 0) where they vary.
Bounds clamped_window(CText& out, const std::string& prefix, const Axis& axis, const std::string& at);

// Opens the loop over an axis's taps and returns its variable; one tap that is always inside needs no loop: returns "".
std::string tap_loop(CText& out, const Axis& axis, const Bounds& bounds);

// Open the loops over the rows and, inside of it, over the columns of the output, and return their variables. Together
// they are the layer's outer loop: its rounds are positions of the output image, counted row by row, so that a slice
// can begin and end in the middle of a row.
std::string row_loop(Layer& layer, const Axis& y, const Axis& x);
std::string column_loop(Layer& layer, const std::string& prefix, const Axis& y, const Axis& x);

}  // namespace metamorph::generate::native
