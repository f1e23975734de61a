// NVM while a segment is walked through, and the images that a cut leaves behind. Internal to the search
// (crash_graph.h).
#pragma once

#include <cstdint>
#include <memory>
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

// A copy of `base`, which must outlive it, that holds only the pages written since: a search makes many copies of
// memories of which it writes little.
class PagedBytes {
public:
    explicit PagedBytes(const std::string& base)
        : m_base(base), m_pages((base.size() + k_page_bytes - 1) / k_page_bytes) {}

    char operator[](std::size_t at) const {
        const auto& page = m_pages[at / k_page_bytes];
        return page ? page[at % k_page_bytes] : m_base[at];
    }
    void write(std::size_t at, const char* bytes, std::size_t count);
    // Appends [begin, end), as far as it differs from `other`, to `runs`. `other` has the size of the base.
    void find_differences(const std::string& other, std::size_t begin, std::size_t end, std::vector<Run>& runs) const;

private:
    static constexpr std::size_t k_page_bytes = 256;
    const std::string& m_base;
    std::vector<std::unique_ptr<char[]>> m_pages;  // null: as in the base
};

class CrashMemory {
public:
    CrashMemory(const Recording& recording, const CrashImage& image);

    void write(const NvmWrite& write);
    void apply(const Body& body);
    unsigned changes(
        const NvmWrite& write) const;  // bit i: byte i of it is another than what is there, or that is unknown

    // What has been written since is unknown in images taken until end_gap().
    void begin_gap() { m_gap = {}; }
    const IntervalSet& gap() const { return m_gap; }
    const IntervalSet& written() const { return m_written; }

    // `needed`: what is described. With `gap_is_unknown`, bytes written since begin_gap() are fresh.
    CrashImage image(const IntervalSet& needed, bool gap_is_unknown) const;
    // As without an unknown gap, one a mask: if of `write` those bytes were written whose bit is in it (bit i: byte i).
    std::vector<CrashImage> torn_images(const IntervalSet& needed, const NvmWrite& write,
                                        const std::vector<unsigned>& masks);
    // Likewise, if of the unit that `write` is narrower than nothing is left.
    CrashImage ruined_image(const IntervalSet& needed, const NvmWrite& write, unsigned variant);
    // What a cut in `write` may change: more than its own bytes, where the unit is wider.
    IntervalSet torn_by(const NvmWrite& write) const;
    // The same memory at the next boundary.
    CrashImage at_boundary(int boundary, const IntervalSet& needed) const;

private:
    void note(const NvmWrite& write);
    std::vector<Run> differences(int boundary, const IntervalSet& where) const;

    const Recording& m_recording;
    int m_boundary;
    PagedBytes m_bytes;
    IntervalSet m_touched;  // may differ from the recording's image
    IntervalSet m_fresh, m_stale, m_gap, m_written;
};

}  // namespace metamorph::verify
