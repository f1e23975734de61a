#include "project/names.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/device.h"
#include "app/framework.h"
#include "util/text.h"

namespace metamorph::project {
namespace {

namespace fs = std::filesystem;
using app::TomlReader;

constexpr std::size_t k_name_max = 60;

bool is_path(const std::string& text) {
    return text.ends_with(".toml") || text.find('/') != std::string::npos;
}

Complaint unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known,
                  const std::string& where) {
    const std::string nearest = did_you_mean(name, known);
    return {fmt::format("there is no {} '{}'{}", what, printable(name), where),
            nearest.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : nearest};
}

// "whole", "layer", a number, or numbers with commas between them.
bool is_split(const std::string& text) {
    if (text == "whole" || text == "layer") {
        return true;
    }
    bool was_digit = false;
    for (const char c : text) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && (c != ',' || !was_digit)) {
            return false;
        }
        was_digit = is_digit;
    }
    return was_digit;
}

Result<std::string> option_text(const TomlReader& at, const std::string& value, const fs::path& folder,
                                const std::string& key) {
    if (!value.starts_with("./")) {
        return value;
    }
    std::error_code error;
    const fs::path path = (folder / value).lexically_normal();
    if (!fs::exists(path, error)) {
        return at.refuse(key, fmt::format("there is no file '{}'", printable(value)),
                         fmt::format("paths are from the folder of this file, {}", folder.string()));
    }
    return path.string();
}

}  // namespace

bool is_name(const std::string& name) {
    constexpr std::string_view others = "-_+.";
    return !name.empty() && name.size() <= k_name_max && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [&](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      others.find(c) != std::string_view::npos;
           });
}

Status check_name(const TomlReader& at, const std::string& key, const std::string& name) {
    if (!is_name(name)) {
        return at.refuse(key, fmt::format("'{}' cannot be a name", printable(name)),
                         "names are part of folders' names: letters, digits, '-', '_', '+' and '.', at most 60");
    }
    return {};
}

Result<std::vector<std::string>> one_or_more(const TomlReader& at, const std::string& key) {
    const auto one = at.text(key);
    if (one) {
        return std::vector{*one};
    }
    MM_TRY(std::vector<std::string> values, at.texts(key));
    if (values.empty()) {
        return at.refuse(key, fmt::format("'{}' has no value", at.name_of(key)), "name one at least");
    }
    std::set<std::string> seen;
    for (const std::string& value : values) {
        if (!seen.insert(value).second) {
            return at.refuse(key, fmt::format("'{}' is there twice", printable(value)), "name it once");
        }
    }
    return values;
}

Result<std::string> generator_named(const TomlReader& at, const std::string& key, const std::string& text,
                                    const fs::path& folder) {
    const std::vector<std::string> names = app::framework_names();
    std::error_code error;
    if (is_path(text)) {
        const fs::path path = (folder / text).lexically_normal();
        const fs::path file = fs::is_directory(path, error) ? path / "framework.toml" : path;
        if (!fs::is_regular_file(file, error)) {
            return at.refuse(key, fmt::format("there is no description '{}'", printable(text)),
                             "a path is from the folder of this file, and leads to a framework.toml");
        }
        return file.string();
    }
    const fs::path own = folder / "frameworks" / text / "framework.toml";
    if (fs::is_regular_file(own, error)) {
        return own.string();
    }
    if (text == "native" || std::find(names.begin(), names.end(), text) != names.end()) {
        return text;
    }
    std::vector<std::string> all{"native"};
    all.insert(all.end(), names.begin(), names.end());
    const Complaint complaint = unknown("generator", text, all, "");
    return at.refuse(key, complaint.message, complaint.hint);
}

Result<std::vector<std::pair<std::string, std::string>>> read_options(const TomlReader& at,
                                                                      const std::string& generator,
                                                                      const fs::path& folder) {
    std::vector<std::pair<std::string, std::string>> options;
    std::vector<std::string> known;
    if (generator != "native") {
        MM_TRY(const app::Framework framework, app::find_framework(generator));
        for (const app::FrameworkOption& option : framework.options) {
            known.push_back(option.name);
        }
    }
    if (known.empty() && !at.keys().empty()) {
        return at.refuse(at.keys().front(), fmt::format("'{}' has no options", generator), "leave them out");
    }
    MM_CHECK(at.only(known));
    for (const std::string& key : at.keys()) {
        MM_TRY(const std::vector<std::string> values, one_or_more(at, key));
        for (const std::string& value : values) {
            MM_TRY(std::string text, option_text(at, value, folder, key));
            options.emplace_back(key, std::move(text));
        }
    }
    return options;
}

Complaint complaint_of(Axis axis, const std::string& value, const std::vector<std::string>& declared) {
    const auto is_among = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), value) != names.end();
    };
    switch (axis) {
        case Axis::model:
            return is_among(declared) ? Complaint{} : unknown("model", value, declared, " in the project");
        case Axis::generator:
            return is_among(declared) ? Complaint{} : unknown("generator", value, declared, " in the project");
        case Axis::device: {
            std::vector<std::string> names = app::device_names();
            return is_path(value) || is_among(names) ? Complaint{} : unknown("device", value, names, "");
        }
        case Axis::toolchain:
            return is_among({"gcc", "clang"}) ? Complaint{} : unknown("toolchain", value, {"gcc", "clang"}, "");
        case Axis::tasks:
            break;
    }
    return is_split(value) ? Complaint{}
                           : Complaint{fmt::format("'{}' is no split into tasks", printable(value)),
                                       "write \"whole\", \"layer\", layers per task as in \"3,3,3\", or a number of "
                                       "tasks as in \"4\""};
}

Result<std::string> checked_value(const TomlReader& at, const std::string& key, Axis axis, const std::string& value,
                                  const std::vector<std::string>& declared, const fs::path& folder) {
    if (const Complaint complaint = complaint_of(axis, value, declared); !complaint.message.empty()) {
        return at.refuse(key, complaint.message, complaint.hint);
    }
    if (axis != Axis::device || !is_path(value)) {
        return value;
    }
    const fs::path path = (folder / value).lexically_normal();
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        return at.refuse(key, fmt::format("there is no file '{}'", printable(value)),
                         fmt::format("paths are from the folder of this file, {}", folder.string()));
    }
    return path.string();
}

}  // namespace metamorph::project
