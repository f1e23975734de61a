#include "verify/crash_image.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace metamorph::verify {
namespace {

void append(std::string& key, const void* data, std::size_t bytes) {
    key.append(static_cast<const char*>(data), bytes);
}

void append(std::string& key, const IntervalSet& set) {
    const std::size_t count = set.intervals().size();
    append(key, &count, sizeof count);
    for (const Interval& interval : set.intervals()) {
        append(key, &interval.begin, sizeof interval.begin);
        append(key, &interval.end, sizeof interval.end);
    }
}

char byte_of(const NvmWrite& write, unsigned index) {
    return static_cast<char>(write.value >> 8 * index);
}

}  // namespace

IntervalSet units_of(const IntervalSet& where, std::uint32_t unit_bytes) {
    if (unit_bytes <= 1) {
        return where;
    }
    const std::int64_t unit = unit_bytes;
    IntervalSet units;
    for (const Interval& i : where.intervals()) {
        units.add(i.begin / unit * unit, (i.end + unit - 1) / unit * unit);
    }
    return units;
}

std::string CrashImage::key() const {
    std::string key;
    append(key, &boundary, sizeof boundary);
    append(key, fresh);
    append(key, stale);
    for (const Run& run : differs) {
        const std::size_t bytes = run.bytes.size();
        append(key, &run.address, sizeof run.address);
        append(key, &bytes, sizeof bytes);
        key += run.bytes;
    }
    return key;
}

void PagedBytes::write(std::size_t at, const char* bytes, std::size_t count) {
    while (count > 0) {
        const std::size_t page_begin = at / k_page_bytes * k_page_bytes;
        const std::size_t part = std::min(count, page_begin + k_page_bytes - at);
        auto& page = m_pages[at / k_page_bytes];
        if (!page) {
            page = std::make_unique<char[]>(k_page_bytes);
            m_base.copy(page.get(), k_page_bytes, page_begin);
        }
        std::memcpy(page.get() + (at - page_begin), bytes, part);
        at += part;
        bytes += part;
        count -= part;
    }
}

void PagedBytes::find_differences(const std::string& other, std::size_t begin, std::size_t end,
                                  std::vector<Run>& runs) const {
    while (begin < end) {
        const std::size_t page_begin = begin / k_page_bytes * k_page_bytes;
        const std::size_t part_end = std::min(end, page_begin + k_page_bytes);
        const auto& page = m_pages[begin / k_page_bytes];
        const char* bytes = page ? page.get() : m_base.data() + page_begin;
        const bool is_same = (!page && &other == &m_base) ||
                             std::memcmp(bytes + (begin - page_begin), other.data() + begin, part_end - begin) == 0;
        for (; !is_same && begin < part_end; ++begin) {
            const char byte = bytes[begin - page_begin];
            if (byte == other[begin]) {
                continue;
            }
            if (runs.empty() || runs.back().address + runs.back().bytes.size() != begin) {
                runs.push_back({static_cast<std::uint32_t>(begin), ""});
            }
            runs.back().bytes += byte;
        }
        begin = part_end;
    }
}

CrashMemory::CrashMemory(const Recording& recording, const CrashImage& image)
    : m_recording(recording),
      m_boundary(image.boundary),
      m_bytes(recording.images[static_cast<std::size_t>(image.boundary)]),
      m_fresh(image.fresh),
      m_stale(image.stale) {
    for (const Run& run : image.differs) {
        m_bytes.write(run.address, run.bytes.data(), run.bytes.size());
        m_touched.add(run.address, run.address + static_cast<std::int64_t>(run.bytes.size()));
    }
}

IntervalSet CrashMemory::torn_by(const NvmWrite& write) const {
    const IntervalSet where(write.address, std::int64_t{write.address} + write.bytes);
    return m_recording.ruins_beside(write) ? units_of(where, m_recording.unit_bytes) : where;
}

void CrashMemory::note(const NvmWrite& write) {
    const std::int64_t begin = write.address, end = begin + write.bytes;
    m_touched.add(begin, end);
    m_written.add(begin, end);
    m_gap.add(torn_by(write));
    m_fresh.subtract(begin, end);
    m_stale.subtract(begin, end);
}

void CrashMemory::write(const NvmWrite& write) {
    std::array<char, sizeof write.value> bytes{};
    for (unsigned i = 0; i < write.bytes; ++i) {
        bytes[i] = byte_of(write, i);
    }
    m_bytes.write(write.address, bytes.data(), write.bytes);
    note(write);
}

void CrashMemory::apply(const Body& body) {
    for (const Run& run : body.last) {
        m_bytes.write(run.address, run.bytes.data(), run.bytes.size());
    }
    for (IntervalSet* set : {&m_touched, &m_written}) {
        set->add(body.written);
    }
    m_gap.add(body.torn);
    m_fresh.subtract(body.written);
    m_stale.subtract(body.written);
}

