// A prefix becomes a header's name, PREFIX.h, in a folder that compilers search before the system's: <signal.h> would
// then be ours. So names of system headers are refused (ISO C11, POSIX.1-2017, and what C libraries include at top
// level), as are the runtime's own. Rejected: -iquote in our CMakeLists.txt, as users bring build systems of their own.
#include "generate/native/prefix.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace metamorph::generate::native {
namespace {

constexpr std::size_t k_prefix_characters_max = 64;
constexpr std::string_view k_made = "model";
constexpr std::string_view k_made_before = "model_";

// Sorted.
constexpr auto k_system_headers = std::to_array<std::string_view>({
    "aio",         "alloca",   "ar",      "argp",      "argz",     "assert",    "byteswap", "complex",  "cpio",
    "crypt",       "ctype",    "dirent",  "dlfcn",     "elf",      "endian",    "envz",     "err",      "errno",
    "error",       "execinfo", "fcntl",   "features",  "fenv",     "float",     "fmtmsg",   "fnmatch",  "fts",
    "ftw",         "getopt",   "glob",    "grp",       "iconv",    "ieeefp",    "ifaddrs",  "inttypes", "iso646",
    "langinfo",    "libgen",   "limits",  "link",      "locale",   "malloc",    "math",     "memory",   "monetary",
    "mqueue",      "ndbm",     "netdb",   "newlib",    "nl_types", "paths",     "picolibc", "poll",     "pthread",
    "pwd",         "reent",    "regex",   "sched",     "search",   "semaphore", "setjmp",   "signal",   "spawn",
    "stab",        "stdalign", "stdarg",  "stdatomic", "stdbool",  "stddef",    "stdint",   "stdio",    "stdlib",
    "stdnoreturn", "string",   "strings", "stropts",   "syslog",   "tar",       "termios",  "tgmath",   "threads",
    "time",        "trace",    "uchar",   "ucontext",  "ulimit",   "unctrl",    "unistd",   "utime",    "utmpx",
    "wait",        "wchar",    "wctype",  "wordexp",
});

bool is_identifier(const std::string& text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
        return letter(c) || (c >= '0' && c <= '9') || c == '_';
    });
}

std::string lower_case(const std::string& text) {
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

// In any case of letters: file systems exist that do not tell them apart.
bool is_taken(const std::string& prefix) {
    const std::string lower = lower_case(prefix);
    return std::binary_search(k_system_headers.begin(), k_system_headers.end(), lower) || lower == "mm" ||
           lower.rfind("mm_", 0) == 0 || lower == "metamorph";
}

std::string prefix_from(const std::string& name) {
    std::string prefix;
    for (const char c : lower_case(name.substr(0, k_prefix_characters_max - k_made_before.size()))) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            prefix += c;
        } else if (!prefix.empty() && prefix.back() != '_') {
            prefix += '_';
        }
    }
    while (!prefix.empty() && prefix.back() == '_') {
        prefix.pop_back();
    }
    if (prefix.empty()) {
        return std::string(k_made);
    }
    return is_identifier(prefix) && !is_taken(prefix) ? prefix : std::string(k_made_before) + prefix;
}

}  // namespace

Result<std::string> choose_prefix(const std::string& network, const std::string& wanted) {
    static_assert(std::is_sorted(k_system_headers.begin(), k_system_headers.end()));
    if (wanted.empty()) {
        return prefix_from(network);
    }
    if (!is_identifier(wanted) || wanted.size() > k_prefix_characters_max) {
        return fail_with_hint(ErrorCode::options, "prefix", fmt::format("\"{}\" cannot begin C names", wanted),
                              fmt::format("use at most {} letters, digits and underscores, beginning with a letter",
                                          k_prefix_characters_max));
    }
    if (is_taken(wanted)) {
        return fail_with_hint(ErrorCode::options, "prefix",
                              fmt::format("\"{}\" is taken: {}.h is a header of the C library or of the runtime",
                                          wanted, lower_case(wanted)),
                              fmt::format("use another, such as '{}{}'", k_made_before, wanted));
    }
    return wanted;
}

}  // namespace metamorph::generate::native
