// A copy of a function that does only some rounds of its outer loop, as text: what a layer of anyone's C is cut into
// slices with.
#pragma once

#include <string>
#include <vector>

#include "cfront/external_statics.h"
#include "cfront/front_end.h"
#include "util/result.h"

namespace metamorph::cfront {

struct LoopOfFunction {
    std::string function;
    std::string loop;  // OuterLoop::where: "generated/conv.c:31"
    friend auto operator<=>(const LoopOfFunction&, const LoopOfFunction&) = default;
};

struct RoundsFunction {
    // Takes the arguments of the function and two more of type int: the first round, and the one behind the last.
    std::string name;
    std::string prototype;  // "int8_t conv_rounds_31(…);"; empty where the source with the entry has it already
    SourceEdit edit;        // the copy, behind the function; lines keep their numbers
    std::string why_not;    // with the line; the rest is empty then
};

// One each, in order. The caller has shown that rounds may run in any grouping and order (outer_loop.h); here is shown
// that the text can leave rounds out: nothing but the loop's own head moves on from round to round, and nothing but it
// ends the loop. Errors: as of analyse().
Result<std::vector<RoundsFunction>> rounds_functions(const FrontEndInput& input,
                                                     const std::vector<LoopOfFunction>& loops);

}  // namespace metamorph::cfront
