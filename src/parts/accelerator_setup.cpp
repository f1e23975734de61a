// Statements are compared as text on one line; what they may look like is the generator's to say, and is little. A word
// that is written twice has its last value. The byte that latches a kernel's address before its words follow is a byte
// of the first word, as it is in plain memory: the stub accelerator (frameworks/ai8x/stubs) is plain memory, too.
#include "parts/accelerator_setup.h"

#include <array>
#include <regex>

#include <fmt/format.h>

#include "util/text.h"

namespace metamorph::parts {
namespace {

constexpr std::uint32_t k_base = 0x50000000, k_quadrant = 0x400000, k_always_on = 0x50001000;
constexpr int k_quadrants = 4;
struct SetupRange {
    std::uint32_t at, bytes;
};
// As in ai8x_replay.c.
constexpr std::array<SetupRange, 4> k_setup{
    {{0x100000, 0x2000}, {0x108000, 0x800}, {0x110000, 0x40000}, {0x180000, 0x40000}}};

bool is_setup(std::uint32_t address) {
    if (address < k_base || address >= k_base + k_quadrants * k_quadrant) {
        return false;
    }
    if (address == k_always_on) {
        return true;
    }
    const std::uint32_t at = (address - k_base) % k_quadrant;
    for (const SetupRange& range : k_setup) {
        if (at >= range.at && at < range.at + range.bytes) {
            return true;
        }
    }
    return false;
}

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

std::uint32_t number_of(const std::string& text) {
    return static_cast<std::uint32_t>(std::stoul(text, nullptr, 0));
}

bool has_no_effect_on_setup(const std::string& text) {
    for (const char* known : {"return CNN_OK", "cnn_time = 0", "CNN_START", "MXC_TMR_SW_Start(CNN_INFERENCE_TIMER)",
                              "uint32_t len", "volatile uint32_t *addr"}) {
        if (text == known) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::optional<WordCopy> word_copy_of(const std::string& statement) {
    static const std::regex copy(R"(memcpy32\(\(uint32_t \*\) (0x[0-9a-f]{1,8}), (\w+), (\d{1,9})\))");
    std::smatch found;
    if (!std::regex_match(statement, found, copy)) {
        return {};
    }
    return WordCopy{number_of(found[1]), found[2], number_of(found[3])};
}

Status AcceleratorSetup::apply(const std::vector<Statement>& statements, const std::string& source) {
    m_pointer.clear();
    for (const Statement& statement : statements) {
        MM_CHECK(apply_one(statement, source));
    }
    return {};
}

Status AcceleratorSetup::apply_one(const Statement& statement, const std::string& source) {
    const std::string where = fmt::format("{}:{}", source, statement.line);
    if (has_no_effect_on_setup(statement.text)) {
        return {};
    }
    static const std::regex pointer(R"(const uint32_t \*ptr = (\w+))");
    std::smatch found;
    if (std::regex_match(statement.text, found, pointer)) {
        m_pointer = found[1];
        return {};
    }
    MM_TRY(bool is_done, apply_write(statement, where));
    if (!is_done) {
        MM_TRY(is_done, apply_copy(statement, where));
    }
    if (!is_done) {
        MM_TRY(is_done, apply_kernel_list(statement, where));
    }
    if (!is_done) {
        return fail_with_hint(ErrorCode::model, where,
                              fmt::format("this statement is not understood: {}", printable(statement.text)),
                              "parts are woven only where every statement that sets the accelerator up is known");
    }
    return {};
}

Result<bool> AcceleratorSetup::apply_write(const Statement& statement, const std::string& where) {
    static const std::regex write(
        R"(\*\(\(volatile uint(32|8)_t \*\) (0x[0-9a-f]{1,8})\) (=|\|=|&=) (~?)(0x[0-9a-f]{1,8}|\d{1,9}))");
    static const std::regex zeros(R"(memset\(\(uint32_t \*\) (0x[0-9a-f]{1,8}), 0, (\d{1,6})\))");
    std::smatch found;
    if (std::regex_match(statement.text, found, zeros)) {
        const std::uint32_t address = number_of(found[1]);
        for (std::uint32_t at = 0; at < number_of(found[2]); at += 4) {
            MM_CHECK(store(address + at, 0, where));
        }
        return true;
    }
    if (!std::regex_match(statement.text, found, write)) {
        return false;
    }
    std::uint32_t address = number_of(found[2]), value = number_of(found[5]);
    value = found[4].length() > 0 ? ~value : value;
    const int shift = static_cast<int>(address % 4) * 8;
    const bool is_byte = found[1] == "8";
    if (is_byte != (found[1] == "8" && found[3] == "=" && value <= 0xff) || (!is_byte && shift != 0)) {
        return false;
    }
    address -= address % 4;
    const auto known = m_words.find(address);
    const std::uint32_t before = known == m_words.end() ? 0 : known->second;
    value = is_byte            ? (before & ~(0xffU << shift)) | value << shift
            : found[3] == "|=" ? before | value
            : found[3] == "&=" ? before & value
                               : value;
    MM_CHECK(store(address, value, where));
    return true;
}

Result<bool> AcceleratorSetup::apply_copy(const Statement& statement, const std::string& where) {
    if (const auto copied = word_copy_of(statement.text)) {
        MM_CHECK(copy(copied->address, copied->array, copied->words, where));
        return true;
    }
    static const std::regex bytes(
        R"(memcpy_8to32\(\(uint32_t \*\) (0x[0-9a-f]{1,8}), (\w+), sizeof\(uint8_t\) \* (\d{1,6})\))");
    std::smatch found;
    if (std::regex_match(statement.text, found, bytes)) {
        MM_CHECK(copy(number_of(found[1]), found[2], number_of(found[3]), where));
        return true;
    }
    return false;
}

Result<bool> AcceleratorSetup::apply_kernel_list(const Statement& statement, const std::string& where) {
    static const std::regex loop(R"(while \(\(addr = \(volatile uint32_t \*\) \*ptr\+\+\) != 0\) \{ )"
                                 R"((\*\(\(volatile uint8_t \*\) \(\(uint32_t\) addr \| (?:0x0)?1\)\) = 0x01; )?)"
                                 R"(len = \*ptr\+\+; while \(len-- > 0\) \*addr\+\+ = \*ptr\+\+; \})");
    std::smatch found;
    if (!std::regex_match(statement.text, found, loop)) {
        return false;
    }
    const auto array = m_arrays.find(m_pointer);
    if (array == m_arrays.end()) {
        return fail(ErrorCode::model, where, "the list of kernels '{}' was not found", printable(m_pointer));
    }
    const std::vector<std::uint32_t>& list = array->second;
    std::size_t at = 0;
    while (at + 1 < list.size() && list[at] != 0) {
        const std::uint32_t address = list[at], length = list[at + 1];
        if (length > list.size() - at - 2 || address % 4 != 0) {
            return fail(ErrorCode::model, where, "the list of kernels '{}' is damaged at number {}", m_pointer, at);
        }
        if (found[1].length() > 0) {
            const auto known = m_words.find(address);
            const std::uint32_t before = known == m_words.end() ? 0 : known->second;
            MM_CHECK(store(address, (before & ~0xff00U) | 0x100U, where));
        }
        for (std::uint32_t i = 0; i < length; ++i) {
            MM_CHECK(store(address + 4 * i, list[at + 2 + i], where));
        }
        at += 2 + length;
    }
    if (at + 1 != list.size()) {
        return fail(ErrorCode::model, where, "the list of kernels '{}' has no end, or goes on behind it", m_pointer);
    }
    return true;
}

Status AcceleratorSetup::store(std::uint32_t address, std::uint32_t value, const std::string& where) {
    if (!is_setup(address)) {
        return fail(ErrorCode::model, where, "{:#010x} is no register, weight or bias of the accelerator", address);
    }
    m_words[address] = value;
    return {};
}

Status AcceleratorSetup::copy(std::uint32_t address, const std::string& array, std::uint64_t words,
                              const std::string& where) {
    const auto found = m_arrays.find(array);
    if (found == m_arrays.end() || found->second.size() < words) {
        return fail(ErrorCode::model, where, "'{}' is no array of {} numbers", printable(array), words);
    }
    for (std::uint32_t i = 0; i < words; ++i) {
        MM_CHECK(store(address + 4 * i, found->second[i], where));
    }
    return {};
}

std::uint64_t AcceleratorSetup::sum() const {
    std::uint64_t sum = 0;
    for (const auto& [address, value] : m_words) {
        sum += value == 0 ? 0 : mixed(std::uint64_t{address} << 32 | value);
    }
    return sum;
}

}  // namespace metamorph::parts
