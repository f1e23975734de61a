#include "child_cost.h"

#include <cstdint>

#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace metamorph::bench {

ChildCost::ChildCost() {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.inherit = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    m_counter = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

ChildCost::~ChildCost() {
    if (m_counter >= 0) {
        close(m_counter);
    }
}

double ChildCost::now() const {
    std::uint64_t instructions = 0;
    if (m_counter >= 0) {
        return read(m_counter, &instructions, sizeof instructions) == static_cast<ssize_t>(sizeof instructions)
                   ? static_cast<double>(instructions)
                   : 0;
    }
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

double ChildCost::of(const std::function<void()>& action) const {
    const double before = now();
    action();
    return now() - before;
}

}  // namespace metamorph::bench
