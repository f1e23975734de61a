// See generated_program.h. The driver is C made of the generated entry's own lines, so that what is hashed after each
// call is exactly what the entry does.
#include "e2e/native/generated_program.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace metamorph::test {
namespace {

using generate::EntryParameter;
using generate::GeneratedCode;

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// The entry's calls, as spelled.
std::vector<std::string> call_lines(const GeneratedCode& code) {
    std::vector<std::string> calls;
    std::istringstream text(code.files.at(code.prefix + ".c"));
    for (std::string line; std::getline(text, line);) {
        if (line.rfind("    " + code.prefix + "_", 0) == 0 && line.size() > 2 && line.substr(line.size() - 2) == ");") {
            calls.push_back(line.substr(4));
        }
    }
    return calls;
}

std::string hash_call(const GeneratedCode& code, std::size_t index) {
    const generate::OperatorOutput& output = code.operator_outputs[index];
    return fmt::format("    show(\"operator\", {}, (const unsigned char *)steps.{} + {}, {});\n", index,
                       code.parameters[static_cast<std::size_t>(output.parameter)].name, output.offset, output.bytes);
}

std::string driver(const GeneratedCode& code) {
    std::string members, reads, copies, arguments, shows;
    int output = 0;
    for (const EntryParameter& p : code.parameters) {
        members += fmt::format("    _Alignas(16) int8_t {}[{}];\n", p.name, p.bytes);
        arguments += fmt::format("{}(void *)whole.{}", arguments.empty() ? "" : ", ", p.name);
        if (p.role == EntryParameter::Role::input) {
            reads += fmt::format("        if (fread(steps.{0}, 1, {1}, stdin) != {1}) return 0;\n", p.name, p.bytes);
            copies += fmt::format("        memcpy(whole.{0}, steps.{0}, {1});\n", p.name, p.bytes);
        } else if (p.role == EntryParameter::Role::output) {
            shows += fmt::format("            show(\"output\", {}, (const unsigned char *)whole.{}, {});\n", output++,
                                 p.name, p.bytes);
        }
    }
    std::string text = fmt::format("#include <stdio.h>\n#include <string.h>\n#include \"{}\"\n#include \"{}\"\n",
                                   code.header, code.layers_header);
    text += fmt::format("struct memory {{\n{}}};\nstatic struct memory steps, whole;\n", members);
    text +=
        "static void show(const char *what, int index, const unsigned char *at, unsigned long bytes) {\n"
        "    unsigned hash = 0x811c9dc5U;\n"
        "    for (unsigned long i = 0; i < bytes; ++i) hash = (hash ^ at[i]) * 0x01000193U;\n"
        "    printf(\"%s %d %08x \", what, index, hash);\n"
        "    for (unsigned long i = 0; i < bytes && what[1] == 'u'; ++i) printf(\"%02x\", at[i]);\n"
        "    printf(\".\\n\");\n}\n";
    text += "static void run_steps(void) {\n";
    // Calls name the parameters: give them these names here, arena as int8_t so that offsets count bytes.
    for (const EntryParameter& p : code.parameters) {
        text += p.role == EntryParameter::Role::arena ? fmt::format("    int8_t *const {0} = steps.{0};\n", p.name)
                                                      : fmt::format("    void *const {0} = steps.{0};\n", p.name);
    }
    const std::vector<std::string> calls = call_lines(code);
    std::size_t next = 0;
    for (std::size_t i = 0; i < code.operator_outputs.size(); ++i) {
        if (!code.operator_outputs[i].function.empty() && next < calls.size()) {
            text += "    " + calls[next++] + "\n";
        }
        text += hash_call(code, i);
    }
    for (; next < calls.size(); ++next) {
        text += "    " + calls[next] + "\n";
    }
    for (const EntryParameter& p : code.parameters) {
        text += fmt::format("    (void){};\n", p.name);
    }
    text += "}\n";
    text += fmt::format(
        "int main(void) {{\n    memset(&steps, 0x5a, sizeof steps);\n    memset(&whole, 0xa5, sizeof whole);\n    for "
        "(;;) {{\n"
        "{}{}        run_steps();\n        for (int i = 0; i < 2; ++i) {{\n            {}({});\n{}        }}\n    "
        "}}\n}}\n",
        reads, copies, code.entry, arguments, shows);
    return text;
}

ProgramRun parse(const std::string& text, const GeneratedCode& code, std::size_t expected) {
    ProgramRun run;
    std::size_t outputs = 0;
    for (const EntryParameter& p : code.parameters) {
        outputs += p.role == EntryParameter::Role::output ? 1 : 0;
    }
    std::istringstream lines(text);
    std::string what, hash, bytes;
    std::size_t index = 0;
    Inference current;
    std::vector<std::string> first;
    while (lines >> what >> index >> hash >> bytes) {
        if (what == "operator") {
            current.operators.push_back(hash);
            continue;
        }
        if (first.size() < outputs) {
            first.push_back(hash);
            continue;
        }
        current.outputs.push_back(hash);
        current.hex_outputs.push_back(bytes.substr(0, bytes.size() - 1));
        if (current.outputs.size() == outputs) {
            if (first != current.outputs) {
                run.error = "the entry gives another result when it runs on what it left in the arena";
            }
            run.inferences.push_back(std::move(current));
            current = {};
            first.clear();
        }
    }
    if (run.error.empty() && run.inferences.size() != expected) {
        run.error =
            fmt::format("{} inferences instead of {}: {}", run.inferences.size(), expected, text.substr(0, 2000));
    }
    return run;
}

}  // namespace

