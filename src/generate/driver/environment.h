// Where generators are on this machine: a private virtual environment of Python, the machine's own Python, or PATH.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/framework.h"
#include "util/result.h"

namespace metamorph::generate {

struct Installation {
    enum class State { missing, unsuitable, installed } state = State::missing;
    std::filesystem::path program;  // the Python that has the module, or the program; empty where missing
    std::string version;            // "1.4.0"; may be empty
    std::string place;              // "private environment", "Python of this machine", "PATH", or "nothing to install"
    std::filesystem::path source;   // of a generator that works on a source tree; empty where missing
    std::string problem;            // of what is unsuitable: one sentence

    bool is_ready() const { return state == State::installed; }
};

// Our folder of a framework: METAMORPH_VENVS, or the user's data folder (XDG_DATA_HOME, else ~/.local/share) +
// "metamorph", and in it a folder of this name, which has venv/ (a virtual environment) and files/ (what comes with the
// description). Errors: system (no HOME).
Result<std::filesystem::path> framework_folder(const std::string& name);

// Looks for the generator, and asks for its version. Errors: system.
Result<Installation> find_installation(const app::Framework& framework);

// The same, and an error with what to do where it cannot be used. Errors: toolchain, system.
Result<Installation> need_installation(const app::Framework& framework);

// What makes it ready: "metamorph doctor --install NAME", or what the description says.
std::string how_to_install(const app::Framework& framework);

// Makes the private virtual environment anew with the pinned packages, or fetches the source tree, and looks whether
// they work. Where anything fails, nothing is left but the log. `say` is told what is being done. Errors: options (the
// description has no packages), toolchain (no venv or pip, a package cannot be had), system.
Result<Installation> install(const app::Framework& framework, const std::function<void(const std::string&)>& say);

}  // namespace metamorph::generate
