#include "adopt/step_rounds.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "cfront/loop_rounds.h"

namespace metamorph::adopt {
namespace {

using cfront::LoopOfFunction;
using cfront::RoundsFunction;

bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// Where the one call of a function begins in a step's statements; nothing where there are several, or none.
std::optional<std::size_t> place_of_call(const std::string& body, const std::string& function) {
    std::optional<std::size_t> found;
    for (std::size_t at = body.find(function); at != std::string::npos; at = body.find(function, at + 1)) {
        const std::size_t end = at + function.size();
        const bool is_name = (at == 0 || !is_word(body[at - 1])) && end < body.size() && !is_word(body[end]);
        if (is_name && (found || body[end] != '(')) {
            return std::nullopt;
        }
        if (is_name) {
            found = at;
        }
    }
    return found;
}

// The closing bracket of the one at `open`; nothing where a text or a character stands between them.
std::optional<std::size_t> closing(const std::string& body, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < body.size(); ++at) {
        if (body[at] == '"' || body[at] == '\'') {
            return std::nullopt;
        }
        depth += body[at] == '(' ? 1 : body[at] == ')' ? -1 : 0;
        if (depth == 0) {
            return at;
        }
    }
    return std::nullopt;
}

std::optional<std::string> calling(std::string body, const std::string& function, const std::string& rounds) {
    const auto at = place_of_call(body, function);
    const auto end = at ? closing(body, *at + function.size()) : std::nullopt;
    if (!end) {
        return std::nullopt;
    }
    const bool has_none = *end == *at + function.size() + 1;
    body.insert(*end, has_none ? "mm_first, mm_end" : ", mm_first, mm_end");
    return body.replace(*at, function.size(), rounds);
}

}  // namespace

Result<RoundsOfSteps> rounds_of_steps(const cfront::FrontEndInput& input, const cfront::EntrySource& source,
                                      const cfront::CodeModel& model, const std::vector<std::string>& step_names) {
    std::vector<LoopOfFunction> wanted;
    for (std::size_t s = 0; s < source.steps.size(); ++s) {
        const auto& loop = model.entry.steps[s].outer_loop;
        if (loop && loop->rounds > 0) {
            wanted.push_back({source.steps[s].name, loop->where});
        }
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    MM_TRY(const std::vector<RoundsFunction> functions, cfront::rounds_functions(input, wanted));

    RoundsOfSteps found;
    std::vector<bool> is_used(functions.size(), false);
    for (std::size_t s = 0; s < source.steps.size(); ++s) {
        StepRounds step;
        const auto& loop = model.entry.steps[s].outer_loop;
        if (!loop || loop->rounds == 0) {
            step.why_not = loop ? loop->why_not : "its loops are not known";
        } else {
            const LoopOfFunction key{source.steps[s].name, loop->where};
            const auto at = static_cast<std::size_t>(std::find(wanted.begin(), wanted.end(), key) - wanted.begin());
            const RoundsFunction& function = functions[at];
            const auto body = calling(source.steps[s].body, key.function, function.name);
            step.why_not = !function.why_not.empty() ? function.why_not
                           : body                    ? ""
                                  : fmt::format("its statements do not call {} exactly once", key.function);
            if (step.why_not.empty()) {
                step = {loop->rounds, "", step_names[s] + "_rounds", *body, function.prototype};
                is_used[at] = true;
            }
        }
        found.steps.push_back(std::move(step));
    }
    for (std::size_t i = 0; i < functions.size(); ++i) {
        if (is_used[i]) {
            found.edits.push_back(functions[i].edit);
        }
    }
    std::sort(found.edits.begin(), found.edits.end(), [](const cfront::SourceEdit& a, const cfront::SourceEdit& b) {
        return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
    });
    return found;
}

}  // namespace metamorph::adopt
