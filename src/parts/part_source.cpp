// Clang says which definitions there are and where they stand (cfront/outline.h); names say what a function is for, as
// the generator's names are fixed. Nothing is taken on trust: a function, a variable that can be written, or a callee
// that is not in the lists is refused, and so is a statement of main, load_input or the setup that is not known.
//
// The program's order is fixed, too: enable, init, weights, bias, configure, load, start, wait (with a FIFO, load comes
// behind start: load_input is then no list of copies, and refused).
#include "parts/part_source.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "parts/accelerator_setup.h"
#include "parts/part_program.h"
#include "parts/part_text.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/text.h"

namespace metamorph::parts {
namespace {

constexpr std::array<std::pair<const char*, PartClass>, 24> k_classes{{
    {"CNN_ISR", PartClass::per_task},
    {"cnn_enable", PartClass::per_task},
    {"cnn_init", PartClass::per_task},
    {"cnn_load_weights", PartClass::per_task},
    {"cnn_load_bias", PartClass::per_task},
    {"cnn_configure", PartClass::per_task},
    {"cnn_start", PartClass::per_task},
    {"cnn_continue", PartClass::per_task},
    {"cnn_stop", PartClass::per_task},
    {"cnn_unload", PartClass::per_task},
    {"cnn_disable", PartClass::every_task},
    {"cnn_boost_enable", PartClass::every_task},
    {"cnn_boost_disable", PartClass::every_task},
    {"memcpy32", PartClass::every_task},
    {"memcpy32_const", PartClass::every_task},
    {"memcpy_8to32", PartClass::every_task},
    {"softmax_layer", PartClass::once_at_end},
    {"softmax_q17p14_q15", PartClass::once_at_end},
    {"softmax_shift_q17p14_q15", PartClass::once_at_end},
    {"arm_softmax_q7_q15", PartClass::once_at_end},
    {"load_input", PartClass::known_answer},
    {"check_output", PartClass::known_answer},
    {"main", PartClass::program},
    {"fail", PartClass::program},
}};
constexpr std::array k_written{"cnn_time", "ml_data", "ml_data32", "ml_softmax"};
constexpr std::array k_sources{"cnn.c", "main.c", "softmax.c"};
constexpr std::array k_needed{"CNN_ISR",       "cnn_enable",    "cnn_init",     "cnn_load_weights",
                              "cnn_load_bias", "cnn_configure", "cnn_start",    "cnn_disable",
                              "cnn_unload",    "load_input",    "check_output", "main"};

bool is_foreign_call(const std::string& name) {
    for (const char* start : {"MXC_", "LED_"}) {
        if (name.starts_with(start)) {
            return true;
        }
    }
    return name == "printf" || name == "memset" || name == "SystemCoreClockUpdate";
}

std::string place_of(const PartSource& part, const std::string& file, unsigned line) {
    return fmt::format("{}/{}:{}", part.name, file, line);
}

class PartReader {
public:
    PartReader(const PartProject& project, const std::map<std::string, std::string>& stubs)
        : m_project(project), m_stubs(stubs) {
        m_part.name = project.name;
    }

    Result<PartSource> run() {
        MM_CHECK(check_files());
        read_headers();
        MM_TRY(const ScratchFolder scratch, ScratchFolder::make("metamorph-part"));
        MM_CHECK(write_files(scratch.path() / m_project.name, m_project.files));
        MM_CHECK(write_files(scratch.path() / "stubs", m_stubs));
        for (const char* source : k_sources) {
            if (m_project.files.contains(source)) {
                MM_CHECK(read_source(scratch.path(), source));
            }
        }
        MM_CHECK(check_functions());
        MM_CHECK(read_setup());
        MM_CHECK(read_known_answers());
        MM_CHECK(read_program(m_part));
        return std::move(m_part);
    }

private:
    Status check_files() const {
        for (const char* needed : {"cnn.c", "main.c", "cnn.h", "weights.h", "sampledata.h", "sampleoutput.h"}) {
            if (!m_project.files.contains(needed)) {
                return fail_with_hint(ErrorCode::model, m_project.name,
                                      fmt::format("{} has no {}", m_project.name, needed),
                                      "versions of the generator from 2022-06 on write it");
            }
        }
        for (const auto& [path, contents] : m_project.files) {
            const bool is_known = std::find(k_sources.begin(), k_sources.end(), path) != k_sources.end();
            if (path.ends_with(".c") && !is_known) {
                return fail_with_hint(ErrorCode::model, m_project.name + "/" + path,
                                      fmt::format("{} is no source that the generator writes", printable(path)),
                                      "parts are woven only where every function is known");
            }
        }
        return {};
    }

