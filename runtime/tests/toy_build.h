// Builds the toy application (toy/) for the host port, with text edits where a test wants a fault, and runs it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace toy {

struct Edit {
    std::string file;  // below runtime/, e.g. "src/mm_runtime.c"
    std::string from, to;
};

struct Options {
    std::string mode = "bus";                 // or "mapped"
    std::vector<Edit> edits;                  // each must apply exactly once
    std::vector<std::string> uninstrumented;  // files compiled without store callbacks
};

struct Ended {
    int status = 0;  // exit status; 128 + signal
    std::string output;
    nlohmann::json report() const { return nlohmann::json::parse(output); }
};

// A temporary folder with one built toy; gone with the object. Failures are reported to GoogleTest.
class Toy {
public:
    explicit Toy(const Options& options);
    ~Toy();
    Toy(const Toy&) = delete;
    Toy& operator=(const Toy&) = delete;

    bool built() const { return m_built; }
    std::filesystem::path file(const std::string& name) const { return m_folder / name; }

    // Runs the toy with --nvm, the inputs of `inferences` inferences and `arguments`.
    Ended run(int inferences, const std::string& arguments) const;
    // The same with --explore and the plain program's outputs expected.
    Ended explore(int inferences, const std::string& arguments) const;

    // What the plain program makes of the inputs.
    std::string plain_outputs(int inferences) const;

private:
    std::filesystem::path m_folder;
    bool m_built = false;
};

// While it lives, each process that begins has a clock of its own, shared with what it forks: it starts at 0, and a
// look at it takes `milliseconds`.
class FakeClock {
public:
    FakeClock(const Toy& toy, int milliseconds);
    ~FakeClock();
    FakeClock(const FakeClock&) = delete;
    FakeClock& operator=(const FakeClock&) = delete;
};

std::string read_file(const std::filesystem::path& path);

}  // namespace toy
