#include "generate/driver/collect.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/driver/manifest.h"
#include "generate/driver/values.h"
#include "util/file.h"
#include "util/text.h"

namespace metamorph::generate {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_file_bytes_max = 256 << 20;
constexpr std::size_t k_files_max = 20'000;
const std::vector<std::string> k_header_patterns{"*.h", "*.inc", "*.def"};

bool any_matches(const std::vector<std::string>& patterns, const std::map<std::string, std::string>& values,
                 const std::string& path) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return matches(filled(pattern, values), path); });
}

bool match_here(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) {
        return text.empty();
    }
    if (pattern.front() == '*') {
        return match_here(pattern.substr(1), text) ||
               (!text.empty() && text.front() != '/' && match_here(pattern, text.substr(1)));
    }
    return !text.empty() && (pattern.front() == text.front() || (pattern.front() == '?' && text.front() != '/')) &&
           match_here(pattern.substr(1), text.substr(1));
}

// Relative paths of regular files, sorted; hidden ones and those in hidden folders are nobody's sources.
Result<std::vector<std::string>> files_below(const fs::path& folder) {
    std::vector<std::string> paths;
    std::error_code error;
    fs::recursive_directory_iterator walk(folder, error), end;
    for (; !error && walk != end; walk.increment(error)) {
        if (walk->path().filename().string().starts_with(".")) {
            walk.disable_recursion_pending();
        } else if (walk->is_regular_file(error)) {
            paths.push_back(walk->path().lexically_relative(folder).generic_string());
        }
        if (paths.size() > k_files_max) {
            return fail_with_hint(ErrorCode::options, folder.string(),
                                  fmt::format("there are more than {} files", k_files_max),
                                  "name the folder of the inference code alone");
        }
    }
    if (error) {
        return fail(ErrorCode::system, folder.string(), "the folder cannot be read: {}", error.message());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

Result<std::string> read_text(const fs::path& path, ErrorCode whose) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_file_bytes_max));
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.find('\0') != std::string::npos) {
        return fail_with_hint(whose, "", fmt::format("'{}' is no text", path.filename().string()),
                              "C is expected there");
    }
    return text;
}

// Headers of a folder elsewhere come along, so that what is written builds anywhere.
Status add_include_dirs(const DriverRequest& request, ForeignCode& code) {
    std::error_code error;
    for (std::size_t i = 0; i < request.include_dirs.size(); ++i) {
        const fs::path& given = request.include_dirs[i];
        const fs::path folder = fs::is_directory(given, error) ? given : request.model / given;
        if (!fs::is_directory(folder, error)) {
            return fail_with_hint(ErrorCode::options, "--include",
                                  fmt::format("there is no folder '{}'", printable(given.string())),
                                  "name a folder that holds headers");
        }
        const fs::path inside = fs::canonical(folder, error).lexically_relative(fs::canonical(request.model, error));
        if (fs::is_directory(request.model, error) && !inside.empty() && *inside.begin() != "..") {
            code.include_dirs.push_back(inside.generic_string());
            continue;
        }
        const std::string here = fmt::format("include/{}", i);
        MM_TRY(const std::vector<std::string> paths, files_below(folder));
        for (const std::string& path : paths) {
            if (any_matches(k_header_patterns, {}, path)) {
                MM_TRY(code.files[here + "/" + path], read_text(folder / path, ErrorCode::options));
            }
        }
        code.include_dirs.push_back(here);
    }
    return {};
}

// The value of "#define NAME 640u" or "(640)".
std::optional<std::int64_t> macro_value(const ForeignCode& code, const std::string& macro) {
    for (const auto& [path, text] : code.files) {
        const std::string start = "#define " + macro;
        for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
            std::size_t i = at + start.size();
            while (i < text.size() && (text[i] == ' ' || text[i] == '(')) {
                ++i;
            }
            std::int64_t value = 0;
            const std::size_t digits = i;
            while (i < text.size() && text[i] >= '0' && text[i] <= '9' && i - digits < 18) {
                value = value * 10 + (text[i++] - '0');
            }
            while (i < text.size() && std::string_view("uUlL) \t\r").find(text[i]) != std::string_view::npos) {
                ++i;
            }
            if (i > digits && text[digits] >= '0' && text[digits] <= '9' && (i == text.size() || text[i] == '\n')) {
                return value;
            }
        }
    }
    return {};
}

ForeignParameter::Role role_of(const std::string& name) {
    using Role = ForeignParameter::Role;
    return name == "input"      ? Role::input
           : name == "output"   ? Role::output
           : name == "arena"    ? Role::arena
           : name == "constant" ? Role::constant
                                : Role::null;
}