unsigned CrashMemory::changes(const NvmWrite& write) const {
    unsigned mask = 0;
    for (unsigned i = 0; i < write.bytes; ++i) {
        const IntervalSet byte(write.address + i, std::int64_t{write.address} + i + 1);
        const bool is_known = !m_fresh.intersects(byte) && !m_stale.intersects(byte);
        if (!is_known || m_bytes[write.address + i] != byte_of(write, i)) {
            mask |= 1U << i;
        }
    }
    return mask;
}

std::vector<Run> CrashMemory::differences(int boundary, const IntervalSet& where) const {
    const std::string& base = m_recording.images[static_cast<std::size_t>(boundary)];
    std::vector<Run> runs;
    for (const Interval& interval : where.intervals()) {
        m_bytes.find_differences(base, static_cast<std::size_t>(interval.begin), static_cast<std::size_t>(interval.end),
                                 runs);
    }
    return runs;
}

CrashImage CrashMemory::image(const IntervalSet& needed, bool gap_is_unknown) const {
    CrashImage image;
    image.boundary = m_boundary;
    image.fresh = m_fresh;
    if (gap_is_unknown) {
        image.fresh.add(m_gap);
    }
    image.fresh = image.fresh.intersected(needed);
    image.stale = m_stale.intersected(needed);
    IntervalSet where = m_touched.intersected(needed);
    where.subtract(image.fresh);
    where.subtract(image.stale);
    image.differs = differences(m_boundary, where);
    return image;
}

// Of all masks, what is unknown before the write is found once: finding it for each costs more than all else. Bytes
// are written in place and taken back.
std::vector<CrashImage> CrashMemory::torn_images(const IntervalSet& needed, const NvmWrite& write,
                                                 const std::vector<unsigned>& masks) {
    const CrashImage before = image(needed, false);
    IntervalSet where = m_touched.intersected(needed);
    where.add(IntervalSet(write.address, std::int64_t{write.address} + write.bytes).intersected(needed));
    std::array<char, sizeof write.value> old{};
    for (unsigned i = 0; i < write.bytes; ++i) {
        old[i] = m_bytes[write.address + i];
    }
    std::vector<CrashImage> images(masks.size());
    for (std::size_t at = 0; at < masks.size(); ++at) {
        CrashImage& torn = images[at];
        torn.boundary = m_boundary;
        torn.fresh = before.fresh;
        torn.stale = before.stale;
        for (unsigned i = 0; i < write.bytes; ++i) {
            const bool is_written = (masks[at] >> i & 1U) != 0;
            const char byte = is_written ? byte_of(write, i) : old[i];
            m_bytes.write(write.address + i, &byte, 1);
            if (is_written) {
                torn.fresh.subtract(write.address + i, std::int64_t{write.address} + i + 1);
                torn.stale.subtract(write.address + i, std::int64_t{write.address} + i + 1);
            }
        }
        IntervalSet known = where;
        known.subtract(torn.fresh);
        known.subtract(torn.stale);
        torn.differs = differences(m_boundary, known);
    }
    m_bytes.write(write.address, old.data(), write.bytes);
    return images;
}

CrashImage CrashMemory::ruined_image(const IntervalSet& needed, const NvmWrite& write, unsigned variant) {
    const Interval unit = torn_by(write).intervals().front();
    const auto begin = static_cast<std::size_t>(unit.begin);
    const auto count = std::min<std::size_t>(static_cast<std::size_t>(unit.bytes()), m_recording.nvm_bytes - begin);
    std::string old, ruined;
    for (std::size_t at = begin; at < begin + count; ++at) {
        old += m_bytes[at];
        ruined += static_cast<char>(emu::ruined_byte(variant, static_cast<std::uint32_t>(at)));
    }
    CrashImage image = this->image(needed, false);
    IntervalSet where = m_touched;
    where.add(unit.begin, unit.begin + static_cast<std::int64_t>(count));
    where = where.intersected(needed);
    image.fresh.subtract(unit.begin, unit.end);
    image.stale.subtract(unit.begin, unit.end);
    where.subtract(image.fresh);
    where.subtract(image.stale);
    m_bytes.write(begin, ruined.data(), count);
    image.differs = differences(m_boundary, where);
    m_bytes.write(begin, old.data(), count);
    return image;
}

CrashImage CrashMemory::at_boundary(int boundary, const IntervalSet& needed) const {
    CrashImage image;
    image.boundary = boundary;
    image.stale = m_stale;
    image.stale.add(m_fresh);
    image.stale = image.stale.intersected(needed);
    IntervalSet where = m_touched;
    for (int passed = m_boundary; passed < boundary; ++passed) {
        where.add(m_recording.written[static_cast<std::size_t>(passed)]);
    }
    where = where.intersected(needed);
    where.subtract(image.stale);
    image.differs = differences(boundary, where);
    return image;
}

}  // namespace metamorph::verify
