#include "cfront/exactness.h"

#include <algorithm>
#include <array>

namespace metamorph::cfront {

bool is_exact(const std::vector<Access>& accesses) {
    return std::all_of(accesses.begin(), accesses.end(),
                       [](const Access& access) { return access.read_reason.empty() && access.write_reason.empty(); });
}

bool is_better(const std::vector<Access>& a, const std::vector<Access>& b) {
    const auto sizes = [](const std::vector<Access>& accesses) {
        std::array<std::int64_t, 3> bytes{};
        for (const Access& access : accesses) {
            bytes[0] -= access.reads.bytes() - access.read_back.bytes();
            bytes[1] -= access.writes.bytes();
            bytes[2] += access.must_writes.bytes();
        }
        return bytes;
    };
    const std::array<std::int64_t, 3> of_a = sizes(a), of_b = sizes(b);
    bool is_nowhere_less = of_a != of_b;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        is_nowhere_less = is_nowhere_less && of_a[i] >= of_b[i];
    }
    return is_nowhere_less;
}

}  // namespace metamorph::cfront
