// Where descriptions are: embedded, below frameworks/ of the folder that we work in, or at a path.
#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/embedded_frameworks.h"
#include "app/framework.h"
#include "app/toml_reader.h"
#include "util/file.h"
#include "util/text.h"

namespace metamorph::app {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_file_bytes_max = 1 << 20;
constexpr const char* k_folder = "frameworks";
constexpr const char* k_file = "framework.toml";

// Where a user's own descriptions are: METAMORPH_FRAMEWORKS, or frameworks/ below the folder that we work in.
fs::path own_folder() {
    const char* named = std::getenv("METAMORPH_FRAMEWORKS");
    return named != nullptr && *named != '\0' ? fs::path(named) : fs::path(k_folder);
}

Result<Framework> read_at(const fs::path& path) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_file_bytes_max));
    return read_framework({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

// All files below frameworks/NAME/ that are embedded, by their path there.
std::map<std::string, std::string> embedded_below(const std::string& name) {
    std::map<std::string, std::string> files;
    const std::string start = fmt::format("{}/{}/", k_folder, name);
    for (const EmbeddedFile& file : embedded_frameworks()) {
        if (file.path.starts_with(start)) {
            files.emplace(file.path.substr(start.size()), file.contents);
        }
    }
    return files;
}

std::string text_at(const fs::path& path) {
    const auto bytes = read_file(path, k_file_bytes_max);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : std::string();
}

// Whether a description has a table [generator]; one that is no TOML counts, so that its error is told.
bool is_generator(std::string_view toml) {
    const toml::parse_result parsed = toml::parse(toml);
    return !parsed || parsed.table().contains("generator") || !parsed.table().contains("library");
}

Result<Framework> find_any(const std::string& name, const std::string& option);

// Metamorph's own source folder has what is embedded: there, both are the same, and ours is told in fewer words.
bool is_ours(const fs::path& folder, const std::map<std::string, std::string>& embedded) {
    return !embedded.empty() && std::all_of(embedded.begin(), embedded.end(), [&](const auto& file) {
        return text_at(folder / file.first) == file.second;
    });
}

int number_at(std::string_view text, std::size_t& at) {
    int number = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && number < 100'000'000) {
        number = number * 10 + (text[at++] - '0');
    }
    return number;
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
    std::size_t in_a = 0, in_b = 0;
    while (true) {
        const int left = number_at(a, in_a), right = number_at(b, in_b);
        if (left != right) {
            return left < right ? -1 : 1;
        }
        const bool more_a = in_a < a.size() && a[in_a] == '.', more_b = in_b < b.size() && b[in_b] == '.';
        if (!more_a && !more_b) {
            return 0;
        }
        in_a = more_a ? in_a + 1 : a.size();
        in_b = more_b ? in_b + 1 : b.size();
    }
}

std::vector<std::string> framework_names() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embedded_frameworks()) {
        const fs::path path(file.path);
        if (path.filename() == k_file && is_generator(file.contents)) {
            names.push_back(path.parent_path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> reachable_framework_names() {
    const std::vector<std::string> own = framework_names();
    std::set<std::string> names(own.begin(), own.end());
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(own_folder(), error)) {
        if (fs::is_regular_file(entry.path() / k_file, error) && is_generator(text_at(entry.path() / k_file))) {
            names.insert(entry.path().filename().string());
        }
    }
    return {names.begin(), names.end()};
}

Result<Framework> find_framework(const std::string& name, const std::string& option) {
    MM_TRY(Framework framework, find_any(name, option));
    if (!framework.is_generator) {
        return fail_with_hint(ErrorCode::options, option,
                              fmt::format("'{}' describes libraries, and no generator", printable(name)),
                              "metamorph libs list shows libraries");
    }
    return framework;
}

Result<std::vector<Library>> find_libraries(const Framework* at_path) {
    std::set<std::string> names;
    for (const EmbeddedFile& file : embedded_frameworks()) {
        if (fs::path(file.path).filename() == k_file) {
            names.insert(fs::path(file.path).parent_path().filename().string());
        }
    }
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(own_folder(), error)) {
        if (fs::is_regular_file(entry.path() / k_file, error)) {
            names.insert(entry.path().filename().string());
        }
    }
    std::vector<Library> libraries;
    for (const std::string& name : names) {
        MM_TRY(Framework framework, find_any(name, "frameworks"));
        for (Library& library : framework.libraries) {
            const auto twin = std::find_if(libraries.begin(), libraries.end(),
                                           [&](const Library& other) { return other.name == library.name; });
            if (twin != libraries.end()) {
                return fail_with_hint(ErrorCode::options, fmt::format("{}/{}/{}", k_folder, name, k_file),
                                      fmt::format("'{}' is a library of '{}', too", library.name, twin->framework),
                                      "rename one of them");
            }
            libraries.push_back(std::move(library));
        }
    }
    if (at_path != nullptr) {
        for (const Library& library : at_path->libraries) {
            std::erase_if(libraries, [&](const Library& other) { return other.name == library.name; });
            libraries.push_back(library);
        }
    }
    MM_TRY(libraries, extended(std::move(libraries)));
    std::sort(libraries.begin(), libraries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return libraries;
}

namespace {

Result<Framework> find_any(const std::string& name, const std::string& option) {
    std::error_code error;
    if (name.ends_with(".toml") || name.find('/') != std::string::npos) {
        return read_at(fs::is_directory(name, error) ? fs::path(name) / k_file : fs::path(name));
    }
    const std::map<std::string, std::string> files = embedded_below(name);
    const fs::path here = own_folder() / name;
    if (!name.empty() && fs::is_regular_file(here / k_file, error) && !is_ours(here, files)) {
        return read_at(here / k_file);
    }
    if (const auto found = files.find(k_file); found != files.end()) {
        return read_framework(found->second, fmt::format("{}/{}/{}", k_folder, name, k_file), files);
    }
    if (name == "native") {
        return fail_with_hint(ErrorCode::options, option,
                              "'native' is Metamorph's own generator, and has no description",
                              "metamorph generate MODEL -o DIR shows what it gives");
    }
    std::vector<std::string> names = reachable_framework_names();
    const std::string nearest = did_you_mean(name, names);
    return fail_with_hint(ErrorCode::options, option, fmt::format("there is no generator '{}'", printable(name)),
                          fmt::format("{}{}there are native, {}; a description of your own is a file: ./framework.toml",
                                      nearest, nearest.empty() ? "" : " ", fmt::join(names, ", ")));
}

}  // namespace

}  // namespace metamorph::app
