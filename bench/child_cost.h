// What child processes cost: instructions in user mode where the processor and the kernel let us count them, user time
// otherwise. User time leaves out system calls and waiting, but varies with the load of the machine; instructions do
// not.
#pragma once

#include <functional>

namespace metamorph::bench {

class ChildCost {
public:
    ChildCost();
    ~ChildCost();
    ChildCost(const ChildCost&) = delete;
    ChildCost& operator=(const ChildCost&) = delete;

    bool counts_instructions() const { return m_counter >= 0; }
    const char* unit() const { return counts_instructions() ? "instructions" : "seconds of user time"; }

    // Of the children that `action` starts and waits for. With instructions, this process's own few are in it, too.
    double of(const std::function<void()>& action) const;

private:
    double now() const;

    int m_counter = -1;
};

}  // namespace metamorph::bench
