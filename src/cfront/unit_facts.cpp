#include "cfront/unit_facts.h"

#include <filesystem>

namespace metamorph::cfront {

std::string internal_symbol(const std::string& name, int unit) {
    return name + "@" + std::to_string(unit);
}

std::string plain_path(const std::string& path) {
    return std::filesystem::path(path).lexically_normal().generic_string();
}

}  // namespace metamorph::cfront
