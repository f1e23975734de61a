// Step boundaries: in a copy of the sources, `recorded_step(3), ` is written in front of the call that is step 3. That
// works for any generator's entry and leaves the kernels alone.
#include "recorded_run.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "util/file.h"
#include "util/process.h"

namespace metamorph::cfront {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t k_bytes_without_extent = 1 << 16;

std::int64_t bytes_of(const Object& object) {
    return object.bytes.value_or(k_bytes_without_extent);
}

std::vector<std::string> lines_of(const fs::path& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        lines.push_back(line);
    }
    return lines;
}

void mark_steps(const fs::path& folder, const CodeModel& model) {
    const std::string source = model.function(model.entry.function)->location.file;
    std::vector<std::string> lines = lines_of(folder / source);
    for (std::size_t i = model.entry.steps.size(); i-- > 0;) {
        const SourceLocation& at = model.entry.steps[i].location;
        lines[at.line - 1].insert(at.column - 1, fmt::format("recorded_step({}), ", i));
    }
    std::ofstream file(folder / source);
    file << "void recorded_step(__SIZE_TYPE__ step);\n#line 1\n";
    for (const std::string& line : lines) {
        file << line << "\n";
    }
}

std::string object_table(const CodeModel& model, std::uint32_t seed, const std::map<int, std::string>& given) {
    std::string declarations = "#include <stddef.h>\n#include <stdint.h>\n";
    std::string table;
    std::string fill;
    std::size_t count = 0;
    for (std::size_t id = 0; id < model.entry.objects.size(); ++id) {
        const Object& object = model.entry.objects[id];
        if (!is_recorded(model, static_cast<ObjectId>(id))) {
            continue;
        }
        if (object.kind == ObjectKind::entry_parameter) {
            declarations +=
                fmt::format("static _Alignas(16) unsigned char p{}[{}];\n", object.parameter, bytes_of(object));
            table += fmt::format("    {{p{}, {}}},\n", object.parameter, bytes_of(object));
            fill += fmt::format(
                "    for (size_t i = 0; i < sizeof p{0}; ++i) {{ s = s * 1664525u + 1013904223u; p{0}[i] = (unsigned "
                "char)(s >> 24); }}\n",
                object.parameter);
            if (const auto contents = given.find(object.parameter); contents != given.end()) {
                for (std::size_t i = 0; i < contents->second.size(); ++i) {
                    fill += fmt::format("    p{}[{}] = {};\n", object.parameter, i,
                                        static_cast<unsigned char>(contents->second[i]));
                }
            }
        } else {
            declarations += fmt::format("extern unsigned char {}[];\n", object.name);
            table += fmt::format("    {{{}, {}}},\n", object.name, bytes_of(object));
        }
        ++count;
    }
    std::string call;
    std::string types;
    const std::vector<Parameter>& parameters = model.function(model.entry.function)->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        call += (i == 0 ? "" : ", ") + (parameters[i].is_pointer ? fmt::format("p{}", i) : "0");
        types += (i == 0 ? "" : ", ") + std::string(parameters[i].is_pointer ? "void *" : "int");
    }
    return declarations + fmt::format(
                              "struct object {{ unsigned char *begin; size_t bytes; }};\n"
                              "const struct object recorded_objects[] = {{\n{}    {{0, 0}}}};\n"
                              "const size_t recorded_object_count = {}, recorded_step_count = {};\n"
                              "void {}({});\n"
                              "void recorded_entry(void) {{\n    uint32_t s = {}u;\n{}    {}({});\n}}\n",
                              table, count, model.entry.steps.size(), model.entry.function, types, seed, fill,
                              model.entry.function, call);
}

Result<ProcessOutcome> must_succeed(const ProcessRequest& request) {
    MM_TRY(ProcessOutcome outcome, run_process(request));
    if (!outcome.succeeded()) {
        return fail(ErrorCode::toolchain, request.argv.front(), "{}: {}", outcome.print(), outcome.errors);
    }
    return outcome;
}

