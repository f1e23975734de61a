#include "adopt/program.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace metamorph::corpus {
namespace {

namespace fs = std::filesystem;
using generate::ForeignParameter;

std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

void read_expectation(const std::string& text, Program& program) {
    static const std::regex woven(R"re(// (.*): woven, (\d+) steps?\.(?: Note: "(.*)"\.)?)re");
    static const std::regex refused(R"re(// (.*): refused at line (\d+): "(.*)"\.)re");
    const std::string first = text.substr(0, text.find('\n'));
    std::smatch found;
    program.is_refused = std::regex_match(first, found, refused);
    if (!program.is_refused && !std::regex_match(first, found, woven)) {
        throw std::runtime_error(
            fmt::format("{}: the first line does not say what must happen: {}", program.name, first));
    }
    program.hazard = found[1];
    (program.is_refused ? program.line : program.steps) = std::stoi(found[2]);
    program.words = found[3];
}

void read_parameters(const std::string& text, Program& program) {
    static const std::regex option(R"re(--parameter (\S+)=(input|output|arena|constant):(\d+))re");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), option); at != std::sregex_iterator(); ++at) {
        ForeignParameter parameter;
        const std::string role = (*at)[2];
        parameter.name = (*at)[1];
        parameter.role = role == "input"    ? ForeignParameter::Role::input
                         : role == "output" ? ForeignParameter::Role::output
                         : role == "arena"  ? ForeignParameter::Role::arena
                                            : ForeignParameter::Role::constant;
        if (parameter.role == ForeignParameter::Role::constant) {
            parameter.value = std::stoll((*at)[3]);
        } else {
            parameter.bytes = std::stoll((*at)[3]);
        }
        program.code.parameters.push_back(std::move(parameter));
    }
}

void read_slices(const std::string& text, Program& program) {
    static const std::regex option(R"re(--slice (\S+))re");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), option); at != std::sregex_iterator(); ++at) {
        program.slices.push_back((*at)[1]);
    }
}

}  // namespace

std::vector<Program> read_corpus(const fs::path& folder) {
    const std::string layers = text_of(folder / "layers.h");
    std::vector<Program> programs;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (!entry.is_directory() && entry.path().extension() != ".c") {
            continue;
        }
        Program program;
        program.name = entry.path().stem().string();
        generate::ForeignCode& code = program.code;
        if (entry.is_directory()) {
            for (const fs::directory_entry& file : fs::directory_iterator(entry.path())) {
                code.files[file.path().filename().string()] = text_of(file.path());
            }
        } else {
            code.files[entry.path().filename().string()] = text_of(entry.path());
        }
        for (const auto& [name, text] : code.files) {
            if (name.ends_with(".c")) {
                code.sources.push_back(name);
            }
        }
        const std::string& main = code.files.at(program.name + ".c");
        read_expectation(main, program);
        read_parameters(main, program);
        read_slices(main, program);
        code.files["layers.h"] = layers;
        code.include_dirs = {"."};
        code.prefix = "net";
        code.entry = "run";
        code.generator = "the corpus";
        programs.push_back(std::move(program));
    }
    std::sort(programs.begin(), programs.end(), [](const Program& a, const Program& b) { return a.name < b.name; });
    return programs;
}

}  // namespace metamorph::corpus
