// Memory of the emulated board, with what happened to each byte.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "util/interval_set.h"

namespace metamorph::emu {

constexpr std::uint32_t k_page = 4096;

inline std::uint32_t whole_pages(std::uint64_t bytes) {
    return static_cast<std::uint32_t>((bytes + k_page - 1) / k_page * k_page);
}

// Page-aligned bytes, which the emulator's processor works on directly.
class Bytes {
public:
    explicit Bytes(std::uint32_t size) : m_size(whole_pages(size == 0 ? 1 : size)) {
        void* at = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) {
            throw std::bad_alloc();
        }
        m_bytes = static_cast<std::uint8_t*>(at);
    }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    ~Bytes() { ::munmap(m_bytes, m_size); }
    std::uint8_t* data() const { return m_bytes; }
    std::uint32_t size() const { return m_size; }

private:
    std::uint32_t m_size;
    std::uint8_t* m_bytes;
};

// A *phase* is a part of a run; phases are numbered upwards through all runs, so a mark of an earlier one means
// nothing.
class Marks {
public:
    static constexpr std::uint32_t k_line = 512;  // most boots touch one or two of the stack

    explicit Marks(std::uint32_t bytes) : m_marks(bytes), m_dirty((bytes + k_line - 1) / k_line) {}

    void begin_boot() { m_boot = ++m_phase; }
    void begin_phase() { ++m_phase; }

    bool is_written(std::uint32_t at) const { return m_marks[at].written >= m_boot; }
    bool is_written_in_phase(std::uint32_t at) const { return m_marks[at].written == m_phase; }
    void forget(std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t at = begin; at < end;) {
            const std::uint32_t line_end = std::min((at / k_line + 1) * k_line, end);
            for (const bool is_touched = m_dirty[at / k_line] >= m_boot; is_touched && at < line_end; ++at) {
                m_marks[at].written = 0;
            }
            at = line_end;
        }
    }

    void write(std::uint32_t at, std::uint32_t bytes) {
        for (std::uint32_t line = at / k_line; line <= (at + bytes - 1) / k_line; ++line) {
            m_dirty[line] = m_phase;
        }
        for (std::uint32_t i = at; i < at + bytes; ++i) {
            m_marks[i].written = m_phase;
        }
    }
    // False: some byte was not written in this boot.
    bool read(std::uint32_t at, std::uint32_t bytes) {
        bool is_known = true;
        for (std::uint32_t i = at; i < at + bytes; ++i) {
            Mark& mark = m_marks[i];
            is_known = is_known && mark.written >= m_boot;
            if (mark.written != m_phase && mark.read != m_phase) {
                mark.read = m_phase;
                m_dirty[i / k_line] = m_phase;
            }
        }
        return is_known;
    }

    // Likewise, of bytes of which nobody asks whether they are known.
    void note_read(std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t at = begin; at < end;) {
            const std::uint32_t line_end = std::min((at / k_line + 1) * k_line, end);
            m_dirty[at / k_line] = m_phase;
            for (; at < line_end; ++at) {
                m_marks[at].read = m_marks[at].written != m_phase ? m_phase : m_marks[at].read;
            }
        }
    }

    // Of this phase: what was read before it was written in it, and what was written.
    IntervalSet reads() const {
        return collect([&](const Mark& mark) { return mark.read == m_phase; });
    }
    IntervalSet writes() const {
        return collect([&](const Mark& mark) { return mark.written == m_phase; });
    }

private:
    struct Mark {
        std::uint32_t written = 0, read = 0;  // phases
    };
    template <typename Test>
    IntervalSet collect(Test test) const {
        IntervalSet set;
        std::int64_t begin = -1;
        const auto count = static_cast<std::int64_t>(m_marks.size());
        for (std::int64_t at = 0; at < count; ++at) {
            const auto line = static_cast<std::size_t>(at / k_line);
            if (at % k_line == 0 && m_dirty[line] != m_phase) {
                close(set, begin, at);
                at += k_line - 1;
                continue;
            }
            if (!test(m_marks[static_cast<std::size_t>(at)])) {
                close(set, begin, at);
            } else if (begin < 0) {
                begin = at;
            }
        }
        close(set, begin, count);
        return set;
    }
    static void close(IntervalSet& set, std::int64_t& begin, std::int64_t end) {
        if (begin >= 0) {
            set.append(begin, end);
            begin = -1;
        }
    }

    std::vector<Mark> m_marks;
    std::vector<std::uint32_t> m_dirty;  // by line: the last phase that touched it
    std::uint32_t m_phase = 1, m_boot = 1;
};

}  // namespace metamorph::emu
