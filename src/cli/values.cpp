#include "cli/values.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_cuts_max = 1'000'000'000'000;

tl::unexpected<Error> refuse(const std::string& option, std::string message, std::string hint) {
    return fail_with_hint(ErrorCode::options, option, std::move(message), std::move(hint));
}

std::string join_hints(const std::string& first, const std::string& second) {
    return first.empty() ? second : first + " " + second;
}

// Files that lie where `path` should: candidates for a misspelt name.
std::vector<std::string> neighbours(const fs::path& path) {
    constexpr std::size_t k_neighbours_max = 1000;
    std::vector<std::string> names;
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end && names.size() < k_neighbours_max;
         entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

tl::unexpected<Error> not_there(const std::string& option, const fs::path& path, const std::string& what) {
    std::error_code error;
    const fs::path folder = path.parent_path();
    std::string hint = did_you_mean(path.filename().string(), neighbours(path));
    if (hint.empty() && !folder.empty() && !fs::exists(folder, error)) {
        hint = fmt::format("the folder '{}' does not exist, either", printable(folder.string(), 200));
    }
    return refuse(option, fmt::format("there is no {} '{}'", what, printable(path.string(), 200)), hint);
}

}  // namespace

const char* name_of(Nvm nvm) {
    return nvm_choices()[static_cast<std::size_t>(nvm)].c_str();
}

const std::vector<std::string>& nvm_choices() {
    static const std::vector<std::string> choices{"mapped", "bus", "both"};
    return choices;
}

const std::vector<std::string>& stage_choices() {
    static const std::vector<std::string> choices{"import", "generate", "cfront", "tasks", "weave"};
    return choices;
}

Result<std::uint64_t> read_number(const std::string& option, const std::string& text, std::uint64_t min,
                                  std::uint64_t max) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
        return refuse(option, fmt::format("'{}' is not a whole number", printable(text)),
                      fmt::format("give a number from {} to {}", min, max));
    }
    if (error != std::errc() || number < min || number > max) {
        return refuse(option, fmt::format("{} is out of range", printable(text)),
                      fmt::format("give a number from {} to {}", min, max));
    }
    return number;
}

std::vector<std::string> split_list(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');) {
        words.push_back(word);
    }
    return words;
}

Result<std::size_t> read_choice(const std::string& option, const std::string& text,
                                const std::vector<std::string>& choices) {
    const auto found = std::find(choices.begin(), choices.end(), text);
    if (found == choices.end()) {
        return refuse(option, fmt::format("'{}' is not possible here", printable(text)),
                      join_hints(did_you_mean(text, choices), fmt::format("choose from {}", fmt::join(choices, ", "))));
    }
    return static_cast<std::size_t>(found - choices.begin());
}

Result<Cuts> read_cuts(const std::string& option, const std::string& text) {
    static const std::vector<std::string> words{"every", "none"};
    if (text == "every" || text == "none") {
        return Cuts{text == "every" ? Cuts::Kind::every : Cuts::Kind::none, 0};
    }
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) {
        return refuse(option, fmt::format("'{}' does not say where to cut", printable(text)),
                      join_hints(did_you_mean(text, words), "write 'every', 'none', or how many cuts"));
    }
    MM_TRY(const std::uint64_t count, read_number(option, text, 0, k_cuts_max));
    if (count == 0) {
        return Cuts{Cuts::Kind::none, 0};
    }
    return Cuts{Cuts::Kind::some, count};
}

