// Framework descriptions: how to call a program that turns a network into C, and what comes out, as data
// (frameworks/NAME/framework.toml; docs/frameworks.md describes every key). Nothing here runs anything.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/library.h"
#include "util/result.h"

namespace metamorph::app {

enum class GeneratorKind {
    python,   // a module, run by the Python that has it
    program,  // in PATH
    none      // nothing is run: the "model" is a folder of C
};
const char* name_of(GeneratorKind kind);

// One of our options (--option NAME=VALUE), and the flags of the generator's that it becomes.
struct FrameworkOption {
    std::string name, description;
    std::vector<std::string> choices;  // empty: any text
    std::vector<std::string> flags;    // "{value}" is replaced
    // Where each choice has flags of its own; then `flags` is empty.
    std::map<std::string, std::vector<std::string>> flags_of_choice;
    std::optional<std::string> default_value;  // passed where the option is not given
    std::vector<std::string> excludes;         // options that contradict this one
    bool repeats = false;
    bool is_library_feature = false;  // its values are features of the library that `opaque` links
};

struct FrameworkParameter {  // of the inference entry, as generate::ForeignParameter
    std::string name;        // as in the C prototype, or its position: "#0"
    std::string role;        // "input", "output", "arena", "constant" or "null"
    std::optional<std::uint64_t> bytes;
    std::string bytes_macro;  // the extent is the value of this macro of a file that came out; empty: none
    std::uint64_t value = 0;  // role constant
};

struct FrameworkFile {  // a stub or header that is put beside what comes out
    std::string path;   // there
    std::string contents;
};

struct FrameworkHazard {
    std::string text;
    std::string contains;  // only where a source contains this; empty: always
    bool refuse = false;   // an error where it is found
};

// A source tree that the generator works on, inside of a crate. `option`: the one that names another tree instead.
struct FrameworkSource {
    std::string crate, version, sha256;  // "tfmicro", "0.1.0", of the packed crate
    std::string folder;                  // in it
    std::string option;
};

// What is not C, and so not read: a command makes an archive of it for the compiler of a target; C stands in for it
// where effects are analysed.
struct FrameworkOpaque {
    std::vector<std::string> stand_ins;  // patterns of files, as `sources`
    std::vector<std::string> command;    // run in a folder with the files that came out
    std::string archive;                 // file that it writes
    std::string library;                 // a runtime library (docs/libraries.md) that it links; may be empty
};

// Names of files, macros and of the entry may hold {prefix}, {PREFIX} and {model_name}; commands these, and {model},
// {folder} (where the description lies), {python} or {program}, {source}, {prepared}, {options} and, where what is
// opaque has a library, {library}: its archive for this machine; that of what is opaque also {compiler}, {flags} and
// {archive}, and {library} for the target that is woven for.
struct Framework {
    std::string name, description;
    GeneratorKind kind = GeneratorKind::none;
    std::string module, distribution;            // python: what is imported; whose version counts
    std::string program;                         // program
    std::vector<std::string> version_arguments;  // program: makes it print its version
    std::string version_min, version_below;      // accepted: min <= version < below; empty: no bound
    std::vector<std::string> packages;           // python: pinned, "name==1.2.3"; empty: Metamorph cannot install it
    std::string install;                         // how to install it by hand; may be empty

    std::optional<FrameworkSource> source;

    std::vector<std::string> formats;          // endings of model files, without dot; "folder"
    std::vector<std::string> prepare_command;  // empty: the model is taken as it is
    std::string prepare_output;                // file that it writes
    std::vector<std::string> command;          // run in the folder where the files come out
    std::uint64_t seconds_max = 0;             // each command
    std::vector<FrameworkOption> options;

    std::vector<std::string> sources;       // patterns (* and ?) of files that are compiled; each must match
    std::vector<std::string> headers;       // patterns of files that are kept beside them
    std::vector<std::string> include_dirs;  // relative to the folder
    std::vector<std::string> defines;
    std::optional<FrameworkOpaque> opaque;
    bool replaces_missing_headers = false;  // by empty ones, with a note each
    std::string entry;                      // may be empty: the manifest or --entry says
    std::string operator_comment;  // what stands before a step's operator in a comment on its function; may be empty
    std::string manifest;          // a JSON file that the command writes: entry, parameters, notes; empty: none
    std::vector<FrameworkParameter> parameters;
    std::vector<FrameworkFile> files;
    std::vector<FrameworkHazard> hazards;
    std::vector<Library> libraries;  // docs/libraries.md
    bool is_generator = true;        // false: it describes libraries alone

    std::string text;              // the description itself
    std::filesystem::path folder;  // where it lies; empty: it comes with Metamorph
    // Of one that comes with Metamorph: all files of its folder, relative path → contents.
    std::map<std::string, std::string> companions;

    const FrameworkOption* option(std::string_view called) const;
};

// Reads a description. `where` is what errors name; `companions`: the files of its folder, if it comes with Metamorph,
// else empty: they are read from the folder of `where`. Errors: options, with "path:line:column": not TOML, unknown or
// missing keys (with the nearest), wrong types, unknown placeholders, what contradicts itself.
Result<Framework> read_framework(std::string_view toml, const std::filesystem::path& where,
                                 const std::map<std::string, std::string>& companions = {});

// Generators that come with Metamorph, sorted.
std::vector<std::string> framework_names();

// `name`: of a framework that comes with Metamorph, of a folder frameworks/NAME below the folder that we work in (it
// wins; the environment's METAMORPH_FRAMEWORKS names another folder than frameworks/), or the path of a description (it
// ends in ".toml" or has a slash). `option` is what an error names. Errors: options (also: it describes libraries
// alone), system.
Result<Framework> find_framework(const std::string& name, const std::string& option = "--generator");

// Names of find_framework, sorted: those that come with Metamorph and those below frameworks/ here.
std::vector<std::string> reachable_framework_names();

// Compares "1.4.0" with "1.10": numbers between dots; missing ones are 0; what follows them does not count.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace metamorph::app
