// A virtual environment counts only with the marker that is written last, so that an installation that was cut off is
// none.
#include "generate/driver/environment.h"

#include <cctype>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/driver/crate_source.h"
#include "generate/driver/generator_process.h"
#include "util/file.h"
#include "util/text.h"

namespace metamorph::generate {
namespace {

namespace fs = std::filesystem;
using State = Installation::State;

constexpr const char* k_marker = "metamorph-packages.txt";
constexpr auto k_ask_time = std::chrono::seconds(60);
constexpr auto k_install_time = std::chrono::minutes(60);

// Prints "mm VERSION" where the module can be imported, "mm" and nothing where it cannot.
// A folder of the module's name where we work is no installation.
constexpr const char* k_probe = R"(import importlib.util, sys
sys.path = [folder for folder in sys.path if folder]
try:
    found = importlib.util.find_spec(sys.argv[1]) is not None
except Exception:
    found = False
version = "-"
if found:
    import importlib.metadata
    try:
        version = importlib.metadata.version(sys.argv[2])
    except Exception:
        pass
print("mm", version if found else ""))";

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// The first number with a dot, or else the first number, that begins a word.
std::string version_in(const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) {
            return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
        };
        const bool begins = digit(i) && (i == 0 || (!digit(i - 1) && text[i - 1] != '.'));
        if (!begins) {
            continue;
        }
        std::size_t end = i;
        while (digit(end) || (end < text.size() && text[end] == '.' && digit(end + 1))) {
            ++end;
        }
        const std::string number = text.substr(i, end - i);
        if (number.find('.') != std::string::npos) {
            return number;
        }
        plain = plain.empty() ? number : plain;
    }
    return plain;
}

void judge_version(const app::Framework& framework, Installation& found) {
    const bool has_bounds = !framework.version_min.empty() || !framework.version_below.empty();
    found.state = State::unsuitable;
    if (found.version.empty()) {
        found.problem = "its version cannot be read";
        found.state = has_bounds ? State::unsuitable : State::installed;
    } else if (!framework.version_min.empty() && app::compare_versions(found.version, framework.version_min) < 0) {
        found.problem = fmt::format("version {} is older than {}", found.version, framework.version_min);
    } else if (!framework.version_below.empty() && app::compare_versions(found.version, framework.version_below) >= 0) {
        found.problem = fmt::format("version {} is not below {}", found.version, framework.version_below);
    } else {
        found.state = State::installed;
    }
}

Result<Installation> probe_python(const app::Framework& framework, const fs::path& python, const std::string& place) {
    Installation found;
    ProcessRequest request =
        generator_process({python.string(), "-c", k_probe, framework.module, framework.distribution});
    request.timeout = k_ask_time;
    const auto outcome = run_process(request);
    if (!outcome || !outcome->succeeded() || !outcome->output.starts_with("mm ")) {
        return found;
    }
    const std::string answer = outcome->output.substr(3, outcome->output.find('\n') - 3);
    if (answer.empty()) {
        return found;
    }
    found.program = python;
    found.place = place;
    found.version = answer == "-" ? "" : printable(answer);
    judge_version(framework, found);
    return found;
}

Result<Installation> find_python(const app::Framework& framework) {
    std::optional<Installation> unsuitable;
    MM_TRY(const fs::path folder, framework_folder(framework.name));
    std::error_code error;
    if (const fs::path venv = folder / "venv"; fs::exists(venv / k_marker, error)) {
        MM_TRY(Installation found, probe_python(framework, venv / "bin" / "python", "private environment"));
        if (found.is_ready()) {
            return found;
        }
        if (found.state == State::unsuitable) {
            unsuitable = std::move(found);
        }
    }
    if (const auto python = find_program("python3")) {
        MM_TRY(Installation found, probe_python(framework, *python, "Python of this machine"));
        if (found.state != State::missing && (found.is_ready() || !unsuitable)) {
            return found;
        }
    }
    return unsuitable.value_or(Installation{});
}

Result<Installation> find_in_path(const app::Framework& framework) {
    Installation found;
    const auto program = find_program(framework.program);
    if (!program) {
        return found;
    }
    found.program = fs::absolute(*program);
    found.place = "PATH";
    if (framework.version_arguments.empty()) {
        judge_version(framework, found);
        return found;
    }
    std::vector<std::string> argv{found.program.string()};
    argv.insert(argv.end(), framework.version_arguments.begin(), framework.version_arguments.end());
    ProcessRequest request = generator_process(argv);
    request.timeout = k_ask_time;
    const auto outcome = run_process(request);
    if (!outcome || !outcome->succeeded()) {
        found.state = State::unsuitable;
        found.problem = fmt::format("asked for its version with '{}', it {}", fmt::join(argv, " "),
                                    outcome ? "gave " + outcome->print() : "cannot be run");
        return found;
    }
    found.version = version_in(outcome->output.empty() ? outcome->errors : outcome->output);
    judge_version(framework, found);
    return found;
}

}  // namespace

