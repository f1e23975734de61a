// Content hashes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace metamorph {

// SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_hex(std::string_view text);

}  // namespace metamorph
