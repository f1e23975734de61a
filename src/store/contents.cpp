#include "store/contents.h"

#include <charconv>

#include <fmt/format.h>

#include "util/hash.h"
#include "util/text.h"

namespace metamorph::store {

Result<std::vector<ContentFile>> describe_contents(Disk& disk, const std::filesystem::path& folder) {
    MM_TRY(const std::vector<FileEntry> entries, disk.files_below(folder));
    std::vector<ContentFile> files;
    for (const FileEntry& entry : entries) {
        const std::string path = entry.path.generic_string();
        if (path.find('\n') != std::string::npos) {
            return fail(ErrorCode::system, folder.string(), "the name '{}' has a line feed", printable(path));
        }
        MM_TRY(const std::string contents, disk.read(folder / entry.path));
        files.push_back({sha256_hex(contents), path, static_cast<std::int64_t>(contents.size())});
    }
    return files;
}

std::string print_contents(const std::vector<ContentFile>& files) {
    std::string text;
    for (const ContentFile& file : files) {
        text += fmt::format("{} {} {}\n", file.sha256, file.bytes, file.path);
    }
    return text;
}

Result<std::vector<ContentFile>> parse_contents(std::string_view text, const std::filesystem::path& where) {
    constexpr std::size_t k_digits = 64;
    std::vector<ContentFile> files;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view row = text.substr(0, end);
        const std::size_t space = row.find(' ', k_digits + 1);
        ContentFile file;
        const bool has_form = end != std::string_view::npos && row.find(' ') == k_digits &&
                              space != std::string_view::npos && space + 1 < row.size();
        const auto number = row.substr(0, has_form ? space : 0);
        if (!has_form || std::from_chars(number.data() + k_digits + 1, number.data() + number.size(), file.bytes).ptr !=
                             number.data() + number.size()) {
            return fail(ErrorCode::system, where.string(), "line {} is no line of a list of files", files.size() + 1);
        }
        file.sha256 = row.substr(0, k_digits);
        file.path = row.substr(space + 1);
        files.push_back(std::move(file));
        text.remove_prefix(end + 1);
    }
    return files;
}

}  // namespace metamorph::store