Status build(const FrontEndInput& input, const fs::path& folder) {
    const auto run = [&](std::vector<std::string> argv) -> Status {
        ProcessRequest request;
        request.argv = std::move(argv);
        request.directory = folder;
        MM_CHECK(must_succeed(request));
        return {};
    };
    std::vector<std::string> options = {METAMORPH_CLANG, "-std=gnu17", "-w", "-O1", "-fno-builtin", "-c"};
    for (const std::string& dir : input.include_dirs) {
        options.push_back("-I" + dir);
    }
    for (const std::string& define : input.defines) {
        options.push_back("-D" + define);
    }
    std::vector<std::string> link = {METAMORPH_CLANG, "-o", "recorded", "recorder.o", "objects.o"};
    std::vector<std::string> one = options;
    one.insert(one.end(), {"-o", "objects.o", "recorded_objects.c"});
    MM_CHECK(run(one));
    one = options;
    one.insert(one.end(), {"-o", "recorder.o", METAMORPH_SOURCE_DIR "/test/e2e/cfront/access_recorder.c"});
    MM_CHECK(run(one));
    for (const std::string& source : input.sources) {
        const std::string object = fmt::format("unit{}.o", link.size());
        one = options;
        one.insert(one.end(),
                   {"-fsanitize-coverage=inline-8bit-counters,trace-loads,trace-stores", "-o", object, source});
        MM_CHECK(run(one));
        link.push_back(object);
    }
    link.insert(link.end(), {"-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset", "-lm"});
    return run(link);
}

Recording read_recording(const std::vector<std::byte>& bytes, const CodeModel& model) {
    Recording recording(model.entry.steps.size(), std::vector<RecordedAccess>(model.entry.objects.size()));
    std::size_t next = 0;
    for (std::vector<RecordedAccess>& step : recording) {
        for (std::size_t id = 0; id < step.size(); ++id) {
            if (!is_recorded(model, static_cast<ObjectId>(id))) {
                continue;
            }
            for (std::int64_t at = 0; at < bytes_of(model.entry.objects[id]); ++at) {
                const auto flags = std::to_integer<unsigned>(bytes.at(next++));
                if ((flags & 1U) != 0) {
                    step[id].reads.add(at, at + 1);
                }
                if ((flags & 8U) != 0) {
                    step[id].reads_from_before.add(at, at + 1);
                }
                if ((flags & 6U) != 0) {
                    step[id].writes.add(at, at + 1);
                }
                if (flags == 2) {
                    step[id].written_once.add(at, at + 1);
                }
            }
        }
    }
    return recording;
}

}  // namespace

bool is_recorded(const CodeModel& model, ObjectId id) {
    const Object& object = model.entry.objects[static_cast<std::size_t>(id)];
    return object.kind == ObjectKind::entry_parameter ||
           (object.kind == ObjectKind::variable && !object.is_const &&
            !model.variables[static_cast<std::size_t>(object.variable)].is_static);
}

Result<Recording> record_accesses(const FrontEndInput& input, const CodeModel& model, std::uint32_t seed,
                                  const std::map<int, std::string>& given) {
    std::string pattern = (fs::temp_directory_path() / "mm-recorded-XXXXXX").string();
    const fs::path folder = mkdtemp(pattern.data());
    fs::copy(input.root, folder, fs::copy_options::recursive);
    mark_steps(folder, model);
    std::ofstream(folder / "recorded_objects.c") << object_table(model, seed, given);
    MM_CHECK(build(input, folder));
    ProcessRequest request;
    request.argv = {(folder / "recorded").string(), (folder / "accesses").string()};
    request.timeout = std::chrono::seconds(120);
    MM_CHECK(must_succeed(request));
    MM_TRY(const std::vector<std::byte> bytes, read_file(folder / "accesses", 1LL << 30));
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return read_recording(bytes, model);
}

}  // namespace metamorph::cfront
