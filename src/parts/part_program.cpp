#include "parts/part_program.h"

#include <algorithm>
#include <array>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "parts/part_text.h"
#include "util/text.h"

namespace metamorph::parts {
namespace {

// In this order, once each; the wait is the loop around cnn_time.
const std::vector<std::string> k_order{"cnn_enable",    "cnn_init",   "cnn_load_weights", "cnn_load_bias",
                                       "cnn_configure", "load_input", "cnn_start",        "wait"};

bool is_without_effect(const std::string& text) {
    static const std::regex known(
        R"(int [a-z, ]+|return 0|printf\(.*\)|if \(check_output\(\) != CNN_OK\) fail\(\)|cnn_disable\(\))"
        R"(|MXC_Delay\(SEC\(\d+\)\)|int8_t \*ml_data = \(int8_t \*\) ml_data32)");
    static const std::regex results(R"(for \(i = 0; i < CNN_NUM_OUTPUTS; i\+\+\) \{ digs = [^=]+; tens = digs % 10; )"
                                    R"(digs = digs / 10; printf\(.*\); \})");
    return std::regex_match(text, known) || std::regex_match(text, results);
}

bool is_of_boot(const std::string& text) {
    for (const char* known :
         {"MXC_ICC_Enable(MXC_ICC0)", "MXC_SYS_Clock_Select(MXC_SYS_CLOCK_IPO)", "SystemCoreClockUpdate()"}) {
        if (text == known) {
            return true;
        }
    }
    return false;
}

std::string step_of(const std::string& text) {
    static const std::regex wait(R"(while \(cnn_time == 0\) ?(MXC_LP_Enter(Sleep|LowPower)Mode\(\))?)");
    if (std::regex_match(text, wait)) {
        return "wait";
    }
    static const std::regex enable(R"(cnn_enable\([A-Z0-9_]+, [A-Z0-9_]+\))");
    if (std::regex_match(text, enable)) {
        return "cnn_enable";
    }
    for (const std::string& step : k_order) {
        if (step != "cnn_enable" && text == step + "()") {
            return step;
        }
    }
    return "";
}

Status read_output(PartSource& part) {
    for (const char* name : {"ml_data", "ml_data32"}) {
        if (const auto found = part.variables.find(name); found != part.variables.end()) {
            part.output_array = name;
            part.output_words = found->second.facts.bytes / 4;
        }
    }
    if (part.output_words <= 0) {
        return fail(ErrorCode::model, part.name, "the program of {} has no array for its output (ml_data)", part.name);
    }
    return {};
}

}  // namespace

Status read_program(PartSource& part) {
    const PartFunction& program = part.functions.at("main");
    std::vector<std::string> steps;
    for (const Statement& statement : statements_of(program.text, program.facts.location.line, part.macros)) {
        const std::string& text = statement.text;
        const std::string step = step_of(text);
        if (!step.empty()) {
            steps.push_back(step);
            part.enable = step == "cnn_enable" ? text : part.enable;
        } else if (is_of_boot(text) && steps.empty()) {
            part.boot.push_back(text);
        } else if (text.starts_with("cnn_boost_enable(") || text.starts_with("cnn_boost_disable(")) {
            part.boost.push_back(text);
        } else if (text == "softmax_layer()") {
            part.has_softmax = true;
        } else if (!text.starts_with("cnn_unload((uint32_t *) ml_data") && !is_without_effect(text)) {
            return fail_with_hint(ErrorCode::model, fmt::format("{}/main.c:{}", part.name, statement.line),
                                  fmt::format("this statement is not understood: {}", printable(text)),
                                  "parts are woven only where every statement of their programs is known");
        }
    }
    if (steps != k_order) {
        return fail(ErrorCode::model, fmt::format("{}/main.c:{}", part.name, program.facts.location.line),
                    "the program's steps are {}, and not {}", fmt::join(steps, ", "), fmt::join(k_order, ", "));
    }
    if (!part.boost.empty() && (part.boost.size() != 2 || !part.boost[0].starts_with("cnn_boost_enable") ||
                                !part.boost[1].starts_with("cnn_boost_disable"))) {
        return fail(ErrorCode::model, part.name, "the supply is not turned on once and off once");
    }
    return read_output(part);
}

}  // namespace metamorph::parts
