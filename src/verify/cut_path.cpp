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

}  // namespace metamorph::verify
