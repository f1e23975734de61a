// SHA-256 through OpenSSL's libcrypto; a hash of our own would be one more thing to get wrong.
#include "util/hash.h"

#include <openssl/evp.h>

#include <array>
#include <cstdlib>

namespace metamorph {

std::string sha256_hex(std::span<const std::byte> bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
    unsigned size = 0;
    // Fails only without memory or in a libcrypto that lacks SHA-256: nothing a caller could handle.
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1 || size != 32) {
        std::abort();
    }
    static constexpr std::string_view k_digits = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
        text += k_digits[digest[i] >> 4U];
        text += k_digits[digest[i] & 15U];
    }
    return text;
}

std::string sha256_hex(std::string_view text) {
    return sha256_hex(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace metamorph