std::string fnv1a32(const std::vector<std::uint8_t>& bytes) {
    std::uint32_t hash = 0x811c9dc5U;
    for (const std::uint8_t byte : bytes) {
        hash = (hash ^ byte) * 0x01000193U;
    }
    return fmt::format("{:08x}", hash);
}

std::vector<std::uint8_t> seeded_bytes(std::uint32_t seed, std::int64_t count) {
    std::vector<std::uint8_t> bytes;
    std::uint32_t x = seed;
    for (std::int64_t i = 0; i < count; ++i) {
        x = x * 1664525U + 1013904223U;
        bytes.push_back(static_cast<std::uint8_t>(x >> 24));
    }
    return bytes;
}

ScratchFolder::ScratchFolder(const std::string& name)
    : m_path(std::filesystem::temp_directory_path() / fmt::format("metamorph-{}-{}", name, ::getpid())) {
    std::filesystem::remove_all(m_path);
    std::filesystem::create_directories(m_path);
}
ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

void write_files(const GeneratedCode& code, const std::filesystem::path& folder) {
    for (const auto& [path, text] : code.files) {
        std::filesystem::create_directories((folder / path).parent_path());
        std::ofstream(folder / path, std::ios::binary) << text;
    }
}

ProgramRun build_and_run(const GeneratedCode& code, const std::filesystem::path& folder, const std::string& compiler,
                         const std::vector<std::vector<std::uint8_t>>& inputs, Units units) {
    write_files(code, folder);
    std::string main_text = driver(code);
    if (units == Units::one_in_all) {
        for (const std::string& source : code.sources) {
            main_text += fmt::format("#include \"{}\"\n", source);
        }
    }
    std::ofstream(folder / "driver.c", std::ios::binary) << main_text;
    std::ofstream stream(folder / "inputs", std::ios::binary);
    for (const auto& input : inputs) {
        stream.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
    }
    stream.close();
    const std::string command = fmt::format(
        "cd '{0}' && {1} -std=c11 -I{2} driver.c {3} -o driver > build.log 2>&1 && ./driver < inputs > outputs 2> "
        "run.log",
        folder.string(), compiler, code.include_dir,
        units == Units::one_a_file ? fmt::format("{}", fmt::join(code.sources, " ")) : "");
    if (std::system(command.c_str()) != 0) {
        ProgramRun failed;
        failed.error =
            "building or running failed: " + read_text(folder / "build.log").substr(0, 2000) +
            (std::filesystem::exists(folder / "run.log") ? read_text(folder / "run.log").substr(0, 2000) : "");
        return failed;
    }
    return parse(read_text(folder / "outputs"), code, inputs.size());
}

}  // namespace metamorph::test
