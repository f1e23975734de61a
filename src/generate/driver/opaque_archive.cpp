#include "generate/driver/opaque_archive.h"

#include <fmt/format.h>

#include "generate/driver/collect.h"
#include "generate/driver/generator_process.h"
#include "util/file.h"
#include "util/interrupt.h"

namespace metamorph::generate {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_archive_bytes_max = 256 << 20;

}  // namespace

Result<std::string> build_archive(const ForeignCode& code, const app::Device* device, const std::string& compiler,
                                  const std::vector<std::string>& flags) {
    const OpaqueCode& opaque = *code.opaque;
    fs::path library;
    if (opaque.library) {
        MM_TRY(library, opaque.find_archive(*opaque.library, device));
    }
    MM_TRY(ScratchFolder scratch, ScratchFolder::make("metamorph-archive"));
    const fs::path root = fs::absolute(scratch.path()), out = root / "out";
    MM_CHECK(write_files(out, code.files));
    std::vector<std::string> argv;
    for (const std::string& argument : opaque.command) {
        if (argument == "{flags}") {
            argv.insert(argv.end(), flags.begin(), flags.end());
        } else {
            argv.push_back(
                filled(argument, {{"compiler", compiler}, {"archive", opaque.archive}, {"library", library.string()}}));
        }
    }
    ProcessRequest process = generator_process(argv);
    process.directory = out;
    process.timeout = opaque.timeout;
    const fs::path log = root / "archive.log";
    Status done = run_logged(fmt::format("{} (for {})", code.generator, compiler), std::move(process), log);
    auto bytes = done ? read_file(out / opaque.archive, k_archive_bytes_max)
                      : Result<std::vector<std::byte>>(tl::unexpected<Error>(done.error()));
    if (!bytes) {
        if (done) {
            bytes = fail(ErrorCode::toolchain, log.string(), "{} ended well, but wrote no '{}'", code.generator,
                         opaque.archive);
        }
        if (bytes.error().code == ErrorCode::toolchain) {
            scratch.keep();
        }
        return tl::unexpected<Error>(bytes.error());
    }
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

}  // namespace metamorph::generate
