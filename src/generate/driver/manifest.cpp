#include "generate/driver/manifest.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "util/text.h"

namespace metamorph::generate {
namespace {

using nlohmann::json;

const std::vector<std::string> k_keys{"entry", "parameters", "include_dirs", "defines", "notes"};
const std::vector<std::string> k_roles{"input", "output", "arena", "constant", "null"};

tl::unexpected<Error> refuse(const std::string& where, const std::string& what) {
    return fail_with_hint(ErrorCode::toolchain, where, what, "docs/frameworks.md shows a manifest");
}

Result<std::vector<std::string>> texts(const json& value, const std::string& key, const std::string& where) {
    std::vector<std::string> all;
    for (const json& item : value) {
        if (!value.is_array() || !item.is_string()) {
            return refuse(where, fmt::format("'{}' is no array of texts", key));
        }
        all.push_back(item.get<std::string>());
    }
    return all;
}

bool stays_below(const std::string& text) {
    const std::filesystem::path path(text);
    return !path.empty() && !path.is_absolute() && std::find(path.begin(), path.end(), "..") == path.end();
}

Result<ForeignParameter> parameter_of(const json& value, const std::string& where) {
    if (!value.is_object() || !value.contains("name") || !value["name"].is_string() || !value.contains("role") ||
        !value["role"].is_string()) {
        return refuse(where, "a parameter has no name or no role");
    }
    ForeignParameter parameter;
    parameter.name = value["name"].get<std::string>();
    const auto role = std::find(k_roles.begin(), k_roles.end(), value["role"].get<std::string>());
    if (role == k_roles.end()) {
        return refuse(where, fmt::format("parameter '{}' has a role that is none of {}", printable(parameter.name),
                                         fmt::join(k_roles, ", ")));
    }
    parameter.role = static_cast<ForeignParameter::Role>(role - k_roles.begin());
    if (value.contains("bytes")) {
        if (!value["bytes"].is_number_unsigned() || value["bytes"].get<std::uint64_t>() > (std::uint64_t{1} << 40)) {
            return refuse(where, fmt::format("the bytes of parameter '{}' are no size", printable(parameter.name)));
        }
        parameter.bytes = value["bytes"].get<std::int64_t>();
    }
    if (parameter.role == ForeignParameter::Role::constant) {
        if (!value.contains("value") || !value["value"].is_number_integer()) {
            return refuse(where, fmt::format("parameter '{}' is constant and has no value", printable(parameter.name)));
        }
        parameter.value = value["value"].get<std::int64_t>();
    }
    return parameter;
}

}  // namespace

Status apply_manifest(const app::Framework& framework, const std::string& path, ForeignCode& code) {
    static_assert(static_cast<int>(ForeignParameter::Role::null) == 4, "as k_roles");
    const auto file = code.files.find(path);
    if (file == code.files.end()) {
        return refuse(framework.name, fmt::format("it ended well, but wrote no '{}'", path));
    }
    const json document = json::parse(file->second, nullptr, false);
    code.files.erase(file);
    if (!document.is_object()) {
        return refuse(path, "this is no JSON object");
    }
    for (const auto& [key, value] : document.items()) {
        if (std::find(k_keys.begin(), k_keys.end(), key) == k_keys.end()) {
            return refuse(path, fmt::format("'{}' is none of its keys: {}", printable(key), fmt::join(k_keys, ", ")));
        }
    }
    if (document.contains("entry")) {
        if (!document["entry"].is_string()) {
            return refuse(path, "'entry' is no text");
        }
        code.entry = document["entry"].get<std::string>();
    }
    for (const json& value : document.value("parameters", json::array())) {
        MM_TRY(ForeignParameter parameter, parameter_of(value, path));
        code.parameters.push_back(std::move(parameter));
    }
    MM_TRY(const auto folders, texts(document.value("include_dirs", json::array()), "include_dirs", path));
    for (const std::string& folder : folders) {
        if (!stays_below(folder)) {
            return refuse(path, fmt::format("'{}' of 'include_dirs' leads elsewhere", printable(folder)));
        }
    }
    code.include_dirs.insert(code.include_dirs.end(), folders.begin(), folders.end());
    MM_TRY(const auto defines, texts(document.value("defines", json::array()), "defines", path));
    code.defines.insert(code.defines.end(), defines.begin(), defines.end());
    MM_TRY(const auto notes, texts(document.value("notes", json::array()), "notes", path));
    code.notes.insert(code.notes.end(), notes.begin(), notes.end());
    return {};
}

}  // namespace metamorph::generate
