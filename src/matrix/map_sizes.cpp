#include "matrix/map_sizes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>

namespace metamorph::matrix {
namespace {

using nlohmann::ordered_json;

constexpr const char* k_begin = "Linker script and memory map";
constexpr const char* k_padding = "(padding)";
constexpr const char* k_titles[] = {"run", "part", "code", "constants", "variables", "nvm"};

struct Section {
    std::string name;    // ".text.mm_run"
    std::string object;  // "CMakeFiles/app.dir/a.c.obj", "/usr/lib/libc.a(memcpy.o)"; empty: padding
    std::int64_t bytes = 0;
};

std::optional<std::int64_t> hexadecimal(const std::string& text) {
    std::int64_t number = 0;
    if (!text.starts_with("0x")) {
        return {};
    }
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Lines of one input section: " .text.f  0x0800  0x1c  a.o", or its name alone and the rest on the next line. Paths may
// have spaces.
std::vector<Section> sections_of(const std::string& map) {
    std::vector<Section> sections;
    const std::size_t begin = map.find(k_begin);
    std::istringstream lines(begin == std::string::npos ? "" : map.substr(begin));
    std::string pending;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name, address, size, object;
        const bool is_name = line.starts_with(" .") || line.starts_with(" *fill*") || line.starts_with(" COMMON");
        if (is_name) {
            words >> name;
        } else if (pending.empty() || !line.starts_with("  ")) {
            pending.clear();
            continue;
        } else {
            name = pending;
        }
        pending.clear();
        if (!(words >> address)) {
            pending = name;
            continue;
        }
        words >> size;
        std::getline(words >> std::ws, object);
        const auto bytes = hexadecimal(size);
        if (hexadecimal(address) && bytes && *bytes > 0) {
            sections.push_back({name, name == "*fill*" ? "" : object, *bytes});
        }
    }
    return sections;
}

bool is_loaded(const Section& section) {
    for (const char* start : {".debug", ".comment", ".note", ".stab", ".ARM.attributes", ".riscv.attributes"}) {
        if (section.name.starts_with(start)) {
            return false;
        }
    }
    return true;
}

std::int64_t& slot_of(PartSize& part, const Section& section) {
    const std::string& name = section.name;
    const auto is = [&](const char* start) { return name.starts_with(start); };
    if (is(".mm_nvm")) {
        return part.nvm;
    }
    if (is(".mm_sram") || is(".data") || is(".sdata") || is(".bss") || is(".sbss") || is("COMMON") || is(".tdata") ||
        is(".tbss")) {
        return part.variables;
    }
    return is(".rodata") || is(".srodata") || is(".ARM.ex") || is(".eh_frame") || is(".gcc_except") ? part.constants
                                                                                                    : part.code;
}

// "libc.a", or the CMake target; of an object from elsewhere (crt0.o) its file.
std::string library_of(const std::string& object) {
    const std::size_t member = object.find("(");
    const std::filesystem::path path(object.substr(0, member));
    if (member == std::string::npos && object.starts_with("CMakeFiles/")) {
        const std::size_t end = object.find(".dir/");
        constexpr std::size_t start = sizeof "CMakeFiles/" - 1;
        if (end != std::string::npos) {
            return object.substr(start, end - start);
        }
    }
    return path.filename().string();
}

// "conv2d.c" of "…/conv2d.c.obj" and "libx.a(conv2d.c.o)".
std::string file_of(const std::string& object) {
    const std::size_t member = object.find("(");
    const std::string name =
        member == std::string::npos ? object : object.substr(member + 1, object.size() - member - 2);
    const std::filesystem::path path(name);
    return path.has_extension() && (path.extension() == ".obj" || path.extension() == ".o")
               ? path.stem().filename().string()
               : path.filename().string();
}

std::string layer_of(const std::string& object) {
    if (!library_of(object).ends_with("_model")) {
        return library_of(object);
    }
    std::string stem = std::filesystem::path(file_of(object)).stem().string();
    constexpr std::string_view weights = "_weights";
    if (stem.ends_with(weights)) {
        stem.erase(stem.size() - weights.size());
    }
    return stem;
}

std::string function_of(const Section& section) {
    const std::size_t dot = section.name.find('.', 1);
    if (dot == std::string::npos || dot + 1 == section.name.size() ||
        section.name.find(".str1.") != std::string::npos) {
        return fmt::format("({})", file_of(section.object));
    }
    return section.name.substr(dot + 1);
}

std::string part_of(const Section& section, SizesBy by) {
    if (section.object.empty()) {
        return k_padding;
    }
    return by == SizesBy::library ? library_of(section.object)
           : by == SizesBy::layer ? layer_of(section.object)
                                  : function_of(section);
}

std::vector<std::vector<std::string>> rows_of(const std::vector<RunSizes>& runs) {
    std::vector<std::vector<std::string>> rows{{std::begin(k_titles), std::end(k_titles)}};
    for (const RunSizes& run : runs) {
        for (const PartSize& part : run.parts) {
            rows.push_back({run.run, part.part, std::to_string(part.code), std::to_string(part.constants),
                            std::to_string(part.variables), std::to_string(part.nvm)});
        }
    }
    return rows;
}

constexpr std::size_t k_texts = 2;  // the first columns, aligned to the left

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += i < k_texts ? fmt::format("{:<{}}  ", row[i], widths[i])
                                : fmt::format("{:>{}}{}", row[i], widths[i], i + 1 < row.size() ? "  " : "\n");
        }
    }
    return text;
}

}  // namespace

