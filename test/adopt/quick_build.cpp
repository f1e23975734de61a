#include "adopt/quick_build.h"

#include <fstream>

#include <fmt/format.h>

#include "util/process.h"

namespace metamorph::corpus {
namespace {

namespace fs = std::filesystem;
using tasks::NvmMode;

using Arguments = std::vector<std::string>;

void append(Arguments& arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
}

Status compile(const fs::path& folder, const Arguments& more) {
    ProcessRequest request;
    request.argv = {"clang-19", "-std=gnu11", "-O0", "-w", "-fno-builtin"};
    append(request.argv, more);
    request.directory = folder;
    MM_TRY(const ProcessOutcome outcome, run_process(request));
    if (!outcome.succeeded()) {
        return fail(ErrorCode::toolchain, folder.string(), "{}\n{}", outcome.print(), outcome.errors);
    }
    return {};
}

const char* name_of(NvmMode mode) {
    return mode == NvmMode::mapped ? "mapped" : "bus";
}

// Of all that is cut: in mapped NVM, each store is a place to cut.
Arguments flags_of(NvmMode mode) {
    return mode == NvmMode::mapped ? Arguments{"-DMM_PORT_MAPPED", "-fsanitize-coverage=func,trace-stores"}
                                   : Arguments{"-DMM_PORT_BUS"};
}

Arguments files_in(const fs::path& folder, const std::string& extension) {
    Arguments files;
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
        if (file.path().extension() == extension) {
            files.push_back(file.path().string());
        }
    }
    return files;
}

Arguments runtime_flags(const fs::path& project) {
    return {"-DMM_NVM_PAGE_BYTES=4096", "-I" + (project / "runtime/include").string(),
            "-I" + (project / "runtime/src").string(), "-I" + (project / "runtime/ports/host").string()};
}

}  // namespace

Status QuickBuild::prepare(const fs::path& project, NvmMode mode) {
    const fs::path objects = m_folder / name_of(mode);
    fs::create_directories(objects);
    for (const char* below : {"runtime/src", "runtime/ports/host"}) {
        Arguments argv = runtime_flags(project);
        if (std::string(below) == "runtime/src") {
            append(argv, flags_of(mode));
        } else {
            argv.push_back(flags_of(mode).front());
        }
        argv.push_back("-c");
        append(argv, files_in(project / below, ".c"));
        MM_CHECK(compile(objects, argv));
    }
    return {};
}

Status QuickBuild::build_app(const fs::path& project, NvmMode mode, const Arguments& sources) const {
    std::ofstream(project / "all.c") << "#include \"app/net_tasks.c\"\n#include \"app/net_tables.c\"\n"
                                     << "#include \"app/net_host.c\"\n";
    Arguments argv = flags_of(mode);
    append(argv, runtime_flags(project));
    append(argv, {"-Iapp", "-Igenerated", "-o", "net_app", "all.c"});
    append(argv, sources);
    append(argv, files_in(m_folder / name_of(mode), ".o"));
    argv.push_back("-lm");
    return compile(project, argv);
}

Status QuickBuild::build_plain(const fs::path& project, const Arguments& sources) const {
    // One source saves a run of the compiler's back end.
    std::ofstream(project / "plain.c") << "#include \"app/net_plain.c\"\n#include \"" << sources.front() << "\"\n";
    Arguments argv = {"-Igenerated", "-o", "net_plain", "plain.c"};
    append(argv, {sources.begin() + 1, sources.end()});
    argv.push_back("-lm");
    return compile(project, argv);
}

}  // namespace metamorph::corpus
