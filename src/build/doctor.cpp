#include "build/doctor.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build/toolchain.h"

namespace metamorph::build {
namespace {

enum class Answer { version, path };  // what the program prints when it is asked

struct Check {
    const char* name;
    const char* program;
    std::vector<std::string> arguments;
    Answer answer;
    const char* package;
    bool is_core;
    const char* purpose;
};

// The C libraries are asked from their compilers: a file that is not there comes back as its bare name.
const std::vector<Check>& checks() {
    static const std::vector<Check> table{
        {"clang-19",
         "clang-19",
         {"-dumpversion"},
         Answer::version,
         "clang-19",
         true,
         "compiles woven applications; shows every store to cut at"},
        {"clang headers",
         "clang-19",
         {"-print-file-name=include/stdint.h"},
         Answer::path,
         "libclang-common-19-dev",
         true,
         "lets the front end read C"},
        {"libc headers",
         "clang-19",
         {"-print-file-name=libc.so"},
         Answer::path,
         "libc6-dev",
         true,
         "links woven applications for this machine"},
        {"cmake", "cmake", {"--version"}, Answer::version, "cmake", true, "configures woven projects"},
        {"ninja", "ninja", {"--version"}, Answer::version, "ninja-build", true, "builds woven projects"},
        {"gcc",
         "gcc",
         {"-dumpfullversion"},
         Answer::version,
         "gcc",
         false,
         "a second compiler to check generated C with"},
        {"arm-none-eabi-gcc",
         "arm-none-eabi-gcc",
         {"-dumpfullversion"},
         Answer::version,
         "gcc-arm-none-eabi",
         false,
         "compiles for Cortex-M"},
        {"newlib for arm",
         "arm-none-eabi-gcc",
         {"-print-file-name=libc.a"},
         Answer::path,
         "libnewlib-arm-none-eabi",
         false,
         "links for Cortex-M"},
        {"riscv64-unknown-elf-gcc",
         "riscv64-unknown-elf-gcc",
         {"-dumpfullversion"},
         Answer::version,
         "gcc-riscv64-unknown-elf",
         false,
         "compiles for RISC-V"},
        {"picolibc for riscv",
         "riscv64-unknown-elf-gcc",
         {"-print-file-name=picolibc.specs"},
         Answer::path,
         "picolibc-riscv64-unknown-elf",
         false,
         "links for RISC-V"},
        {"lld", "ld.lld-19", {"--version"}, Answer::version, "lld-19", false, "links firmware that Clang compiles"},
        {"gdb-multiarch",
         "gdb-multiarch",
         {"--version"},
         Answer::version,
         "gdb-multiarch",
         false,
         "opens what verify --gdb writes"},
    };
    return table;
}

ToolReport examine(CommandRunner& runner, const Check& check) {
    ToolReport report{check.name, check.purpose, check.package, check.is_core, false, {}, {}};
    const auto program = runner.find(check.program);
    if (!program) {
        return report;
    }
    ProcessRequest request;
    request.argv = {program->string()};
    request.argv.insert(request.argv.end(), check.arguments.begin(), check.arguments.end());
    request.environment = {{"LC_ALL", "C"}};
    request.timeout = std::chrono::seconds(20);
    const auto outcome = runner.run(request);
    if (!outcome || !outcome->succeeded()) {
        return report;
    }
    const std::string line = outcome->output.substr(0, outcome->output.find('\n'));
    if (check.answer == Answer::version) {
        report.version = version_in(line);
        report.found = !report.version.empty();
        report.path = report.found ? program->string() : "";
    } else {
        report.found = line.find('/') == 0;
        report.path = report.found ? line : "";
    }
    return report;
}

}  // namespace

bool Diagnosis::core_complete() const {
    return std::all_of(tools.begin(), tools.end(), [](const ToolReport& tool) { return tool.found || !tool.is_core; });
}

std::vector<std::string> Diagnosis::missing_packages() const {
    std::vector<std::string> packages;
    for (const bool is_core : {true, false}) {
        for (const ToolReport& tool : tools) {
            const bool is_new = std::find(packages.begin(), packages.end(), tool.package) == packages.end();
            if (!tool.found && tool.is_core == is_core && is_new) {
                packages.push_back(tool.package);
            }
        }
    }
    return packages;
}

std::string Diagnosis::install() const {
    return apt_command(missing_packages());
}

Diagnosis diagnose(CommandRunner& runner) {
    Diagnosis diagnosis;
    for (const Check& check : checks()) {
        diagnosis.tools.push_back(examine(runner, check));
    }
    return diagnosis;
}

std::string print(const Diagnosis& diagnosis, bool only_missing) {
    std::string text;
    for (const ToolReport& tool : diagnosis.tools) {
        if (tool.found && only_missing) {
            continue;
        }
        const std::string state = !tool.found ? "MISSING" : tool.version.empty() ? "found" : tool.version;
        text += fmt::format("{:<24} {:<9} {}{}\n", tool.name, state, tool.purpose, tool.is_core ? "" : " (optional)");
    }
    if (const std::string command = diagnosis.install(); !command.empty()) {
        text += fmt::format("\nTo install what is missing, as root:\n  {}\n", command);
    }
    if (!diagnosis.core_complete()) {
        text += "\nmetamorph run does not work without what is missing and not optional.\n";
    } else if (!only_missing) {
        text += "\nmetamorph run has all it needs.\n";
    }
    return text;
}

std::string to_json(const Diagnosis& diagnosis) {
    nlohmann::ordered_json document;
    document["schema"] = "metamorph-doctor-1";
    document["core_complete"] = diagnosis.core_complete();
    document["missing"] = diagnosis.missing_packages();
    document["install"] = diagnosis.install();
    document["tools"] = nlohmann::ordered_json::array();
    for (const ToolReport& tool : diagnosis.tools) {
        document["tools"].push_back({{"name", tool.name},
                                     {"purpose", tool.purpose},
                                     {"package", tool.package},
                                     {"core", tool.is_core},
                                     {"found", tool.found},
                                     {"version", tool.version},
                                     {"path", tool.path}});
    }
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace metamorph::build