std::vector<PartSize> sizes_in_map(const std::string& map, SizesBy by) {
    std::map<std::string, PartSize> parts;
    std::string last = ".text";  // padding belongs to what stands before it
    for (const Section& section : sections_of(map)) {
        if (!is_loaded(section)) {
            continue;
        }
        Section counted = section;
        if (section.object.empty()) {
            counted.name = last;
        }
        last = counted.name;
        PartSize& part = parts[part_of(section, by)];
        slot_of(part, counted) += section.bytes;
    }
    std::vector<PartSize> sorted;
    for (auto& [name, part] : parts) {
        part.part = name;
        sorted.push_back(part);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const PartSize& a, const PartSize& b) {
        return a.code + a.constants + a.variables + a.nvm > b.code + b.constants + b.variables + b.nvm;
    });
    return sorted;
}

std::string print(const std::vector<RunSizes>& runs, SizesForm form) {
    const auto rows = rows_of(runs);
    if (form == SizesForm::text) {
        return aligned(rows);
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line = form == SizesForm::markdown ? "|" : "";
        for (const std::string& cell : row) {
            if (form == SizesForm::markdown) {
                line += fmt::format(" {} |", cell);
            } else {
                const bool is_plain = cell.find_first_of(",\"") == std::string::npos;
                line += (line.empty() ? "" : ",") + (is_plain ? cell : "\"" + cell + "\"");
            }
        }
        text += line + (form == SizesForm::markdown ? "\n" : "\r\n");
        if (form == SizesForm::markdown && &row == &rows.front()) {
            text += "|---|---|---:|---:|---:|---:|\n";
        }
    }
    return text;
}

ordered_json json_of(const std::vector<RunSizes>& runs, SizesBy by) {
    constexpr const char* names[] = {"library", "layer", "function"};
    ordered_json json{{"schema", "metamorph-report-sizes-1"},
                      {"by", names[static_cast<std::size_t>(by)]},
                      {"runs", ordered_json::array()}};
    for (const RunSizes& run : runs) {
        ordered_json row{{"run", run.run}, {"parts", ordered_json::array()}};
        for (const PartSize& part : run.parts) {
            row["parts"].push_back({{"part", part.part},
                                    {"code", part.code},
                                    {"constants", part.constants},
                                    {"variables", part.variables},
                                    {"nvm", part.nvm}});
        }
        json["runs"].push_back(std::move(row));
    }
    return json;
}

}  // namespace metamorph::matrix
