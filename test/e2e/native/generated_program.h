// Builds a generated C project with a driver of the test's own and runs it: every operator's output, hashed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "generate/generator.h"

namespace metamorph::test {

std::string fnv1a32(const std::vector<std::uint8_t>& bytes);

// The golden files' inputs: x = seed; per byte x = x * 1664525 + 1013904223, byte = x >> 24. Case k has seed k *
// 0x9E3779B9.
std::vector<std::uint8_t> seeded_bytes(std::uint32_t seed, std::int64_t count);

struct Inference {
    std::vector<std::string> operators;  // hash of the output of each operator, in order, taken right after its call
    std::vector<std::string> outputs;    // of the graph's outputs, as the entry itself gives them in a run of its own
    std::vector<std::string> hex_outputs;
};

struct ProgramRun {
    std::string error;  // empty: built and ran
    std::vector<Inference> inferences;
};

// A folder of its own that disappears with the object.
class ScratchFolder {
public:
    explicit ScratchFolder(const std::string& name);
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

void write_files(const generate::GeneratedCode& code, const std::filesystem::path& folder);

enum class Units { one_a_file, one_in_all };  // how many translation units to compile; one in all is faster

// Writes the files and a driver into `folder`, builds with `compiler` (a command with flags) and runs `inputs`, each
// all input parameters' bytes one after another. The driver makes the entry's calls one by one, hashing after each, and
// then calls the entry itself on fresh memory, twice: the second time on what the first left in the arena.
ProgramRun build_and_run(const generate::GeneratedCode& code, const std::filesystem::path& folder,
                         const std::string& compiler, const std::vector<std::vector<std::uint8_t>>& inputs,
                         Units units = Units::one_a_file);

}  // namespace metamorph::test
