// A NumPy file is "\x93NUMPY", two bytes of version, the length of the head, and the head: a Python dictionary as text.
#include "generate/ai8x/npy.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "util/file.h"

namespace metamorph::generate::ai8x {
namespace {

constexpr std::int64_t k_bytes_max = 256LL << 20;

tl::unexpected<Error> damaged(const std::filesystem::path& path, const char* what) {
    return fail_with_hint(ErrorCode::model, path.string(), fmt::format("this is no NumPy file: {}", what),
                          "save the sample with numpy.save: whole numbers from -128 to 127, channels first");
}

// What is behind 'key': in the dictionary; nothing if there is none.
std::optional<std::string_view> value_of(std::string_view head, std::string_view key) {
    const std::size_t at = head.find(fmt::format("'{}':", key));
    if (at == std::string_view::npos) {
        return {};
    }
    std::string_view rest = head.substr(at + key.size() + 3);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return rest;
}

}  // namespace

Result<NpyHead> read_npy_head(const std::filesystem::path& path) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_bytes_max));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.size() < 12 || !text.starts_with("\x93NUMPY")) {
        return damaged(path, "it does not begin as one");
    }
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
    const bool is_first_version = byte(6) == 1;
    const std::size_t begin = is_first_version ? 10 : 12;
    const std::size_t length =
        is_first_version ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
    if (length > text.size() - begin) {
        return damaged(path, "its head is cut off");
    }
    const std::string_view head = text.substr(begin, length);
    const auto shape = value_of(head, "shape"), type = value_of(head, "descr");
    if (!shape || !shape->starts_with('(') || shape->find(')') == std::string_view::npos || !type ||
        !type->starts_with('\'') || type->find('\'', 1) == std::string_view::npos) {
        return damaged(path, "its head has no shape or no type");
    }
    NpyHead result;
    result.type = type->substr(1, type->find('\'', 1) - 1);
    std::string_view list = shape->substr(1, shape->find(')') - 1);
    while (!list.empty()) {
        std::string_view item = list.substr(0, list.find(','));
        list.remove_prefix(std::min(item.size() + 1, list.size()));
        item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
        if (item.empty()) {
            continue;
        }
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), size);
        if (error != std::errc() || end != item.data() + item.size() || size < 1) {
            return damaged(path, "its shape is not a list of sizes");
        }
        result.shape.push_back(size);
    }
    return result;
}

}  // namespace metamorph::generate::ai8x
