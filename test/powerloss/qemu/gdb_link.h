// A debugger's end of the GDB remote protocol, as far as QEMU's stub needs it (GDB manual, appendix "Remote Serial
// Protocol"): one processor, software breakpoints, write watchpoints, memory, registers, monitor commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace metamorph {

class GdbLink {
public:
    // Owns `socket`, which the stub listens at.
    explicit GdbLink(int socket) : m_socket(socket) {}
    GdbLink(GdbLink&& other) noexcept
        : m_socket(std::exchange(other.m_socket, -1)), m_received(std::move(other.m_received)) {}
    GdbLink& operator=(GdbLink&&) = delete;
    ~GdbLink();

    // First of all: without a description of the registers asked for, QEMU's stub gives none.
    Status begin();

    // Errors of all: system (the stub is gone, does not answer, or says no).
    Status write_memory(std::uint32_t at, std::string_view bytes);
    Result<std::string> read_memory(std::uint32_t at, std::uint32_t bytes);
    Result<std::uint32_t> read_word(std::uint32_t at);
    Result<std::uint32_t> read_register(unsigned number);
    Status set_breakpoint(std::uint32_t at);
    Status watch_writes(std::uint32_t at, std::uint32_t bytes);
    Status unwatch_writes(std::uint32_t at, std::uint32_t bytes);
    Status monitor(std::string_view command);

    struct Stop {
        bool is_late = false;                // still running at the deadline; it has been stopped
        std::optional<std::uint32_t> watch;  // where the watchpoint begins whose write is about to be done
    };
    // One instruction, although `stop` is where it stopped.
    Status step_over(const Stop& stop, std::uint32_t watched_bytes);
    // Runs until a breakpoint, a watched write or the deadline. It stops before the instruction, at which it would stop
    // again: see step_over.
    Result<Stop> go_on(std::chrono::milliseconds deadline);

private:
    Status send(const std::string& text) const;
    // Nothing: none came in time.
    Result<std::optional<std::string>> receive(std::chrono::milliseconds deadline);
    Result<std::string> ask(std::string_view packet);
    Status command(std::string_view packet);
    Result<Stop> stopped(const std::string& reply) const;

    int m_socket;
    std::string m_received;  // and not yet understood
};

}  // namespace metamorph
