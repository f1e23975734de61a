#include "powerloss/qemu/gdb_link.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace metamorph {
namespace {

constexpr std::chrono::seconds k_answer_time_max{60};  // a loaded machine
constexpr std::uint32_t k_chunk_bytes = 1920;          // QEMU 7.2 takes packets of 4096 characters

std::string hex(std::string_view bytes) {
    constexpr char k_digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char c : bytes) {
        text += k_digits[static_cast<unsigned char>(c) >> 4];
        text += k_digits[static_cast<unsigned char>(c) & 0xFU];
    }
    return text;
}

std::optional<std::string> unhex(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i + 2 <= text.size(); i += 2) {
        std::uint8_t byte = 0;
        if (std::from_chars(text.data() + i, text.data() + i + 2, byte, 16).ptr != text.data() + i + 2) {
            return std::nullopt;
        }
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

std::uint32_t little_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << 8 * i;
    }
    return value;
}

std::string framed(std::string_view packet) {
    unsigned sum = 0;
    for (const char c : packet) {
        sum += static_cast<unsigned char>(c);
    }
    return fmt::format("${}#{:02x}", packet, sum & 0xFFU);
}

}  // namespace

GdbLink::~GdbLink() {
    if (m_socket >= 0) {
        ::close(m_socket);
    }
}

Status GdbLink::send(const std::string& text) const {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t sent = ::send(m_socket, text.data() + at, text.size() - at, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return fail(ErrorCode::system, "gdb stub", "it is gone: {}", std::strerror(errno));
        }
        at += sent > 0 ? static_cast<std::size_t>(sent) : 0;
    }
    return {};
}

Result<std::optional<std::string>> GdbLink::receive(std::chrono::milliseconds deadline) {
    const auto end = std::chrono::steady_clock::now() + deadline;
    for (;;) {
        const std::size_t begin = m_received.find('$'), hash = m_received.find('#', begin);
        if (begin != std::string::npos && hash != std::string::npos && hash + 2 < m_received.size()) {
            std::string packet = m_received.substr(begin + 1, hash - begin - 1);
            m_received.erase(0, hash + 3);
            MM_CHECK(send("+"));
            return std::optional(std::move(packet));
        }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd waiting{m_socket, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (ready == 0) {
            return std::optional<std::string>();
        }
        char buffer[8192];
        const ssize_t got = ready < 0 ? -1 : ::recv(m_socket, buffer, sizeof buffer, 0);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return fail(ErrorCode::system, "gdb stub", "it is gone");
        }
        m_received.append(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
    }
}

Result<std::string> GdbLink::ask(std::string_view packet) {
    MM_CHECK(send(framed(packet)));
    MM_TRY(std::optional<std::string> reply, receive(k_answer_time_max));
    // What a monitor command prints comes first, in packets of its own.
    while (reply && reply->starts_with("O") && *reply != "OK") {
        MM_TRY(reply, receive(k_answer_time_max));
    }
    if (!reply || reply->empty() || reply->starts_with("E")) {
        return fail(ErrorCode::system, "gdb stub", "it answers '{}' to '{}'", reply ? *reply : "nothing at all",
                    packet.substr(0, 40));
    }
    return std::move(*reply);
}

Status GdbLink::command(std::string_view packet) {
    MM_TRY(const std::string reply, ask(packet));
    if (reply != "OK") {
        return fail(ErrorCode::system, "gdb stub", "it answers '{}' to '{}'", reply, packet.substr(0, 40));
    }
    return {};
}

Status GdbLink::begin() {
    MM_TRY(const std::string reply, ask("qXfer:features:read:target.xml:0,ff0"));
    return {};
}

Status GdbLink::write_memory(std::uint32_t at, std::string_view bytes) {
    for (; !bytes.empty(); at += k_chunk_bytes) {
        const std::string_view chunk = bytes.substr(0, k_chunk_bytes);
        bytes.remove_prefix(chunk.size());
        MM_CHECK(command(fmt::format("M{:x},{:x}:{}", at, chunk.size(), hex(chunk))));
    }
    return {};
}

Result<std::string> GdbLink::read_memory(std::uint32_t at, std::uint32_t bytes) {
    std::string memory;
    while (memory.size() < bytes) {
        const auto have = static_cast<std::uint32_t>(memory.size());
        const std::uint32_t wanted = std::min(k_chunk_bytes, bytes - have);
        MM_TRY(const std::string reply, ask(fmt::format("m{:x},{:x}", at + have, wanted)));
        const auto chunk = unhex(reply);
        if (!chunk || chunk->size() != wanted) {
            return fail(ErrorCode::system, "gdb stub", "memory at {:#x} cannot be read: '{}'", at + have, reply);
        }
        memory += *chunk;
    }
    return memory;
}

Result<std::uint32_t> GdbLink::read_word(std::uint32_t at) {
    MM_TRY(const std::string bytes, read_memory(at, 4));
    return little_endian(bytes);
}

Result<std::uint32_t> GdbLink::read_register(unsigned number) {
    MM_TRY(const std::string reply, ask(fmt::format("p{:x}", number)));
    const auto bytes = unhex(reply);
    if (!bytes || bytes->size() != 4) {
        return fail(ErrorCode::system, "gdb stub", "register {} is '{}'", number, reply);
    }
    return little_endian(*bytes);
}

Status GdbLink::set_breakpoint(std::uint32_t at) {
    return command(fmt::format("Z0,{:x},2", at));
}

Status GdbLink::watch_writes(std::uint32_t at, std::uint32_t bytes) {
    return command(fmt::format("Z2,{:x},{:x}", at, bytes));
}

Status GdbLink::unwatch_writes(std::uint32_t at, std::uint32_t bytes) {
    return command(fmt::format("z2,{:x},{:x}", at, bytes));
}

Status GdbLink::monitor(std::string_view text) {
    return command("qRcmd," + hex(text));
}

Result<GdbLink::Stop> GdbLink::stopped(const std::string& reply) const {
    constexpr std::string_view k_watch = ";watch:";
    if (!reply.starts_with("T")) {
        return fail(ErrorCode::system, "gdb stub", "it stopped with '{}'", reply);
    }
    Stop stop;
    std::size_t at = reply.find(k_watch);
    if (at != std::string::npos) {
        at += k_watch.size();
        std::uint32_t watch = 0;
        std::from_chars(reply.data() + at, reply.data() + reply.size(), watch, 16);
        stop.watch = watch;
    }
    return stop;
}

Status GdbLink::step_over(const Stop& stop, std::uint32_t watched_bytes) {
    if (stop.watch) {
        MM_CHECK(unwatch_writes(*stop.watch, watched_bytes));
    }
    MM_TRY(const std::string reply, ask("s"));  // QEMU looks at no breakpoint on the way
    MM_TRY(const Stop after, stopped(reply));
    if (after.watch) {
        return fail(ErrorCode::system, "gdb stub", "a step ends in a watched write at {:#x}", *after.watch);
    }
    return stop.watch ? watch_writes(*stop.watch, watched_bytes) : Status();
}

Result<GdbLink::Stop> GdbLink::go_on(std::chrono::milliseconds deadline) {
    MM_CHECK(send(framed("c")));
    MM_TRY(std::optional<std::string> reply, receive(deadline));
    if (reply) {
        return stopped(*reply);
    }
    MM_CHECK(send("\x03"));
    MM_TRY(reply, receive(k_answer_time_max));
    if (!reply) {
        return fail(ErrorCode::system, "gdb stub", "it cannot be interrupted");
    }
    MM_TRY(Stop stop, stopped(*reply));
    stop.is_late = true;
    return stop;
}

}  // namespace metamorph
