#include "cli/error_json.h"

#include <nlohmann/json.hpp>

namespace metamorph::cli {

const char* name_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::check_failed:
            return "check_failed";
        case ErrorCode::options:
            return "options";
        case ErrorCode::model:
            return "model";
        case ErrorCode::toolchain:
            return "toolchain";
        case ErrorCode::system:
            return "system";
        case ErrorCode::internal:
            return "internal";
    }
    return "internal";
}

std::string to_json(const Error& error) {
    nlohmann::ordered_json body;
    body["code"] = name_of(error.code);
    body["exit_status"] = static_cast<int>(error.code);
    body["message"] = error.message;
    body["where"] = error.where;
    body["context"] = error.context;
    body["hint"] = error.hint;
    nlohmann::ordered_json document;
    document["error"] = std::move(body);
    // Names of files need not be UTF-8.
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace metamorph::cli
