#include "generate/slices.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metamorph::generate {

std::int64_t rounds_of_whole_blocks(const EntryCall& call) {
    constexpr std::int64_t k_block = 16;
    return call.outer_loop ? k_block / std::gcd(k_block, call.output_bytes / call.outer_loop->rounds) : 1;
}

std::vector<std::int64_t> slice_bounds(std::int64_t rounds, std::int64_t whole, int slices) {
    const std::int64_t stretches = (rounds + whole - 1) / whole;
    const bool is_whole = stretches >= slices;
    std::vector<std::int64_t> bounds;
    for (std::int64_t i = 0; i <= slices; ++i) {
        bounds.push_back(is_whole ? std::min(stretches * i / slices * whole, rounds) : rounds * i / slices);
    }
    return bounds;
}

std::string sliced_entry(const GeneratedCode& code, const std::vector<int>& slices) {
    assert(slices.size() == code.calls.size());
    std::string text = (code.adopted ? code.adopted->files : code.files).at(code.entry_source);
    std::size_t at = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const EntryCall& call = code.calls[i];
        const std::string arguments = fmt::format("{}", fmt::join(call.arguments, ", "));
        const std::string whole = fmt::format("    {}({});\n", call.function, arguments);
        at = text.find(whole, at);
        assert(at != std::string::npos);
        if (slices[i] == 1) {
            at += whole.size();
            continue;
        }
        assert(call.outer_loop && call.outer_loop->rounds >= slices[i]);
        const std::vector<std::int64_t> bounds =
            slice_bounds(call.outer_loop->rounds, rounds_of_whole_blocks(call), slices[i]);
        std::string parts;
        for (std::size_t slice = 0; slice + 1 < bounds.size(); ++slice) {
            parts += fmt::format("    {}({}, {}, {});\n", call.outer_loop->function, arguments, bounds[slice],
                                 bounds[slice + 1]);
        }
        text.replace(at, whole.size(), parts);
        at += parts.size();
    }
    return text;
}

}  // namespace metamorph::generate