Result<fs::path> framework_folder(const std::string& name) {
    if (const std::string ours = variable("METAMORPH_VENVS"); !ours.empty()) {
        return fs::absolute(ours) / name;
    }
    if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with("/")) {
        return fs::path(data) / "metamorph" / name;
    }
    if (const std::string home = variable("HOME"); !home.empty()) {
        return fs::path(home) / ".local/share/metamorph" / name;
    }
    return fail_with_hint(ErrorCode::system, {}, "there is no folder for generators: HOME is not set",
                          "set METAMORPH_VENVS to a folder");
}

Result<Installation> find_installation(const app::Framework& framework) {
    switch (framework.kind) {
        case app::GeneratorKind::python:
            return find_python(framework);
        case app::GeneratorKind::program: {
            MM_TRY(Installation found, find_in_path(framework));
            MM_CHECK(find_source(framework, found));
            return found;
        }
        case app::GeneratorKind::none:
            break;
    }
    return Installation{State::installed, {}, {}, "nothing to install", {}, {}};
}

std::string how_to_install(const app::Framework& framework) {
    return framework.packages.empty() && !framework.source
               ? framework.install
               : fmt::format("metamorph doctor --install {}", framework.folder.empty()
                                                                  ? framework.name
                                                                  : (framework.folder / "framework.toml").string());
}

Result<Installation> need_installation(const app::Framework& framework) {
    MM_TRY(Installation found, find_installation(framework));
    if (found.is_ready()) {
        return found;
    }
    const std::string what =
        framework.source && !found.program.empty()
            ? fmt::format("source tree of {} {}", framework.source->crate, framework.source->version)
        : framework.kind == app::GeneratorKind::python ? fmt::format("Python module '{}'", framework.module)
                                                       : fmt::format("program '{}'", framework.program);
    if (found.state == State::missing) {
        return fail_with_hint(ErrorCode::toolchain, framework.name,
                              fmt::format("the generator {} is not installed: there is no {}", framework.name, what),
                              how_to_install(framework));
    }
    return fail_with_hint(ErrorCode::toolchain, found.program.string(),
                          fmt::format("the generator {} cannot be used: {}", framework.name, found.problem),
                          how_to_install(framework));
}

Result<Installation> install(const app::Framework& framework, const std::function<void(const std::string&)>& say) {
    if (framework.source) {
        MM_CHECK(fetch_source(framework, say));
        return need_installation(framework);
    }
    if (framework.packages.empty()) {
        return fail_with_hint(
            ErrorCode::options, "--install",
            fmt::format("Metamorph cannot install {}: its description names no packages", framework.name),
            framework.install.empty() ? "it needs nothing" : framework.install);
    }
    MM_TRY(const fs::path folder, framework_folder(framework.name));
    const fs::path venv = folder / "venv";
    std::error_code error;
    fs::remove_all(venv, error);
    fs::create_directories(folder, error);
    if (error) {
        return fail(ErrorCode::system, folder.string(), "the folder cannot be made: {}", error.message());
    }
    const fs::path log = folder / "install.log";
    const auto step = [&](std::vector<std::string> argv) -> Status {
        ProcessRequest request = generator_process(std::move(argv));
        request.timeout = k_install_time;
        auto done = run_logged(framework.name + ": installation", request, log);
        if (!done) {
            fs::remove_all(venv, error);
        }
        return done;
    };
    say(fmt::format("{}: making a virtual environment in {}", framework.name, venv.string()));
    if (auto made = step({"python3", "-m", "venv", venv.string()}); !made) {
        made.error().hint = "python3 with its module venv is needed: apt-get install -y python3-venv (as root)";
        return tl::unexpected<Error>(made.error());
    }
    say(fmt::format("{}: installing {}", framework.name, fmt::join(framework.packages, " ")));
    std::vector<std::string> pip{(venv / "bin" / "python").string(),
                                 "-m",
                                 "pip",
                                 "install",
                                 "--no-input",
                                 "--disable-pip-version-check",
                                 "--progress-bar",
                                 "off"};
    pip.insert(pip.end(), framework.packages.begin(), framework.packages.end());
    MM_CHECK(step(std::move(pip)));
    MM_TRY(Installation found, probe_python(framework, venv / "bin" / "python", "private environment"));
    if (!found.is_ready()) {
        fs::remove_all(venv, error);
        return fail_with_hint(ErrorCode::toolchain, log.string(),
                              fmt::format("{} was installed, but cannot be used: {}", framework.name,
                                          found.problem.empty() ? "its module is not there" : found.problem),
                              "the packages of the description do not fit its module and version");
    }
    MM_CHECK(write_file_if_changed(venv / k_marker, fmt::format("{}\n", fmt::join(framework.packages, "\n"))));
    fs::remove(log, error);
    return found;
}

}  // namespace metamorph::generate
