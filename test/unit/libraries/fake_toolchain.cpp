#include "unit/libraries/fake_toolchain.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "util/file.h"

namespace metamorph::libraries {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

FakeToolchain::FakeToolchain(fs::path at) : folder(std::move(at)) {
    for (const char* name : {"bin/cc", "bin/cc1", "bin/cc1plus", "bin/as", "bin/ar", "bin/ldd", "bin/patch",
                             "lib/libx.so", "include/stdint.h"}) {
        (void)write_file_if_changed(folder / name, std::string("contents of ") + name);
    }
    answers = {{"-dumpmachine", "fake-elf\n"},
               {"--version", "fake 1.0\n"},
               {"-dumpspecs", "*asm:\n"},
               {"-print-multi-directory", "m4\n"},
               {"-dM", "#define __FAKE__ 1\n"}};
}

std::optional<fs::path> FakeToolchain::find(const std::string& name) {
    const fs::path path = name.starts_with("/") ? fs::path(name) : folder / "bin" / name;
    return fs::exists(path) ? std::optional<fs::path>(path) : std::nullopt;
}

Result<ProcessOutcome> FakeToolchain::run(const ProcessRequest& request) {
    const std::string program = fs::path(request.argv.front()).filename().string();
    const auto has = [&](const std::string& word) {
        return std::find(request.argv.begin(), request.argv.end(), word) != request.argv.end();
    };
    ProcessOutcome outcome;
    if (program == "ldd") {
        outcome.output = fmt::format("\tlibx.so => {} (0x1)\n", (folder / "lib/libx.so").string());
        return outcome;
    }
    if (program == "patch") {
        std::ofstream(request.directory / "patched", std::ios::app) << request.input;
        return outcome;
    }
    if (program == "ar") {
        return archive(request);
    }
    for (const std::string& word : request.argv) {
        if (word.starts_with("-print-prog-name=")) {
            outcome.output = (folder / "bin" / word.substr(17)).string() + "\n";
            return outcome;
        }
        if (const auto answer = answers.find(word); answer != answers.end()) {
            outcome.output = answer->second;
            return outcome;
        }
    }
    if (has("-v")) {
        outcome.errors = fmt::format("#include <...> search starts here:\n {}\nEnd of search list.\n",
                                     (folder / "include").string());
    } else if (has("-M")) {
        ++scans;
        std::string header = (folder / "include/stdint.h").string();
        for (std::size_t at = 0; (at = header.find(' ', at)) != std::string::npos; at += 2) {
            header.insert(at, "\\");
        }
        outcome.output = fmt::format("x: {} \\\n  {}\n", request.argv.back(), header);
    } else {
        return compile(request);
    }
    return outcome;
}

ProcessOutcome FakeToolchain::compile(const ProcessRequest& request) {
    ++compilations;
    std::string text;
    for (const std::string& word : request.argv) {
        text += word.find('/') == std::string::npos ? word + "\n" : "";
    }
    const std::string source = request.argv[request.argv.size() - 3];
    std::ofstream(request.directory / request.argv.back()) << text << text_of(request.directory / source);
    return {};
}

ProcessOutcome FakeToolchain::archive(const ProcessRequest& request) {
    std::ofstream archive(request.argv[2]);
    for (std::size_t i = 3; i < request.argv.size(); ++i) {
        archive << text_of(request.directory / request.argv[i]);
    }
    return {};
}

}  // namespace metamorph::libraries
