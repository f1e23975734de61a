// What takes the room in a program: by library, by layer, by function, from the map that GNU ld writes beside it. Pure.
//
// A map lists every input section that was kept, with its size and the object it came from. Compilers put a function or
// a table into a section of its own (-ffunction-sections, -fdata-sections), so sections are functions. Rejected: the
// ELF's symbols, which do not tell libraries and leave out what has no symbol (texts, padding).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace metamorph::matrix {

enum class SizesBy { library, layer, function };

struct PartSize {
    std::string part;
    std::int64_t code = 0, constants = 0, variables = 0, nvm = 0;  // bytes; with initial values, too: variables
};

// Largest first. Libraries: archives, and of what is compiled here the CMake target. Layers: of the generated code each
// file with its weights, of all else the library. Functions: with the tables of their own. What stands in no section
// of its own is told by its file, in brackets; "(padding)" is what the linker put between.
std::vector<PartSize> sizes_in_map(const std::string& map, SizesBy by);

struct RunSizes {
    std::string run;
    std::vector<PartSize> parts;
};
enum class SizesForm { text, csv, markdown };
std::string print(const std::vector<RunSizes>& runs, SizesForm form);
nlohmann::ordered_json json_of(const std::vector<RunSizes>& runs, SizesBy by);  // "metamorph-report-sizes-1"

}  // namespace metamorph::matrix
