#include "verify/crash_image.h"

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

CrashMemory::CrashMemory(const Recording& recording, const CrashImage& image)
    : m_recording(recording),
      m_boundary(image.boundary),
      m_bytes(recording.images[static_cast<std::size_t>(image.boundary)]),
      m_fresh(image.fresh),
      m_stale(image.stale) {
    for (const Run& run : image.differs) {
        m_bytes.replace(run.address, run.bytes.size(), run.bytes);
        m_touched.add(run.address, run.address + static_cast<std::int64_t>(run.bytes.size()));
    }
}

void CrashMemory::note(std::uint32_t address, std::uint32_t bytes) {
    const std::int64_t end = std::int64_t{address} + bytes;
    m_touched.add(address, end);
    m_written.add(address, end);
    m_gap.add(address, end);
    m_fresh.subtract(IntervalSet(address, end));
    m_stale.subtract(IntervalSet(address, end));
}

void CrashMemory::write(const NvmWrite& write) {
    for (unsigned i = 0; i < write.bytes; ++i) {
        m_bytes[write.address + i] = byte_of(write, i);
    }
    note(write.address, write.bytes);
}

void CrashMemory::torn_write(const NvmWrite& write, unsigned mask) {
    for (unsigned i = 0; i < write.bytes; ++i) {
        if ((mask >> i & 1U) != 0) {
            m_bytes[write.address + i] = byte_of(write, i);
            note(write.address + i, 1);
        }
    }
}

void CrashMemory::apply(const Body& body) {
    for (const Run& run : body.last) {
        m_bytes.replace(run.address, run.bytes.size(), run.bytes);
    }
    for (IntervalSet* set : {&m_touched, &m_written, &m_gap}) {
        set->add(body.written);
    }
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
        for (std::int64_t at = interval.begin; at < interval.end; ++at) {
            const auto i = static_cast<std::size_t>(at);
            if (m_bytes[i] == base[i]) {
                continue;
            }
            if (runs.empty() || runs.back().address + runs.back().bytes.size() != i) {
                runs.push_back({static_cast<std::uint32_t>(i), ""});
            }
            runs.back().bytes += m_bytes[i];
        }
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
