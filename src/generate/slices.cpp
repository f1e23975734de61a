#include "generate/slices.h"

#include <cassert>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metamorph::generate {

std::string sliced_entry(const GeneratedCode& code, const std::vector<int>& slices) {
    assert(slices.size() == code.calls.size());
    std::string text = code.files.at(code.entry_source);
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
        std::string parts;
        for (std::int64_t slice = 0; slice < slices[i]; ++slice) {
            parts += fmt::format("    {}({}, {}, {});\n", call.outer_loop->function, arguments,
                                 call.outer_loop->rounds * slice / slices[i],
                                 call.outer_loop->rounds * (slice + 1) / slices[i]);
        }
        text.replace(at, whole.size(), parts);
        at += parts.size();
    }
    return text;
}

}  // namespace metamorph::generate
