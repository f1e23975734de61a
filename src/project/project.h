// metamorph.toml: which networks, generators, devices, toolchains and splits are to be compared (docs/project.md).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/result.h"

namespace metamorph::project {

// What a matrix varies, in the order in which a run's name tells them.
enum class Axis { model, generator, device, toolchain, tasks };
inline constexpr std::size_t k_axes = 5;
using PerAxis = std::array<std::string, k_axes>;
const std::vector<std::string>& axis_names();  // "model" …, in the order of Axis

// One network, in one file format or several: each generator takes the first that it can use.
struct ModelEntry {
    std::string name;
    std::vector<std::filesystem::path> files;  // absolute
    std::filesystem::path inputs;              // raw bytes, one inference after another; empty: random ones
    std::filesystem::path expected;            // outputs, raw bytes likewise; empty: not known
    bool is_expected_float = false;            // those are float32; else int8
    double tolerance = 0;                      // how far a value may be from the expected one
};

struct GeneratorEntry {
    std::string name;                                          // in the names of runs
    std::string generator;                                     // "native", of a framework, or an absolute path
    std::vector<std::pair<std::string, std::string>> options;  // those that repeat stand several times
};

// Values of some axes. A point matches where each axis named here has its value among these.
struct Rule {
    std::map<Axis, std::vector<std::string>> values;
    std::string why;  // of an exclusion; may be empty
};

struct Limits {
    std::uint64_t stage_seconds = 600;  // then a stage is ended: the run has timed out
    std::uint64_t memory_mib = 0;       // of all stages that run at once; 0: three quarters of this machine's
};

struct Project {
    std::filesystem::path file, folder;  // absolute
    std::vector<ModelEntry> models;
    std::vector<GeneratorEntry> generators;
    std::map<Axis, std::vector<std::string>> axes;  // all five, none empty
    std::vector<Rule> includes, excludes;
    std::map<std::string, Rule> groups;
    int inferences = 1;
    std::uint64_t seed = 1;
    int depth = 0;  // cuts in a row; 0: any number
    Limits limits;

    const ModelEntry* model(std::string_view called) const;
    const GeneratorEntry* generator(std::string_view called) const;
};

// `where`: the file's path, which errors name; relative paths in it are from its folder. Errors: options, with
// "path:line:column": not TOML, unknown or missing keys (with the nearest), wrong types, names that nothing has, files
// that are not there.
Result<Project> read_project(std::string_view toml, const std::filesystem::path& where);

// Reads the file. Errors: as above; options (there is none, with what makes one).
Result<Project> load_project(const std::filesystem::path& file);

// A commented metamorph.toml for a beginner. `models`: files of the folder that it will lie in, relative; none: a
// placeholder's name.
std::string project_template(const std::vector<std::string>& models);

}  // namespace metamorph::project
