// A flag byte for each byte of an object: activations are small, and enumerated accesses then cost one pass over what
// they touch.
#include "cfront/byte_map.h"

#include <algorithm>

namespace metamorph::cfront {
namespace {

constexpr std::uint8_t k_read = 1, k_written = 2, k_certain = 4;
constexpr std::int64_t k_flags_max = std::int64_t{1} << 26;

// Bytes for which `is_in` holds, as intervals.
template <typename Predicate>
IntervalSet collect(std::size_t count, Predicate is_in) {
    IntervalSet set;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= count; ++at) {
        const bool is_inside = at < count && is_in(at);
        if (is_inside && (at == 0 || !is_in(at - 1))) {
            begin = at;
        }
        if (!is_inside && at > 0 && is_in(at - 1)) {
            set.add(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(at));
        }
    }
    return set;
}

}  // namespace

void ByteMap::mark(Through& through, const Touch& touch, std::int64_t begin, std::int64_t end, bool is_certain,
                   bool is_repeated) {
    begin = std::max<std::int64_t>(begin, 0);
    end = std::min(end, m_extent.value_or(k_unknown_extent));
    if (begin >= end) {
        return;
    }
    if (end > k_flags_max) {
        (touch.kind == AccessKind::read ? through.far_reads : through.far_writes).add(begin, end);
        return;
    }
    const auto last = static_cast<std::size_t>(end);
    if (through.flags.size() < last) {
        through.flags.resize(last, 0);
    }
    const bool is_write = touch.kind == AccessKind::write;
    const auto flag = static_cast<std::uint8_t>(is_write ? (is_certain ? k_written | k_certain : k_written) : k_read);
    if (is_write && m_stores.size() < last) {
        m_stores.resize(last, 0);
    }
    for (auto at = static_cast<std::size_t>(begin); at < last; ++at) {
        through.flags[at] = static_cast<std::uint8_t>(through.flags[at] | flag);
        if (is_write) {
            m_stores[at] = is_repeated || m_stores[at] != 0 ? std::uint8_t{2} : std::uint8_t{1};
        }
    }
}

void ByteMap::touch(int argument, const Touch& touch) {
    Through& through = m_through[argument];
    if (touch.size <= 0 || touch.count <= 0) {
        return;
    }
    const std::int64_t distance = touch.stride < 0 ? -touch.stride : touch.stride;
    const std::int64_t last = touch.offset + touch.stride * (touch.count - 1);
    const bool is_all_certain = touch.certain_begin == 0 && touch.certain_end == touch.count;
    const bool is_none_certain = touch.certain_begin >= touch.certain_end;
    // Pieces that touch each other are one interval, and so are overlapping ones, unless it matters how often a byte is
    // touched.
    const bool is_dense =
        distance == touch.size || (distance < touch.size && (touch.kind == AccessKind::read || distance == 0));
    if (touch.count == 1 || (is_dense && (is_all_certain || is_none_certain))) {
        mark(through, touch, std::min(touch.offset, last), std::max(touch.offset, last) + touch.size, is_all_certain,
             touch.is_repeated || (touch.count > 1 && distance < touch.size));
        return;
    }
    for (std::int64_t i = 0; i < touch.count; ++i) {
        const std::int64_t at = touch.offset + touch.stride * i;
        mark(through, touch, at, at + touch.size, i >= touch.certain_begin && i < touch.certain_end, touch.is_repeated);
    }
}

void ByteMap::touch_range(int argument, AccessKind kind, std::int64_t begin, std::int64_t end) {
    if (begin < end) {
        mark(m_through[argument], Touch{kind, 0, 0, 1, 1, 0, 0, true}, begin, end, false, true);
    }
}

void ByteMap::add_reason(int argument, AccessKind kind, const std::string& reason) {
    Through& through = m_through[argument];
    std::string& text = kind == AccessKind::read ? through.read_reason : through.write_reason;
    if (text.empty()) {
        text = reason;
    }
}

std::vector<Access> ByteMap::accesses(ObjectId object) const {
    std::vector<std::uint8_t> reads;
    IntervalSet far_reads;
    IntervalSet far_writes;
    for (const auto& [argument, through] : m_through) {
        reads.resize(std::max(reads.size(), through.flags.size()), 0);
        for (std::size_t at = 0; at < through.flags.size(); ++at) {
            reads[at] = static_cast<std::uint8_t>(reads[at] | (through.flags[at] & k_read));
        }
        far_reads.add(through.far_reads);
        far_writes.add(through.far_writes);
    }
    std::vector<Access> result;
    for (const auto& [argument, through] : m_through) {
        const std::vector<std::uint8_t>& flags = through.flags;
        Access access{object, argument, through.far_reads,   through.far_writes,
                      {},     {},       through.read_reason, through.write_reason};
        access.reads.add(collect(flags.size(), [&](std::size_t at) { return (flags[at] & k_read) != 0; }));
        access.writes.add(collect(flags.size(), [&](std::size_t at) { return (flags[at] & k_written) != 0; }));
        access.must_writes = collect(flags.size(), [&](std::size_t at) { return (flags[at] & k_certain) != 0; });
        access.written_once = collect(flags.size(), [&](std::size_t at) {
            return (flags[at] & k_certain) != 0 && m_stores[at] == 1 && reads[at] == 0;
        });
        access.written_once.subtract(far_reads);
        access.written_once.subtract(far_writes);
        if (!access.reads.empty() || !access.writes.empty()) {
            result.push_back(std::move(access));
        }
    }
    return result;
}

}  // namespace metamorph::cfront
