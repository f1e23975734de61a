#include "build/toolchain.h"

#include <cctype>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/text.h"

namespace metamorph::build {

const std::vector<ToolchainDescription>& known_toolchains() {
    static const std::vector<ToolchainDescription> toolchains{
        {"gcc", Target::host, "gcc", {"gcc", "libc6-dev"}, {"-dumpfullversion"}, {}},
        {"clang", Target::host, "clang-19", {"clang-19", "libc6-dev"}, {"-dumpversion"}, {}},
        {"arm-gcc",
         Target::cortex_m4,
         "arm-none-eabi-gcc",
         {"gcc-arm-none-eabi", "libnewlib-arm-none-eabi"},
         {"-dumpfullversion"},
         {"-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"}},
        {"riscv-gcc",
         Target::rv32imc,
         "riscv64-unknown-elf-gcc",
         {"gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf"},
         {"-dumpfullversion"},
         {"-march=rv32imc", "-mabi=ilp32", "--specs=picolibc.specs"}},
    };
    return toolchains;
}

std::string apt_command(const std::vector<std::string>& packages) {
    return packages.empty() ? ""
                            : fmt::format("apt-get install -y --no-install-recommends {}", fmt::join(packages, " "));
}

std::string version_in(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
            return word.substr(0, word.find_first_not_of("0123456789."));
        }
    }
    return {};
}

Result<Toolchain> find_toolchain(CommandRunner& runner, const std::string& name) {
    const ToolchainDescription* description = nullptr;
    std::vector<std::string> names;
    for (const ToolchainDescription& known : known_toolchains()) {
        names.push_back(known.name);
        description = known.name == name ? &known : description;
    }
    if (description == nullptr) {
        std::string hint = did_you_mean(name, names);
        hint += fmt::format("{}there are {}", hint.empty() ? "" : " ", fmt::join(names, ", "));
        return fail_with_hint(ErrorCode::options, "toolchain",
                              fmt::format("there is no toolchain '{}'", printable(name)), hint);
    }
    const auto program = runner.find(description->program);
    if (!program) {
        return fail_with_hint(ErrorCode::toolchain, "PATH", fmt::format("'{}' is not installed", description->program),
                              apt_command(description->packages));
    }
    ProcessRequest request;
    request.argv = {program->string()};
    request.argv.insert(request.argv.end(), description->version.begin(), description->version.end());
    request.timeout = std::chrono::seconds(20);
    MM_TRY(const ProcessOutcome outcome, runner.run(request));
    const std::string version = version_in(outcome.output);
    if (!outcome.succeeded() || version.empty()) {
        return fail_with_hint(ErrorCode::toolchain, program->string(),
                              fmt::format("'{}' does not tell its version ({})", description->program, outcome.print()),
                              "install it anew: " + apt_command(description->packages));
    }
    return Toolchain{name, description->target, *program, version, description->target_flags};
}

// "#include <...> search starts here:" and what follows.
std::vector<std::filesystem::path> header_folders_in(const std::string& told) {
    std::vector<std::filesystem::path> folders;
    std::istringstream lines(told);
    bool is_list = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#include")) {
            is_list = true;
        } else if (is_list && line.starts_with(" ")) {
            std::error_code error;
            const auto folder = std::filesystem::weakly_canonical(line.substr(1, line.find(" (", 1) - 1), error);
            if (!error) {
                folders.push_back(folder);
            }
        } else {
            is_list = false;
        }
    }
    return folders;
}

}  // namespace metamorph::build
