// Every message between `metamorph` and its emulator: nothing is lost, and one byte too few or too many is told.
#include "emu/wire.h"

#include <array>
#include <tuple>

#include <gtest/gtest.h>

namespace metamorph::emu {
namespace {

// Structured bindings do not compile if a structure gets another member: the list stays whole.
auto members(const Interval& v) {
    const auto& [a, b] = v;
    return std::tie(a, b);
}
auto members(const NvmWrite& v) {
    const auto& [a, b, c, d] = v;
    return std::tie(a, b, c, d);
}
auto members(const Output& v) {
    const auto& [a, b, c] = v;
    return std::tie(a, b, c);
}
auto members(const Step& v) {
    const auto& [a, b, c] = v;
    return std::tie(a, b, c);
}
auto members(const RawHalt& v) {
    const auto& [a, b, c, d] = v;
    return std::tie(a, b, c, d);
}
auto members(const RawFault& v) {
    const auto& [a, b, c] = v;
    return std::tie(a, b, c);
}
auto members(const RawSegment::Part& v) {
    const auto& [a, b, c] = v;
    return std::tie(a, b, c);
}
auto members(const RawSegment& v) {
    const auto& [a, b, c, d, e, f] = v;
    return std::tie(a, b, c, d, e, f);
}
auto members(const Run& v) {
    const auto& [a, b] = v;
    return std::tie(a, b);
}
auto members(const RawImage& v) {
    const auto& [a, b, c] = v;
    return std::tie(a, b, c);
}
auto members(const RawBoot& v) {
    const auto& [a, b, c, d, e, f, g, h, i] = v;
    return std::tie(a, b, c, d, e, f, g, h, i);
}
auto members(const CutSpec& v) {
    const auto& [a, b, c, d] = v;
    return std::tie(a, b, c, d);
}
auto members(const TaskEntry::Difference& v) {
    const auto& [a, b, c, d] = v;
    return std::tie(a, b, c, d);
}
auto members(const TaskEntry::Reread& v) {
    const auto& [a, b, c] = v;
    return std::tie(a, b, c);
}
auto members(const TaskEntry& v) {
    const auto& [a, b, c, d] = v;
    return std::tie(a, b, c, d);
}
auto members(const CutRun& v) {
    const auto& [a, b, c, d, e, f] = v;
    return std::tie(a, b, c, d, e, f);
}
template <std::size_t n>
auto members(const std::array<std::uint64_t, n>& v) {
    return std::apply([](const auto&... each) { return std::tie(each...); }, v);
}
auto members(const Counters& v) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
}
auto members(const PlainRun& v) {
    const auto& [a, b, c, d, e, f] = v;
    return std::tie(a, b, c, d, e, f);
}
auto members(const Firmware& v) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, w, x, y] = v;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, w, x, y);
}

template <typename T>
constexpr bool k_is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;

template <typename T>
bool same(const T& a, const T& b);
template <typename A, typename B>
bool same(const std::pair<A, B>& a, const std::pair<A, B>& b);
template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}
template <typename A, typename B>
bool same(const std::pair<A, B>& a, const std::pair<A, B>& b) {
    return same(a.first, b.first) && same(a.second, b.second);
}
template <typename T>
bool same(const T& a, const T& b) {
    if constexpr (k_is_plain<T>) {
        return a == b;
    } else {
        return std::apply(
            [&](const auto&... x) {
                return std::apply([&](const auto&... y) { return (same(x, y) && ...); }, members(b));
            },
            members(a));
    }
}

// Fills a value with what is nowhere the default, each part another.
class Filler {
public:
    template <typename T>
    void fill(T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            value = !value;
        } else if constexpr (std::is_enum_v<T>) {
            value = static_cast<T>(1);
        } else if constexpr (std::is_arithmetic_v<T>) {
            value = static_cast<T>(++m_next);
        } else if constexpr (std::is_same_v<T, std::string>) {
            value = "text" + std::string(1, '\0') + std::to_string(++m_next);
        } else {
            std::apply([&](auto&... each) { (fill(const_cast<std::remove_cvref_t<decltype(each)>&>(each)), ...); },
                       members(value));
        }
    }
    template <typename A, typename B>
    void fill(std::pair<A, B>& both) {
        fill(both.first);
        fill(both.second);
    }
    template <typename T>
    void fill(std::vector<T>& list) {
        list.resize(2);
        fill(list[0]);
        fill(list[1]);
    }

private:
    int m_next = 40;
};

template <typename T>
std::string packed(const T& value) {
    Writer writer;
    writer(value);
    return writer.take();
}

template <typename T>
T unpacked(std::string_view bytes) {
    T value;
    Reader reader(bytes);
    reader(value);
    reader.end();
    return value;
}

template <typename T>
class Message : public testing::Test {
protected:
    T filled() const {
        T value;
        Filler().fill(value);
        return value;
    }
};

using Messages =
    testing::Types<Interval, NvmWrite, Output, Step, RawHalt, RawFault, RawSegment::Part, RawSegment, Run, RawImage,
                   RawBoot, CutSpec, TaskEntry, CutRun, Counters, PlainRun, Firmware, std::vector<RawSegment>,
                   std::vector<RawBoot>, std::vector<RawImage>, std::string, std::pair<std::uint32_t, std::string>>;
TYPED_TEST_SUITE(Message, Messages);

TYPED_TEST(Message, ArrivesAsItWasSent) {
    const TypeParam value = this->filled();
    EXPECT_FALSE(same(value, TypeParam{})) << "else nothing could be lost";
    EXPECT_TRUE(same(value, unpacked<TypeParam>(packed(value))));
    EXPECT_TRUE(same(TypeParam{}, unpacked<TypeParam>(packed(TypeParam{}))));
}

TYPED_TEST(Message, IsRefusedIfItIsCutShortAnywhere) {
    const std::string bytes = packed(this->filled());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(unpacked<TypeParam>(std::string_view(bytes).substr(0, length)), WireError) << length;
    }
}

TYPED_TEST(Message, IsRefusedIfSomethingFollows) {
    const std::string bytes = packed(this->filled());
    for (std::size_t more = 1; more <= 9; ++more) {
        EXPECT_THROW(unpacked<TypeParam>(bytes + std::string(more, '\0')), WireError) << more;
    }
}

TEST(Wire, AListThatClaimsFourBillionItemsIsRefusedBeforeMemoryIsTaken) {
    const std::string bytes("\xFF\xFF\xFF\xFF", 4);
    EXPECT_THROW(unpacked<std::vector<RawBoot>>(bytes), WireError);
    EXPECT_THROW(unpacked<std::string>(bytes), WireError);
    EXPECT_THROW(unpacked<std::vector<std::uint64_t>>(std::string("\5\0\0\0", 4) + "1234"), WireError);
}

TEST(Wire, IsLittleEndianAndTight) {
    EXPECT_EQ(packed(NvmWrite{0x01020304, 0x0A0B0C0D, 2, 0x11223344}),
              std::string("\x04\x03\x02\x01\x0D\x0C\x0B\x0A\x02\x44\x33\x22\x11", 13));
    EXPECT_EQ(packed(std::string("ab")), std::string("\2\0\0\0ab", 6));
}

TEST(Wire, ADefaultCutIsNone) {
    EXPECT_EQ(unpacked<CutSpec>(packed(CutSpec{})).units, CutSpec::k_never);
}

}  // namespace
}  // namespace metamorph::emu
