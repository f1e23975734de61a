// Functions of the C library are known by name: those of the list change nothing but what their arguments lead to, and
// the heap. Rejected: to take any function without a definition for one that touches every object (as the front end
// does), since what it keeps inside of itself (rand, strtok, a device's driver) is no object that could be saved.
#include "adopt/survival.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace metamorph::adopt {
namespace {

using cfront::Access;
using cfront::CodeModel;
using cfront::Function;
using cfront::Object;
using cfront::Opaque;
using cfront::Step;
using cfront::Variable;

bool allocates(const std::string& function) {
    static const std::set<std::string> names = {"malloc", "calloc", "realloc", "aligned_alloc"};
    return names.contains(function);
}

bool keeps_nothing(const std::string& function) {
    static const std::set<std::string> names = {
        "free",    "memcmp", "memchr", "memcpy",  "memmove", "memset", "strlen", "strcmp",  "strncmp", "strcpy",
        "strncpy", "strcat", "strchr", "strrchr", "strstr",  "abs",    "labs",   "llabs",   "qsort",   "bsearch",
        "div",     "ldiv",   "frexp",  "frexpf",  "modf",    "modff",  "remquo", "remquof", "sincos",  "sincosf"};
    return names.contains(function) || allocates(function);
}

std::string print(const cfront::SourceLocation& at) {
    return fmt::format("{}:{}", at.file, at.line);
}

class Check {
public:
    explicit Check(const AdoptedModel& adopted) : m_adopted(adopted), m_model(*adopted.model) {}

    Status run() {
        for (const Function& function : m_model.functions) {
            if (function.is_defined && function.runs_outside_main) {
                return fail_with_hint(
                    ErrorCode::model, print(function.location),
                    fmt::format("{} runs before main or after it, which start-up code of a device does not do",
                                function.name),
                    "call it from the entry");
            }
        }
        for (std::size_t s = 0; s < m_model.entry.steps.size(); ++s) {
            MM_CHECK(check_step(s));
        }
        for (std::size_t id = 0; id < m_model.entry.objects.size(); ++id) {
            const Object& object = m_model.entry.objects[id];
            if (object.kind == cfront::ObjectKind::variable && !object.is_const) {
                MM_CHECK(check_variable(static_cast<cfront::ObjectId>(id)));
            }
        }
        return {};
    }

    // Of something in the code of a step.
    std::string place(const std::string& where, std::size_t step) const {
        const bool is_ours = where.empty() || where.starts_with(m_adopted.steps_file + ":") || where == "?";
        return is_ours && step < m_adopted.source->steps.size() ? print(m_adopted.source->steps[step].location) : where;
    }

private:
    Status check_step(std::size_t s) const {
        const Step& step = m_model.entry.steps[s];
        if (!step.heap_escape.empty()) {
            return fail_with_hint(
                ErrorCode::model, place(step.heap_escape, s),
                "memory from malloc is kept beyond the step that gets it, and a power failure takes it away",
                "give it static storage");
        }
        for (const Opaque& opaque : step.opaque) {
            if (opaque.kind == Opaque::Kind::pointer) {
                return fail_with_hint(ErrorCode::model, place(opaque.where, s),
                                      "it calls a function through a pointer whose target is not known",
                                      "what it does cannot be said: call the function by its name");
            }
            if (opaque.kind == Opaque::Kind::undefined && !keeps_nothing(opaque.function)) {
                return fail_with_hint(
                    ErrorCode::model, place(opaque.where, s),
                    fmt::format(
                        "it calls {}, which no source defines: it may keep something that a power failure takes "
                        "away, or do it twice",
                        opaque.function),
                    "give its source, or leave the call out with a define");
            }
            if (opaque.kind == Opaque::Kind::recursive && reaches_allocation(opaque.function)) {
                return fail(
                    ErrorCode::model, place(opaque.where, s),
                    "{} allocates memory and is recursive or cannot be inlined: whether it keeps that memory is "
                    "not known",
                    opaque.function);
            }
        }
        return {};
    }

    bool reaches_allocation(const std::string& name) const {
        std::set<std::string> reached;
        return reaches_allocation(name, reached);
    }

    bool reaches_allocation(const std::string& name, std::set<std::string>& reached) const {
        if (!reached.insert(name).second) {
            return false;
        }
        const Function* function = m_model.function(name);
        return allocates(name) ||
               (function && std::any_of(function->calls.begin(), function->calls.end(), [&](const std::string& callee) {
                    return reaches_allocation(callee, reached);
                }));
    }

    struct Use {
        bool is_read = false, is_written = false;
    };
    Use use_of(cfront::ObjectId id) const {
        Use use;
        for (const Step& step : m_model.entry.steps) {
            for (const Access& access : step.accesses) {
                use.is_read = use.is_read || (access.object == id && !access.reads.empty());
                use.is_written = use.is_written || (access.object == id && !access.writes.empty());
            }
        }
        return use;
    }

    Status check_variable(cfront::ObjectId id) const {
        const Object& object = m_model.entry.objects[static_cast<std::size_t>(id)];
        const Variable& variable = m_model.variables[static_cast<std::size_t>(object.variable)];
        const Use use = use_of(id);
        const auto refuse = [&](const std::string& why, const std::string& hint) {
            return fail_with_hint(ErrorCode::model, print(variable.location),
                                  fmt::format("variable '{}' {}", variable.name, why), hint);
        };
        if (!use.is_read && !use.is_written) {
            return {};
        }
        if (variable.is_volatile) {
            return refuse("is volatile: something else may change it, or look at it, while a task runs again",
                          "read it outside of the inference, and pass it as an input");
        }
        if (variable.is_thread_local) {
            return refuse("is thread-local, so no table can name it", "leave _Thread_local out with a define");
        }
        if (!variable.is_defined) {
            return refuse("is defined in no source", "give the source that defines it");
        }
        const std::string writer = use.is_written || variable.has_initializer ? "" : outside_writer(variable);
        if (!writer.empty()) {
            return refuse(
                fmt::format("is read by the entry, but only {} writes it, which the entry does not call", writer),
                "give it an initial value: what other functions leave in it, a power failure takes away");
        }
        return {};
    }

    std::string outside_writer(const Variable& variable) const {
        for (const Function& function : m_model.functions) {
            const std::vector<std::string>& written = function.writes_globals;
            if (function.is_defined && std::binary_search(written.begin(), written.end(), variable.qualified_name())) {
                return function.name;
            }
        }
        return "";
    }

    const AdoptedModel& m_adopted;
    const CodeModel& m_model;
};

}  // namespace

Status check_survival(const AdoptedModel& adopted) {
    return Check(adopted).run();
}

std::string place_of_allocation(const AdoptedModel& adopted) {
    const Check check(adopted);
    for (std::size_t s = 0; s < adopted.model->entry.steps.size(); ++s) {
        for (const Opaque& opaque : adopted.model->entry.steps[s].opaque) {
            if (opaque.kind == Opaque::Kind::undefined && allocates(opaque.function)) {
                return check.place(opaque.where, s);
            }
        }
    }
    return "";
}

std::vector<std::string> opaque_notes(const AdoptedModel& adopted) {
    const Check check(adopted);
    std::vector<std::string> notes;
    for (std::size_t s = 0; s < adopted.model->entry.steps.size(); ++s) {
        for (Opaque opaque : adopted.model->entry.steps[s].opaque) {
            opaque.where = check.place(opaque.where, s);
            const std::string note = opaque.print() + ": all memory counts as read and written there";
            if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
                notes.push_back(note);
            }
        }
    }
    return notes;
}

}  // namespace metamorph::adopt
