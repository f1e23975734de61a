#include "generate/driver/driver.h"

#include <algorithm>

#include <fmt/format.h>

#include "generate/driver/collect.h"
#include "generate/driver/crate_source.h"
#include "generate/driver/generator_process.h"
#include "generate/driver/values.h"
#include "util/interrupt.h"

namespace metamorph::generate {
namespace {

namespace fs = std::filesystem;

Status run_commands(const app::Framework& framework, const Installation& installation, const DriverRequest& request,
                    const fs::path& out, const fs::path& logs) {
    MM_TRY(const std::vector<GeneratorCommand> commands, plan_commands(framework, installation, request));
    for (std::size_t i = 0; i < commands.size(); ++i) {
        ProcessRequest process = generator_process(commands[i].argv);
        process.directory = out;
        process.timeout = request.timeout.count() > 0 ? request.timeout : std::chrono::seconds(framework.seconds_max);
        const bool is_last = i + 1 == commands.size();
        MM_CHECK(run_logged(is_last ? framework.name : fmt::format("{} ({})", framework.name, commands[i].purpose),
                            std::move(process),
                            logs / fmt::format("{}{}.log", framework.name, is_last ? "" : "-prepare")));
    }
    return {};
}

// In a folder of its own, which is gone afterwards; only the logs of what failed stay.
Result<std::map<std::string, std::string>> generated_files(const app::Framework& framework,
                                                           const Installation& installation,
                                                           const DriverRequest& request,
                                                           const std::map<std::string, std::string>& values) {
    MM_TRY(ScratchFolder scratch, ScratchFolder::make("metamorph-generator"));
    const fs::path root = fs::absolute(scratch.path()), out = root / "out";
    std::error_code error;
    fs::create_directory(out, error);
    if (error) {
        return fail(ErrorCode::system, out.string(), "the folder cannot be made: {}", error.message());
    }
    auto done = run_commands(framework, installation, request, out, root);
    auto files = done ? read_output(framework, values, out)
                      : Result<std::map<std::string, std::string>>(tl::unexpected<Error>(done.error()));
    if (!files && files.error().code == ErrorCode::toolchain) {
        if (files.error().where.empty()) {
            files.error().where = (root / (framework.name + ".log")).string();
        }
        fs::remove_all(out, error);
        scratch.keep();
    }
    return files;
}

}  // namespace

Result<ForeignCode> run_generator(const app::Framework& framework, const DriverRequest& given) {
    DriverRequest request = given;
    MM_TRY(request.prefix, prefix_of(given));
    MM_CHECK(plan_commands(framework, {}, request));  // what is wrong with the options is told before what is missing
    MM_TRY(const Installation installation,
           names_a_source(framework, request) ? Result<Installation>(Installation{}) : need_installation(framework));
    MM_TRY(const auto values, values_of(framework, installation, request));
    const auto uses_library = [](const std::string& argument) {
        return argument.find("{library}") != std::string::npos;
    };
    if (std::any_of(framework.command.begin(), framework.command.end(), uses_library)) {
        MM_TRY(request.library, request.find_archive(*library_need(framework, request, values), nullptr));
    }
    auto files = framework.kind == app::GeneratorKind::none ? read_output(framework, values, request.model)
                                                            : generated_files(framework, installation, request, values);
    if (!files) {
        return tl::unexpected<Error>(files.error());
    }
    return assemble(framework, request, values, installation.version, std::move(*files));
}

}  // namespace metamorph::generate