Status add_parameters(const app::Framework& framework, const DriverRequest& request,
                      const std::map<std::string, std::string>& values, ForeignCode& code) {
    for (const app::FrameworkParameter& described : framework.parameters) {
        ForeignParameter parameter{described.name, role_of(described.role), {}, 0};
        parameter.value = static_cast<std::int64_t>(described.value);
        if (described.bytes) {
            parameter.bytes = static_cast<std::int64_t>(*described.bytes);
        }
        if (const std::string macro = filled(described.bytes_macro, values); !macro.empty()) {
            parameter.bytes = macro_value(code, macro);
            if (!parameter.bytes) {
                return fail_with_hint(ErrorCode::toolchain, framework.name,
                                      fmt::format("no file that came out defines '{}' as a plain number", macro),
                                      fmt::format("it is the extent of parameter '{}'", described.name));
            }
        }
        code.parameters.push_back(std::move(parameter));
    }
    for (const ForeignParameter& own : request.parameters) {
        const auto same = std::find_if(code.parameters.begin(), code.parameters.end(),
                                       [&](const ForeignParameter& p) { return p.name == own.name; });
        if (same == code.parameters.end()) {
            code.parameters.push_back(own);
        } else {
            *same = own;
        }
    }
    return {};
}

Status add_hazards(const app::Framework& framework, const std::map<std::string, std::string>& values,
                   ForeignCode& code) {
    for (const app::FrameworkHazard& hazard : framework.hazards) {
        if (hazard.contains.empty()) {
            code.notes.push_back(hazard.text);
            continue;
        }
        for (const std::string& source : code.sources) {
            const std::string& text = code.files.at(source);
            const std::size_t at = text.find(filled(hazard.contains, values));
            if (at == std::string::npos) {
                continue;
            }
            const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
            if (hazard.refuse) {
                return fail_with_hint(ErrorCode::model, fmt::format("{}:{}", source, line), hazard.text,
                                      "docs/frameworks.md tells where such rules come from");
            }
            code.notes.push_back(fmt::format("{}:{}: {}", source, line, hazard.text));
            break;
        }
    }
    return {};
}

// The user's folder may hold a test program; ours has a main of its own.
void leave_out_programs(ForeignCode& code) {
    for (auto source = code.sources.begin(); source != code.sources.end();) {
        ForeignCode one;
        one.sources = {*source};
        one.files = {{*source, code.files.at(*source)}};
        const std::vector<std::string> functions = defined_functions(one);
        if (std::find(functions.begin(), functions.end(), "main") != functions.end()) {
            code.notes.push_back(fmt::format("{} defines main, so it is left out", *source));
            source = code.sources.erase(source);
        } else {
            ++source;
        }
    }
}

// Its command has compiler, flags, archive and library still open.
void add_opaque(const app::Framework& framework, const DriverRequest& request,
                const std::map<std::string, std::string>& values, ForeignCode& code) {
    if (!framework.opaque) {
        return;
    }
    OpaqueCode opaque;
    ForeignCode read;
    for (const auto& [path, contents] : code.files) {
        if (any_matches(framework.opaque->stand_ins, values, path)) {
            opaque.stand_ins.push_back(path);
            read.files[path] = contents;
        }
    }
    read.sources = opaque.stand_ins;
    std::map<std::string, std::string> known = values;
    known.erase("library");  // is that of this machine
    for (const std::string& argument : framework.opaque->command) {
        opaque.command.push_back(filled(argument, known));
    }
    opaque.archive = filled(framework.opaque->archive, values);
    opaque.timeout = std::chrono::seconds(framework.seconds_max);
    opaque.library = library_need(framework, request, values);
    opaque.find_archive = request.find_archive;
    code.notes.push_back(fmt::format(
        "{} is not C, so it was not read: that it touches no memory but as {} says is the word of its framework",
        fmt::join(defined_functions(read), ", "), fmt::join(opaque.stand_ins, ", ")));
    code.opaque = std::move(opaque);
}

Status check_entry(const app::Framework& framework, const DriverRequest& request, const ForeignCode& code) {
    const std::vector<std::string> functions = defined_functions(code);
    const std::string where = request.entry.empty() ? framework.name : "--entry";
    if (code.entry.empty()) {
        return fail_with_hint(ErrorCode::options, "--entry", "--entry is missing",
                              functions.empty() ? std::string("name the function that runs an inference")
                                                : fmt::format("functions here: {}", fmt::join(functions, ", ")));
    }
    if (std::find(functions.begin(), functions.end(), code.entry) == functions.end()) {
        const std::string near = did_you_mean(code.entry, functions);
        return fail_with_hint(ErrorCode::model, where,
                              fmt::format("no source defines a function '{}'", printable(code.entry)),
                              !near.empty()       ? near
                              : functions.empty() ? std::string("no source defines any function")
                                                  : fmt::format("functions here: {}", fmt::join(functions, ", ")));
    }
    return {};
}

}  // namespace

