#include "adopt/foreign_parameters.h"

#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

namespace metamorph::adopt {
namespace {

using cfront::Function;
using cfront::Parameter;
using generate::EntryParameter;
using generate::ForeignCode;
using generate::ForeignParameter;

std::string place_of(const Function& entry) {
    return fmt::format("{}:{}", entry.location.file, entry.location.line);
}

bool is_called(const ForeignParameter& given, const Function& entry, std::size_t position) {
    return given.name == entry.parameters[position].name || given.name == fmt::format("#{}", position);
}

const ForeignParameter* listed(const ForeignCode& code, const Function& entry, std::size_t position) {
    for (const ForeignParameter& given : code.parameters) {
        if (is_called(given, entry, position)) {
            return &given;
        }
    }
    return nullptr;
}

Status check_listed(const ForeignCode& code, const Function& entry) {
    for (const ForeignParameter& given : code.parameters) {
        bool is_there = false;
        std::string names;
        for (std::size_t p = 0; p < entry.parameters.size(); ++p) {
            is_there = is_there || is_called(given, entry, p);
            names += (p == 0 ? "" : ", ") + entry.parameters[p].name;
        }
        if (!is_there) {
            return fail_with_hint(ErrorCode::options, place_of(entry),
                                  fmt::format("{} has no parameter '{}'", code.entry, given.name),
                                  names.empty() ? "it has no parameters" : "its parameters are: " + names);
        }
    }
    return {};
}

// A type that any C file knows, with the size of one: "const float"; what points to other types is given as bytes.
void set_element(const Parameter& parameter, AdoptedParameter& added) {
    static const std::set<std::string> known = {"float",    "double",         "char",    "signed char", "unsigned char",
                                                "short",    "unsigned short", "int",     "int8_t",      "uint8_t",
                                                "int16_t",  "uint16_t",       "int32_t", "uint32_t",    "int64_t",
                                                "uint64_t", "unsigned int"};
    std::string element = parameter.element_type;
    if (element.starts_with("const ")) {
        element = element.substr(6);
    }
    const bool is_known = known.contains(element) && parameter.element_bytes > 0;
    added.element_bytes = is_known ? parameter.element_bytes : 1;
    added.element_type = (parameter.is_const ? "const " : "") + (is_known ? element : std::string("unsigned char"));
}

Result<AdoptedParameter> adopted(const ForeignCode& code, const Function& entry, std::size_t position) {
    const Parameter& parameter = entry.parameters[position];
    const ForeignParameter* given = listed(code, entry, position);
    if (parameter.leads_to_pointers) {
        return fail_with_hint(
            ErrorCode::model, place_of(entry),
            fmt::format("what parameter '{}' of {} leads to ({}) holds pointers, and what these lead to is not known",
                        parameter.name, code.entry, parameter.element_type),
            "write an entry that takes each memory as a parameter of its own");
    }
    AdoptedParameter added;
    added.name = parameter.name;
    added.foreign = static_cast<int>(position);
    set_element(parameter, added);
    const std::optional<std::int64_t> bytes = given && given->bytes ? given->bytes : parameter.extent_bytes;
    if (!bytes || *bytes <= 0) {
        return fail_with_hint(
            ErrorCode::model, place_of(entry),
            fmt::format("the extent of parameter '{}' of {} is not known", parameter.name, code.entry),
            fmt::format("say how many bytes it has: --parameter {}=input:BYTES", parameter.name));
    }
    if (*bytes % added.element_bytes != 0) {
        return fail(ErrorCode::options, place_of(entry),
                    "parameter '{}' of {} cannot have {} bytes: its elements have {}", parameter.name, code.entry,
                    *bytes, added.element_bytes);
    }
    added.elements = *bytes / added.element_bytes;
    using Role = ForeignParameter::Role;
    const Role role = given ? given->role : parameter.is_const ? Role::input : Role::output;
    added.role = role == Role::input    ? EntryParameter::Role::input
                 : role == Role::output ? EntryParameter::Role::output
                                        : EntryParameter::Role::arena;
    return added;
}

}  // namespace

Result<std::vector<AdoptedParameter>> foreign_parameters(const ForeignCode& code, const Function& entry) {
    MM_CHECK(check_listed(code, entry));
    std::vector<AdoptedParameter> parameters;
    for (std::size_t p = 0; p < entry.parameters.size(); ++p) {
        const ForeignParameter* given = listed(code, entry, p);
        if (entry.parameters[p].is_pointer && !(given && given->role == ForeignParameter::Role::null)) {
            MM_TRY(AdoptedParameter added, adopted(code, entry, p));
            parameters.push_back(std::move(added));
        }
    }
    return parameters;
}

}  // namespace metamorph::adopt
