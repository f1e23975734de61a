// How requests and answers travel between `metamorph` and `metamorph-emu` (docs/emulator.md): frames of a length (32
// bits), a type (8 bits) and a payload, little-endian. Both sides are built from this file; METAMORPH_WIRE_ID, a hash
// of it, goes with the first request, so that a program of another build is refused.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "emu/trace.h"

namespace metamorph::emu {

enum class Frame : std::uint8_t {
    load,    // METAMORPH_WIRE_ID, Firmware → done
    plain,   // () → PlainRun
    record,  // first contents of NVM → list of RawSegment
    boot,    // whether `needed` is wanted, list of RawImage → list of RawBoot
    cut,     // contents of NVM, CutSpec → CutRun
    done,
    result,
    error  // a sentence
};

// A payload that is shorter or longer than its contents say. Internal to the transport, which turns it into an Error.
struct WireError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Each message has one function that names its members, for both directions.
class Writer {
public:
    template <typename T>
    void operator()(const T& value) {
        put(value);
    }
    std::string take() { return std::move(m_bytes); }

private:
    template <typename T>
    void put(const T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
            m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        } else {
            visit(*this, const_cast<T&>(value));
        }
    }
    void put(const std::string& text) {
        put(static_cast<std::uint32_t>(text.size()));
        m_bytes += text;
    }
    template <typename A, typename B>
    void put(const std::pair<A, B>& both) {
        put(both.first);
        put(both.second);
    }
    template <typename T>
    void put(const std::vector<T>& list) {
        put(static_cast<std::uint32_t>(list.size()));
        for (const T& item : list) {
            put(item);
        }
    }
    std::string m_bytes;
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : m_bytes(bytes) {}
    template <typename T>
    void operator()(T& value) {
        get(value);
    }
    void end() const {
        if (!m_bytes.empty()) {
            throw WireError("a message is longer than it says");
        }
    }

private:
    std::string_view next(std::size_t bytes) {
        if (bytes > m_bytes.size()) {
            throw WireError("a message is shorter than it says");
        }
        const std::string_view part = m_bytes.substr(0, bytes);
        m_bytes.remove_prefix(bytes);
        return part;
    }
    template <typename T>
    void get(T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
            std::memcpy(&value, next(sizeof value).data(), sizeof value);
        } else {
            visit(*this, value);
        }
    }
    void get(std::string& text) {
        std::uint32_t bytes = 0;
        get(bytes);
        text = next(bytes);
    }
    template <typename A, typename B>
    void get(std::pair<A, B>& both) {
        get(both.first);
        get(both.second);
    }
    template <typename T>
    void get(std::vector<T>& list) {
        std::uint32_t count = 0;
        get(count);
        if (count > m_bytes.size()) {  // an item takes a byte at least
            throw WireError("a list is longer than its message");
        }
        list.resize(count);
        for (T& item : list) {
            get(item);
        }
    }
    std::string_view m_bytes;
};

template <typename Wire>
void visit(Wire& wire, Interval& i) {
    wire(i.begin), wire(i.end);
}
template <typename Wire>
void visit(Wire& wire, NvmWrite& w) {
    wire(w.address), wire(w.value), wire(w.bytes), wire(w.pc);
}
template <typename Wire>
void visit(Wire& wire, Output& o) {
    wire(o.sequence), wire(o.index), wire(o.bytes);
}
template <typename Wire>
void visit(Wire& wire, Step& s) {
    wire(s.kind), wire(s.write), wire(s.index);
}
template <typename Wire>
void visit(Wire& wire, RawHalt& h) {
    wire(h.kind), wire(h.code), wire(h.pc), wire(h.what);
}
template <typename Wire>
void visit(Wire& wire, RawFault& f) {
    wire(f.kind), wire(f.pc), wire(f.address);
}
template <typename Wire>
void visit(Wire& wire, RawSegment::Part& p) {
    wire(p.begin), wire(p.end), wire(p.part);
}
template <typename Wire>
void visit(Wire& wire, RawSegment& s) {
    wire(s.steps), wire(s.outputs), wire(s.faults), wire(s.halt), wire(s.instructions);
    wire(s.parts);
}
template <typename Wire>
void visit(Wire& wire, Run& r) {
    wire(r.address), wire(r.bytes);
}
template <typename Wire>
void visit(Wire& wire, RawImage& i) {
    wire(i.boundary), wire(i.differs), wire(i.unknown);
}
template <typename Wire>
void visit(Wire& wire, RawBoot& b) {
    wire(b.needs_unknown), wire(b.unknown_address), wire(b.unknown_bytes), wire(b.unknown_pc);
    wire(b.segments), wire(b.joined), wire(b.like), wire(b.watched), wire(b.needed);
}
template <typename Wire>
void visit(Wire& wire, CutSpec& c) {
    wire(c.units), wire(c.mask), wire(c.outputs), wire(c.pattern);
}
template <typename Wire>
void visit(Wire& wire, TaskEntry::Difference& d) {
    wire(d.is_nvm), wire(d.address), wire(d.is_written), wire(d.pc);
}
template <typename Wire>
void visit(Wire& wire, TaskEntry::Reread& r) {
    wire(r.pc), wire(r.address), wire(r.bytes);
}
template <typename Wire>
void visit(Wire& wire, TaskEntry& e) {
    wire(e.boundary), wire(e.task), wire(e.differences), wire(e.rereads);
}
template <typename Wire>
void visit(Wire& wire, CutRun& r) {
    wire(r.segments), wire(r.entries), wire(r.nvm_reads), wire(r.nvm), wire(r.sram), wire(r.registers);
}
template <typename Wire>
void visit(Wire& wire, Counters& c) {
    wire(c.instructions), wire(c.loads), wire(c.stores), wire(c.nvm_bytes_read), wire(c.nvm_bytes_written);
    wire(c.nvm_reads), wire(c.nvm_units_written), wire(c.bus_bytes), wire(c.code_words);
    for (std::uint64_t& each : c.classes) {
        wire(each);
    }
    wire(c.seconds);
}
template <typename Wire>
void visit(Wire& wire, PlainRun& r) {
    wire(r.outputs), wire(r.halt), wire(r.counters), wire(r.blocks), wire(r.commits), wire(r.stack_bytes);
}
template <typename Wire>
void visit(Wire& wire, Firmware& f) {
    wire(f.core), wire(f.entry), wire(f.flash), wire(f.flash_bytes), wire(f.sram), wire(f.sram_bytes);
    wire(f.stack_limit), wire(f.is_mapped), wire(f.nvm), wire(f.nvm_bytes), wire(f.used_bytes), wire(f.unit_bytes),
        wire(f.io);
    wire(f.inputs), wire(f.spi), wire(f.spi_address_bytes), wire(f.spi_id), wire(f.load), wire(f.event_function);
    wire(f.inference_at), wire(f.task_functions), wire(f.inferences), wire(f.input_bytes), wire(f.instructions_max);
}

// bool and arithmetic types of one size on every platform that we build for.
static_assert(sizeof(bool) == 1 && sizeof(int) == 4);

}  // namespace metamorph::emu
