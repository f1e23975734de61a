// Errors as values. Every fallible function of Metamorph returns Result<T>; the code of an Error tells whose fault it
// is and fixes the exit status of the program. Nothing here knows the product.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tl/expected.hpp>

namespace metamorph {

// Whose fault an error is. The numbers are the exit statuses of `metamorph` (documented in docs/command-line.md).
enum class ErrorCode {
    check_failed = 1,  // the program did its work and the result is wrong: a power cut changed the output, say
    options = 2,       // your options: unknown, contradictory or out of range
    model = 3,         // your model or your C code: damaged, or not supported
    toolchain = 4,     // a compiler, generator or tool is missing or failed
    system = 5,        // the machine: disk full, no permission, no memory
    internal = 70,     // our bug (EX_SOFTWARE)
};

struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message;               // one sentence: what is wrong
    std::string where;                 // file:line, operator and position, option; may be empty
    std::string hint;                  // what to do; may be empty
    std::vector<std::string> context;  // outermost first: "while importing digits.tflite"
};

template <typename T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

// Makes the error branch of a Result: `return fail(ErrorCode::model, where, "tensor {} has no shape", i);`
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail(ErrorCode code, std::string where, fmt::format_string<Args...> format,
                                         Args&&... args) {
    return tl::unexpected<Error>(
        Error{code, fmt::format(format, std::forward<Args>(args)...), std::move(where), {}, {}});
}

// The same with a hint that says what to do about it.
[[nodiscard]] inline tl::unexpected<Error> fail_with_hint(ErrorCode code, std::string where, std::string message,
                                                          std::string hint) {
    return tl::unexpected<Error>(Error{code, std::move(message), std::move(where), std::move(hint), {}});
}

// Adds what was being done to an error on its way up.
[[nodiscard]] inline Error in_context(Error error, std::string context) {
    error.context.insert(error.context.begin(), std::move(context));
    return error;
}

// "error: message\n  at where\n  while …\n  hint: …", as printed on standard error.
std::string describe(const Error& error);

}  // namespace metamorph

// Propagates the error of an expression of type Result<T>; binds its value otherwise.
#define MM_CONCAT_INNER(a, b) a##b
#define MM_CONCAT(a, b) MM_CONCAT_INNER(a, b)
#define MM_TRY(declaration, expression) MM_TRY_IMPL(MM_CONCAT(mm_result_, __LINE__), declaration, expression)
#define MM_TRY_IMPL(tmp, declaration, expression)               \
    auto tmp = (expression);                                    \
    if (!tmp) {                                                 \
        return tl::unexpected<::metamorph::Error>(tmp.error()); \
    }                                                           \
    declaration = std::move(*tmp)
#define MM_CHECK(expression)                                              \
    do {                                                                  \
        if (auto mm_status = (expression); !mm_status) {                  \
            return tl::unexpected<::metamorph::Error>(mm_status.error()); \
        }                                                                 \
    } while (false)
