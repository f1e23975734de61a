#include "pipeline/verify_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "emu/wire.h"
#include "util/file.h"
#include "util/hash.h"

namespace metamorph::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_magic = "metamorph-verify-state-1 ";
constexpr std::size_t k_hash_characters = 64;
constexpr std::int64_t k_bytes_max = 4LL << 30;
constexpr const char* k_other_hint = "give the options of the run that was interrupted, or leave --resume out";

template <typename Wire>
void visit(Wire& wire, SearchOfDevice& s) {
    wire(s.device), wire(s.firmware), wire(s.method), wire(s.state);
}

Status write_states(const fs::path& path, const std::vector<SearchOfDevice>& searches) {
    emu::Writer wire;
    wire(static_cast<std::uint64_t>(searches.size()));
    for (SearchOfDevice search : searches) {
        visit(wire, search);
    }
    const std::string payload = wire.take();
    MM_CHECK(write_file_if_changed(path, std::string(k_magic) + sha256_hex(payload) + payload));
    return {};
}

// Nothing: there is none of this device.
Result<std::string> state_for(const SearchOfDevice& now, const std::vector<SearchOfDevice>& searches) {
    const auto found = std::find_if(searches.begin(), searches.end(),
                                    [&](const SearchOfDevice& search) { return search.device == now.device; });
    if (found == searches.end()) {
        return std::string{};
    }
    const auto other = [&](const std::string& what) {
        return fail_with_hint(ErrorCode::options, "--resume", fmt::format("the state of {} is of {}", now.device, what),
                              k_other_hint);
    };
    if (found->method != now.method) {
        return other(fmt::format("another search: {}, not {}", found->method, now.method));
    }
    if (found->firmware != now.firmware) {
        return other("another program: model, split, slices, inputs, toolchain, device or version differ");
    }
    return found->state;
}

}  // namespace

Error leave_states(const fs::path& path, const std::vector<SearchOfDevice>& searches, const std::string& done) {
    if (const Status written = write_states(path, searches); !written) {
        return written.error();
    }
    return fail_with_hint(ErrorCode::system, "metamorph verify",
                          fmt::format("interrupted; what {} have shown is in '{}'", done, path.string()),
                          fmt::format("to go on, give the same command with --resume '{}'", path.string()))
        .value();
}

Result<std::vector<SearchOfDevice>> read_states(const fs::path& path, const std::vector<std::string>& devices) {
    const auto contents = read_file(path, k_bytes_max);
    if (!contents) {
        return fail(ErrorCode::options, "--resume", "'{}' cannot be read: {}", path.string(), contents.error().message);
    }
    const std::string_view bytes(reinterpret_cast<const char*>(contents->data()), contents->size());
    const auto damaged = [&](const char* how) {
        return fail_with_hint(ErrorCode::options, "--resume", fmt::format("'{}' {}", path.string(), how),
                              "leave --resume out: the search then begins anew");
    };
    const std::size_t head = k_magic.size() + k_hash_characters;
    if (bytes.size() < head || !bytes.starts_with(k_magic)) {
        return damaged("is not the state of an interrupted 'metamorph verify', or of another version");
    }
    const std::string_view payload = bytes.substr(head);
    if (sha256_hex(payload) != bytes.substr(k_magic.size(), k_hash_characters)) {
        return damaged("is damaged");
    }
    try {
        emu::Reader wire(payload);
        std::uint64_t count = 0;
        wire(count);
        std::vector<SearchOfDevice> searches;
        for (std::uint64_t i = 0; i < count; ++i) {
            visit(wire, searches.emplace_back());
        }
        wire.end();
        const bool is_known = std::any_of(searches.begin(), searches.end(), [&](const SearchOfDevice& s) {
            return std::find(devices.begin(), devices.end(), s.device) != devices.end();
        });
        if (!is_known) {
            return fail_with_hint(ErrorCode::options, "--resume", "the state is of none of these devices",
                                  k_other_hint);
        }
        return searches;
    } catch (const emu::WireError&) {
        return damaged("is of another version of metamorph");
    }
}

Result<SearchOfDevice> search_of(const std::string& device, const emu::Firmware& board, const std::string& method,
                                 const std::vector<SearchOfDevice>& earlier) {
    emu::Writer all;
    all(board);
    SearchOfDevice now{device, sha256_hex(all.take()), method, ""};
    MM_TRY(now.state, state_for(now, earlier));
    return now;
}

}  // namespace metamorph::pipeline
