#include <fmt/format.h>

#include "verify/crash_graph.h"

namespace metamorph::verify {

std::string CutPoint::print() const {
    return fmt::format("{}{}{}", units, mask == 0 ? "" : fmt::format("~{:x}", mask),
                       outputs == 0 ? "" : fmt::format("!{}", outputs));
}

std::string print(const std::shared_ptr<const CutPath>& path) {
    if (!path) {
        return "";
    }
    if (!path->start.empty()) {
        return path->start;
    }
    const std::string before = print(path->before);
    return before.empty() ? path->cut.print() : before + "+" + path->cut.print();
}

int cuts_of(const std::shared_ptr<const CutPath>& path) {
    int cuts = 0;
    for (const CutPath* at = path.get(); at != nullptr; at = at->before.get()) {
        cuts += at->start.empty() ? 1 : 0;
    }
    return cuts;
}

}  // namespace metamorph::verify
