// What one call does to each byte of the objects it touches, collected access by access.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cfront/code_model.h"

namespace metamorph::cfront {

enum class AccessKind { read, write };

// `count` pieces of `size` bytes, `stride` apart, of one object, reached through one argument.
struct Touch {
    AccessKind kind = AccessKind::read;
    std::int64_t offset = 0, stride = 0, count = 1, size = 1;
    std::int64_t certain_begin = 0, certain_end = 0;  // those pieces which are touched on every path
    bool is_repeated = false;                         // each may be touched more than once
};

class ByteMap {
public:
    explicit ByteMap(std::optional<std::int64_t> extent) : m_extent(extent) {}

    void touch(int argument, const Touch& touch);
    // Bytes within [begin, end), in any order and any number; the object's extent bounds it.
    void touch_range(int argument, AccessKind kind, std::int64_t begin, std::int64_t end);
    void add_reason(int argument, AccessKind kind, const std::string& reason);

    std::vector<Access> accesses(ObjectId object) const;  // one for each argument

private:
    struct Through {  // by argument
        std::vector<std::uint8_t> flags;
        IntervalSet far_reads, far_writes;  // ranges that are too long for a flag a byte
        std::string read_reason, write_reason;
    };
    void mark(Through& through, const Touch& touch, std::int64_t begin, std::int64_t end, bool is_certain,
              bool is_repeated);

    std::optional<std::int64_t> m_extent;
    std::map<int, Through> m_through;
    std::vector<std::uint8_t> m_stores;  // by byte: 0, 1, or 2 for more
};

}  // namespace metamorph::cfront
