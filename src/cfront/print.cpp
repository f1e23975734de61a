#include "cfront/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metamorph::cfront {
namespace {

std::string print(const SourceLocation& at) {
    return fmt::format("{}:{}", at.file, at.line);
}

std::string print(const Function& function) {
    std::string text =
        fmt::format("function {} {}({}", function.return_type, function.name, function.is_defined ? "" : "declared: ");
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const Parameter& parameter = function.parameters[i];
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ", parameter.type, parameter.name);
        if (parameter.extent_bytes) {
            text += fmt::format(" /* {} bytes */", *parameter.extent_bytes);
        }
    }
    text += fmt::format(")  {}{}{}\n", print(function.location), function.is_static ? " static" : "",
                        function.is_inline ? " inline" : "");
    const auto list = [&](const char* what, const auto& items) {
        if (!items.empty()) {
            text += fmt::format("    {} {}\n", what, fmt::join(items, ", "));
        }
    };
    const auto names_of = [&](const std::vector<unsigned>& indices) {
        std::vector<std::string> names;
        for (const unsigned index : indices) {
            names.push_back(function.parameters[index].name);
        }
        return names;
    };
    list("calls", function.calls);
    list("reads global", function.reads_globals);
    list("writes global", function.writes_globals);
    list("reads parameter", names_of(function.reads_parameters));
    list("writes parameter", names_of(function.writes_parameters));
    if (function.calls_through_pointer) {
        text += "    calls through a pointer, or assembly\n";
    }
    return text;
}

std::string print(const Variable& variable) {
    return fmt::format("variable {} {}  {} bytes{}{}{}{}  {}\n", variable.type, variable.qualified_name(),
                       variable.bytes, variable.is_const ? " const" : "", variable.is_static ? " static" : "",
                       variable.is_defined ? "" : " declared", variable.has_initializer ? " initialised" : "",
                       print(variable.location));
}

std::string print(const EntryModel& entry, const Access& access) {
    std::string text = fmt::format("        {}{}:", entry.objects[static_cast<std::size_t>(access.object)].name,
                                   access.argument < 0 ? " directly" : fmt::format(" by argument {}", access.argument));
    const auto set = [&](const char* what, const IntervalSet& bytes) {
        if (!bytes.empty()) {
            text += fmt::format(" {} {}", what, bytes.print());
        }
    };
    set("reads", access.reads);
    set("of them behind its own writes", access.read_back);
    set("writes", access.writes);
    if (!access.writes.empty()) {
        text += access.must_writes == access.writes ? " surely" : fmt::format(" surely {}", access.must_writes.print());
        text += access.written_once == access.writes ? " once" : fmt::format(" once {}", access.written_once.print());
    }
    for (const std::string* reason : {&access.read_reason, &access.write_reason}) {
        text += reason->empty() ? "" : fmt::format(" ({})", *reason);
    }
    return text + "\n";
}

std::string print(const EntryModel& entry) {
    std::string text = fmt::format("entry {}\n", entry.function);
    for (const Object& object : entry.objects) {
        constexpr const char* k_kinds[] = {"parameter", "variable", "local"};
        text += fmt::format("    object {} {} {}  {} bytes{}\n", k_kinds[static_cast<int>(object.kind)],
                            object.element_type, object.name, object.bytes ? std::to_string(*object.bytes) : "?",
                            object.is_const ? " const" : "");
    }
    for (std::size_t i = 0; i < entry.steps.size(); ++i) {
        const Step& step = entry.steps[i];
        text += fmt::format("    step {}  {}  {}\n", i, step.text, print(step.location));
        for (const Access& access : step.accesses) {
            text += print(entry, access);
        }
    }
    return text;
}

}  // namespace

std::string print(const CodeModel& model) {
    std::string text;
    for (const Function& function : model.functions) {
        text += print(function);
    }
    for (const Variable& variable : model.variables) {
        text += print(variable);
    }
    text += print(model.entry);
    for (const Recovery& recovery : model.recoveries) {
        text += fmt::format("recovery {}: {}\n", print(recovery.location), recovery.message);
    }
    return text;
}

}  // namespace metamorph::cfront
