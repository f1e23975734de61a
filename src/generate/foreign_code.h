// C that Metamorph did not write: what a framework's generator, or the user himself, gives. Nothing here knows of
// tasks. Adoption (adopt/) makes GeneratedCode of it: the same files, and beside them an entry that is a flat list of
// calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/device.h"
#include "util/result.h"

namespace metamorph::generate {

// What the caller of the entry means by one of its parameters.
struct ForeignParameter {
    enum class Role {
        input,
        output,
        arena,     // working memory that the caller owns; its contents mean nothing between inferences
        constant,  // an integer that the caller passes, such as a number of features: `value`
        null       // a pointer that may be null, and is
    };
    std::string name;  // as in the C prototype, or its position: "#0"
    Role role = Role::input;
    std::optional<std::int64_t> bytes;  // extent; nothing: as the prototype declares it
    std::int64_t value = 0;             // role constant
};

// A runtime library (docs/libraries.md) that generated code links.
struct LibraryNeed {
    std::string name;                   // "tflm"
    std::filesystem::path tree;         // its sources; empty: as its description says
    std::vector<std::string> features;  // that are on
};
// Its archive for the gcc of a device, or of this machine (null); from the store, or built. Whoever asks sees a hit, a
// build or a wait recorded there. Errors: options, toolchain, system.
using FindArchive = std::function<Result<std::filesystem::path>(const LibraryNeed&, const app::Device*)>;

// What is not C, and is not read: an archive of it is made for the compiler of a target (driver/opaque_archive.h).
struct OpaqueCode {
    std::vector<std::string> stand_ins;  // of `files`: C that says what it reads and writes, and is never compiled
    std::vector<std::string> command;    // {compiler}, {flags}, {archive} and {library} are still to be filled in
    std::string archive;                 // relative path
    std::chrono::seconds timeout{0};
    std::optional<LibraryNeed> library;
    FindArchive find_archive;  // there where `library` is
};

struct ForeignCode {
    std::map<std::string, std::string> files;  // relative path → contents
    std::vector<std::string> sources;          // those of `files` that are compiled, sorted; C only
    std::vector<std::string> include_dirs;     // relative; "." for the folder itself
    std::vector<std::string> defines;          // "NAME" or "NAME=VALUE"
    std::string prefix;                        // C identifier for all that is written around it: "digits"
    std::string entry;                         // name of the inference entry
    std::vector<ForeignParameter> parameters;  // of the entry; those that are not listed: see adopt/adopt.h
    std::string generator;                     // with version, for banners: "emx-onnx-cgen 1.4.0"; "custom"
    std::optional<OpaqueCode> opaque;
    std::vector<std::string> notes;  // what the user should know, a line each: replaced headers, hazards
};

}  // namespace metamorph::generate