Status check_split(const std::string& option, const std::string& text) {
    static const std::vector<std::string> words{"whole", "layer"};
    if (std::find(words.begin(), words.end(), text) != words.end()) {
        return {};
    }
    bool is_list = !text.empty() && text.front() != ',' && text.back() != ',' && text.find(",,") == std::string::npos;
    for (const char c : text) {
        is_list = is_list && (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == ',');
    }
    if (!is_list) {
        return refuse(
            option, fmt::format("'{}' is no way to split a network", printable(text)),
            join_hints(did_you_mean(text, words),
                       "write 'whole', 'layer', layers per task as in '3,3,3', or a number of tasks as in '4'"));
    }
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        MM_CHECK(read_number(option, text.substr(begin, comma - begin), 1, 100'000));
        begin = comma + 1;
    }
    return {};
}

Status check_slice(const std::string& option, const std::string& text) {
    constexpr std::string_view k_auto = "auto:";
    constexpr std::uint64_t k_slices_max = 10'000;
    constexpr std::uint64_t k_limit_max = std::uint64_t{1} << 40;
    if (text.starts_with(k_auto)) {
        const std::size_t unit =
            std::max(std::min(text.find_first_not_of("0123456789", k_auto.size()), text.size()), k_auto.size());
        if (unit == k_auto.size() || (text.substr(unit) != "B" && text.substr(unit) != "MACs")) {
            return refuse(option, fmt::format("'{}' does not say how large a slice may be", printable(text)),
                          "write 'auto:4096B' (bytes of output a slice) or 'auto:50000MACs' (multiply-accumulates)");
        }
        MM_CHECK(read_number(option, text.substr(k_auto.size(), unit - k_auto.size()), 1, k_limit_max));
        return {};
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        return refuse(option, fmt::format("'{}' is no way to slice a layer", printable(text)),
                      "write a layer and a number of slices, as in '3=4', or 'auto:4096B', or 'auto:50000MACs'");
    }
    if (text.find(',') != std::string::npos) {
        return refuse(option, fmt::format("'{}' names several layers", printable(text)),
                      fmt::format("write {} for each: {} 0=4 {} 1=2", option, option, option));
    }
    MM_CHECK(read_number(option, text.substr(equals + 1), 1, k_slices_max));
    return {};
}

Status check_prefix(const std::string& option, const std::string& text) {
    constexpr std::size_t k_prefix_max = 40;
    if (text.size() > k_prefix_max) {
        return refuse(option, fmt::format("the prefix has {} characters", text.size()),
                      fmt::format("at most {} are possible", k_prefix_max));
    }
    if (const std::string good = c_identifier(text, ""); text.empty() || good != text) {
        return refuse(option, fmt::format("'{}' cannot begin names in C", printable(text)),
                      good.empty() ? "use letters, digits and single underscores" : fmt::format("use '{}'", good));
    }
    return {};
}

Status need_file(const std::string& option, const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        return not_there(option, path, "file");
    }
    if (fs::is_directory(status)) {
        return refuse(option, fmt::format("'{}' is a folder, not a file", printable(path.string(), 200)), {});
    }
    if (!fs::is_regular_file(status)) {
        return refuse(option, fmt::format("'{}' is not a regular file", printable(path.string(), 200)),
                      "write what it holds to a file");
    }
    return {};
}

Status check_device(const std::string& option, const std::string& text) {
    const bool is_path = text.ends_with(".toml") || text.find('/') != std::string::npos;
    return is_path ? need_file(option, text) : Status{};
}

Status check_framework(const std::string& option, const std::string& text) {
    const bool is_path = text.ends_with(".toml") || text.find('/') != std::string::npos;
    std::error_code error;  // the folder of a description will do, too
    return is_path && !fs::is_directory(text, error) ? need_file(option, text) : Status{};
}

Status need_folder(const std::string& option, const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        return not_there(option, path, "folder");
    }
    if (!fs::is_directory(path, error)) {
        return refuse(option, fmt::format("'{}' is not a folder", printable(path.string(), 200)), {});
    }
    return {};
}

Status check_output_folder(const std::string& option, const fs::path& path) {
    std::error_code error;
    if (fs::exists(path, error) && !fs::is_directory(path, error)) {
        return refuse(option, fmt::format("'{}' is there already, and is not a folder", printable(path.string(), 200)),
                      "name a folder; it is made where there is none");
    }
    return {};
}

}  // namespace metamorph::cli