std::string filled(const std::string& text, const std::map<std::string, std::string>& values) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((text[i] == '{' || text[i] == '}') && i + 1 < text.size() && text[i + 1] == text[i]) {
            result += text[i++];
            continue;
        }
        const std::size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
        const auto value = end == std::string::npos ? values.end() : values.find(text.substr(i + 1, end - i - 1));
        if (value == values.end()) {
            result += text[i];
        } else {
            result += value->second;
            i = end;
        }
    }
    return result;
}

bool matches(const std::string& pattern, const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const bool anywhere = pattern.find('/') == std::string::npos && slash != std::string::npos;
    return match_here(pattern, anywhere ? std::string_view(path).substr(slash + 1) : std::string_view(path));
}

Result<std::map<std::string, std::string>> read_output(const app::Framework& framework,
                                                       const std::map<std::string, std::string>& values,
                                                       const fs::path& folder) {
    const bool is_users = framework.kind == app::GeneratorKind::none;
    const ErrorCode whose = is_users ? ErrorCode::model : ErrorCode::toolchain;
    MM_TRY(const std::vector<std::string> paths, files_below(folder));
    std::vector<std::string> needed = framework.sources;
    if (framework.opaque) {
        needed.insert(needed.end(), framework.opaque->stand_ins.begin(), framework.opaque->stand_ins.end());
    }
    for (const std::string& pattern : needed) {
        const std::string wanted = filled(pattern, values);
        if (std::none_of(paths.begin(), paths.end(), [&](const std::string& path) { return matches(wanted, path); })) {
            return fail_with_hint(
                whose, is_users ? folder.string() : "",
                is_users ? fmt::format("there is no file '{}' in the folder", wanted)
                         : fmt::format("{} ended well, but wrote no file '{}'", framework.name, wanted),
                paths.empty()
                    ? std::string("there are no files at all")
                    : fmt::format("there are {}{}",
                                  fmt::join(paths.begin(),
                                            paths.begin() + std::min<std::ptrdiff_t>(8, std::ssize(paths)), ", "),
                                  paths.size() > 8 ? ", …" : ""));
        }
    }
    std::map<std::string, std::string> files;
    for (const std::string& path : paths) {
        if (any_matches(needed, values, path) || any_matches(framework.headers, values, path) ||
            path == filled(framework.manifest, values)) {
            MM_TRY(files[path], read_text(folder / path, whose));
        }
    }
    return files;
}

Result<ForeignCode> assemble(const app::Framework& framework, const DriverRequest& request,
                             const std::map<std::string, std::string>& values, const std::string& version,
                             std::map<std::string, std::string> files) {
    ForeignCode code;
    code.files = std::move(files);
    code.prefix = request.prefix;
    code.generator = version.empty() ? framework.name : framework.name + " " + version;
    for (const auto& [path, contents] : code.files) {
        if (any_matches(framework.sources, values, path)) {
            code.sources.push_back(path);
        }
    }
    for (const app::FrameworkFile& file : framework.files) {
        code.files[file.path] = file.contents;
    }
    for (const std::string& folder : framework.include_dirs) {
        code.include_dirs.push_back(filled(folder, values));
    }
    MM_CHECK(add_include_dirs(request, code));
    for (const std::string& define : framework.defines) {
        code.defines.push_back(filled(define, values));
    }
    code.entry = filled(framework.entry, values);
    if (const std::string manifest = filled(framework.manifest, values); !manifest.empty()) {
        MM_CHECK(apply_manifest(framework, manifest, code));
    }
    code.defines.insert(code.defines.end(), request.defines.begin(), request.defines.end());
    code.entry = request.entry.empty() ? code.entry : request.entry;
    add_opaque(framework, request, values, code);
    MM_CHECK(add_parameters(framework, request, values, code));
    if (framework.kind == app::GeneratorKind::none) {
        leave_out_programs(code);
    }
    MM_CHECK(add_hazards(framework, values, code));
    MM_CHECK(check_entry(framework, request, code));
    if (framework.replaces_missing_headers) {
        add_missing_headers(code);
    }
    return code;
}

}  // namespace metamorph::generate
