// NVM while a segment is walked through, and the images that a cut leaves behind. Internal to the search
// (crash_graph.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "util/interval_set.h"
#include "verify/machine.h"

namespace metamorph::verify {

// What a boot finds. Bytes that nobody needs (CrashTables::needed) are not described.
struct CrashImage {
    int boundary = 0;
    std::vector<Run> differs;  // from the recording's image at this boundary; ascending, not adjacent
    IntervalSet fresh;         // unknown: written since the last significant write, in an unknown order, perhaps torn
    IntervalSet stale;         // unknown since an earlier segment
    std::string key() const;   // equal where the images are
};

class CrashMemory {
public:
    CrashMemory(const Recording& recording, const CrashImage& image);

    void write(const NvmWrite& write);
    void torn_write(const NvmWrite& write, unsigned mask);  // bit i: byte i of it is written
    void apply(const Body& body);
    unsigned changes(
        const NvmWrite& write) const;  // bit i: byte i of it is another than what is there, or that is unknown

    // What has been written since is unknown in images taken until end_gap().
    void begin_gap() { m_gap = {}; }
    const IntervalSet& gap() const { return m_gap; }
    const IntervalSet& written() const { return m_written; }

    // `needed`: what is described. With `gap_is_unknown`, bytes written since begin_gap() are fresh.
    CrashImage image(const IntervalSet& needed, bool gap_is_unknown) const;
    // The same memory at the next boundary.
    CrashImage at_boundary(int boundary, const IntervalSet& needed) const;

private:
    void note(std::uint32_t address, std::uint32_t bytes);
    std::vector<Run> differences(int boundary, const IntervalSet& where) const;

    const Recording& m_recording;
    int m_boundary;
    std::string m_bytes;
    IntervalSet m_touched;  // may differ from the recording's image
    IntervalSet m_fresh, m_stale, m_gap, m_written;
};

}  // namespace metamorph::verify