    void read_headers() {
        for (const auto& [path, contents] : m_project.files) {
            if (path.ends_with(".h")) {
                m_part.macros.merge(macros_of(contents));
            }
        }
        for (const std::string& line : split_lines(without_comments(m_project.files.at("cnn.c")))) {
            const std::size_t open = line.find('"'), close = line.rfind('"');
            if (line.starts_with("#include \"") && close > open &&
                !m_project.files.contains(line.substr(open + 1, close - open - 1))) {
                m_part.includes.push_back(line.substr(open + 1, close - open - 1));
            }
        }
    }

    static std::vector<std::string> split_lines(const std::string& text) {
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        return lines;
    }

    Status read_source(const std::filesystem::path& root, const std::string& source) {
        cfront::FrontEndInput input;
        input.root = root;
        input.sources = {m_project.name + "/" + source};
        input.include_dirs = {m_project.name, "stubs"};
        MM_TRY(const cfront::Outline outline, cfront::outline(input, 0));
        for (const cfront::Recovery& recovery : outline.recoveries) {
            return fail_with_hint(ErrorCode::model, place_of(m_part, source, recovery.location.line), recovery.message,
                                  "our stubs do not have it");
        }
        const std::string& text = m_project.files.at(source);
        for (const cfront::OutlinedFunction& found : outline.functions) {
            PartFunction function{found.facts, source, text.substr(found.begin, found.end - found.begin), {}};
            MM_CHECK(classify(function));
            m_part.functions.emplace(found.facts.name, std::move(function));
        }
        for (const cfront::OutlinedVariable& found : outline.variables) {
            MM_CHECK(check_variable(found.facts, source));
            m_part.variables.emplace(
                found.facts.name, PartVariable{found.facts, source, text.substr(found.begin, found.end - found.begin)});
        }
        return {};
    }

    Status classify(PartFunction& function) const {
        std::vector<std::string> names;
        for (const auto& [name, part_class] : k_classes) {
            names.emplace_back(name);
            if (function.facts.name == name) {
                function.part_class = part_class;
                return {};
            }
        }
        const std::string near = did_you_mean(function.facts.name, names);
        return fail_with_hint(
            ErrorCode::model, place_of(m_part, function.source, function.facts.location.line),
            fmt::format("what '{}' is for is not known", function.facts.name),
            near.empty() ? "parts are woven only where every function is one of the generator's" : near);
    }

    Status check_variable(const cfront::Variable& variable, const std::string& source) const {
        if (!variable.is_const && std::find(k_written.begin(), k_written.end(), variable.name) == k_written.end()) {
            return fail_with_hint(
                ErrorCode::model, place_of(m_part, source, variable.location.line),
                fmt::format("'{}' can be written, and what it holds between tasks is not known", variable.name),
                "parts are woven only where every such variable is one of the generator's");
        }
        return {};
    }

    Status check_functions() const {
        for (const char* needed : k_needed) {
            if (!m_part.functions.contains(needed)) {
                return fail(ErrorCode::model, m_part.name, "the program of {} has no function {}", m_part.name, needed);
            }
        }
        for (const auto& [name, function] : m_part.functions) {
            const std::string where = place_of(m_part, function.source, function.facts.location.line);
            if (function.facts.calls_through_pointer) {
                return fail(ErrorCode::model, where, "'{}' calls through a pointer or has inline assembly", name);
            }
            for (const std::string& callee : function.facts.calls) {
                if (!m_part.functions.contains(callee) && !is_foreign_call(callee)) {
                    return fail(ErrorCode::model, where, "'{}' calls '{}', and what that does is not known", name,
                                callee);
                }
            }
        }
        return check_copying();
    }

    // What is copied is read off calls of memcpy32 and the like, so these must be what their names say.
    Status check_copying() const {
        for (const char* name : {"memcpy32", "memcpy_8to32"}) {
            const auto found = m_part.functions.find(name);
            if (found != m_part.functions.end()) {
                const std::vector<Statement> body = statements(found->second);
                if (body.size() != 1 || body[0].text != "while (n-- > 0) { *dst++ = *src++; }") {
                    return fail(ErrorCode::model,
                                place_of(m_part, found->second.source, found->second.facts.location.line),
                                "'{}' does not copy as it is known to", name);
                }
            }
        }
        return {};
    }

    std::vector<Statement> statements(const PartFunction& function) const {
        return statements_of(function.text, function.facts.location.line, m_part.macros);
    }

    Result<std::map<std::string, std::vector<std::uint32_t>>> constant_arrays() const {
        std::map<std::string, std::vector<std::uint32_t>> arrays;
        for (const auto& [name, variable] : m_part.variables) {
            const std::size_t equals = variable.text.find('=');
            if (!variable.facts.is_const || equals == std::string::npos) {
                continue;
            }
            std::string value = variable.text.substr(equals + 1);
            value = value.substr(0, value.rfind(';'));
            const std::size_t first = value.find_first_not_of(" \n");
            value = first == std::string::npos ? "" : value.substr(first);
            const auto macro = m_part.macros.find(value);
            MM_TRY(arrays[name], numbers_of(macro == m_part.macros.end() ? value : macro->second,
                                            place_of(m_part, variable.source, variable.facts.location.line)));
        }
        return arrays;
    }

    Status read_setup() {
        MM_TRY(m_arrays, constant_arrays());
        AcceleratorSetup setup(m_arrays);
        for (const char* name : {"cnn_init", "cnn_load_weights", "cnn_load_bias", "cnn_configure", "cnn_start"}) {
            const PartFunction& function = m_part.functions.at(name);
            MM_CHECK(setup.apply(statements(function), m_part.name + "/" + function.source));
        }
        m_part.setup_sum = setup.sum();
        return {};
    }

    Status read_known_answers() {
        const PartFunction& load = m_part.functions.at("load_input");
        for (const Statement& statement : statements(load)) {
            const std::string where = place_of(m_part, load.source, statement.line);
            const auto copied = word_copy_of(statement.text);
            const auto array = copied ? m_arrays.find(copied->array) : m_arrays.end();
            if (!copied || array == m_arrays.end() || array->second.size() < copied->words) {
                return fail_with_hint(
                    ErrorCode::model, where,
                    fmt::format("this way to load input is not understood: {}", printable(statement.text)),
                    "only copies of whole arrays are; a FIFO cannot be woven yet: leave --fifo out");
            }
            m_part.copies.push_back({copied->address, copied->words, copied->array});
            for (std::uint32_t i = 0; i < copied->words; ++i) {
                if (!m_part.loaded.emplace(copied->address + 4 * i, KnownWord{0xffffffff, array->second[i]}).second) {
                    return fail(ErrorCode::model, where, "{:#010x} is loaded twice", copied->address + 4 * i);
                }
            }
        }
        const auto answer = m_arrays.find("sample_output");
        if (answer == m_arrays.end()) {
            return fail(ErrorCode::model, m_part.name, "{} has no known answer (sample_output)", m_part.name);
        }
        MM_TRY(m_part.stored, read_known_list(answer->second, m_part.name + "/sampleoutput.h"));
        return {};
    }

    const PartProject& m_project;
    const std::map<std::string, std::string>& m_stubs;
    PartSource m_part;
    std::map<std::string, std::vector<std::uint32_t>> m_arrays;
};

}  // namespace

const char* name_of(PartClass part_class) {
    switch (part_class) {
        case PartClass::per_task:
            return "per task";
        case PartClass::every_task:
            return "every task";
        case PartClass::once_at_end:
            return "once, at the end";
        case PartClass::known_answer:
            return "known answer";
        case PartClass::program:
            return "program";
    }
    return "?";
}

Result<PartSource> read_part(const PartProject& project, const std::map<std::string, std::string>& stubs) {
    return PartReader(project, stubs).run();
}

}  // namespace metamorph::parts
