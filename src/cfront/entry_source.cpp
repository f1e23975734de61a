// Items (entry_items.h) → steps. A step ends behind each item that is heavy; what a step shares with another becomes a
// shared local, and what cannot be shared (a pointer that is not known, a type that only the entry can name) keeps all
// steps between its first and its last use together.
#include "cfront/entry_source.h"

#include <algorithm>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <llvm/IR/LLVMContext.h>

#include "cfront/ast_facts.h"
#include "cfront/entry_hoisted.h"
#include "cfront/entry_items.h"
#include "cfront/step_text.h"
#include "cfront/target_layout.h"
#include "cfront/unit_parser.h"

namespace metamorph::cfront {
namespace {

constexpr std::int64_t k_arena_alignment_max = 16;  // of the memory that shared locals live in

class SourceBuilder {
public:
    SourceBuilder(clang::ASTContext& context, const clang::FunctionDecl& entry, const EntryReading& reading)
        : m_context(context),
          m_entry(entry),
          m_reading(reading),
          m_types(context, entry, reading.prefix),
          m_items(read_entry_items(context, entry, reading.values)),
          m_hoisted(context, reading.prefix) {
        if (!reading.keep_whole.empty()) {
            m_items.obstacle = reading.keep_whole;
            m_items.obstacle_at = locate(context, entry.getLocation());
        }
    }

    EntrySource build() {
        LocalBytes locals(m_context);
        locals.TraverseStmt(m_entry.getBody());
        m_source.stack_bytes = locals.bytes;
        for (const KnownObject& object : m_items.values->objects) {
            m_source.heap_bytes += object.kind == KnownObject::Kind::heap ? (object.bytes + 15) / 16 * 16 : 0;
        }
        if (m_items.obstacle.empty()) {
            make_steps();
            while (fuse_one()) {
            }
        }
        if (!m_items.obstacle.empty() || m_steps.empty()) {
            whole();
        } else {
            m_hoisted.TraverseStmt(m_entry.getBody());
            m_source.variables = m_types.definitions;
            m_source.variables.insert(m_source.variables.end(), m_hoisted.definitions.begin(),
                                      m_hoisted.definitions.end());
            share_locals();
            find_result();
            write_steps();
        }
        return std::move(m_source);
    }

private:
    using Items = std::vector<std::size_t>;

    void make_steps() {
        Items open;
        for (std::size_t i = 0; i < m_items.items.size(); ++i) {
            open.push_back(i);
            if (m_items.items[i].is_heavy) {
                m_steps.push_back(std::move(open));
                open.clear();
            }
        }
        if (!open.empty() && m_steps.empty()) {
            m_steps.emplace_back();
        }
        for (const std::size_t item : open) {
            m_steps.back().push_back(item);
        }
    }

    std::map<int, std::pair<int, int>> uses() const {
        std::map<int, std::pair<int, int>> found;
        for (std::size_t s = 0; s < m_steps.size(); ++s) {
            for (const std::size_t item : m_steps[s]) {
                for (const int object : m_items.items[item].objects) {
                    found.try_emplace(object, static_cast<int>(s), static_cast<int>(s)).first->second.second =
                        static_cast<int>(s);
                }
            }
        }
        return found;
    }

    bool is_local(int object) const {
        const KnownObject::Kind kind = m_items.values->at(object).kind;
        return kind == KnownObject::Kind::local || kind == KnownObject::Kind::heap;
    }

    std::string why_not_shared(int number) const {
        const KnownObject& object = m_items.values->at(number);
        if (object.kind == KnownObject::Kind::heap) {
            return "";
        }
        const clang::QualType type = object.declaration->getType();
        if (type.isVolatileQualified()) {
            return "it is volatile";
        }
        if (has_pointer(type)) {
            return "it holds a pointer whose value is known only when it runs";
        }
        return object.alignment > k_arena_alignment_max ? "it is aligned to more than 16 bytes" : "";
    }

    bool fuse_one() {
        for (const auto& [object, range] : uses()) {
            if (!is_local(object) || range.first == range.second) {
                continue;
            }
            const std::string reason = why_not_shared(object);
            if (reason.empty()) {
                continue;
            }
            const clang::ValueDecl* declaration = m_items.values->at(object).declaration;
            m_source.notes.push_back(
                {locate(m_context, declaration->getLocation()),
                 fmt::format("local '{}' cannot be shared by steps: {}; {} steps that use it stay one",
                             declaration->getNameAsString(), reason, range.second - range.first + 1)});
            Items all;
            for (int s = range.first; s <= range.second; ++s) {
                const Items& one = m_steps[static_cast<std::size_t>(s)];
                all.insert(all.end(), one.begin(), one.end());
            }
            m_steps.erase(m_steps.begin() + range.first + 1, m_steps.begin() + range.second + 1);
            m_steps[static_cast<std::size_t>(range.first)] = std::move(all);
            return true;
        }
        return false;
    }

    void share_locals() {
        std::vector<std::pair<std::pair<int, int>, int>> shared;
        for (const auto& [object, range] : uses()) {
            if (is_local(object) && range.first != range.second) {
                shared.push_back({range, object});
            }
        }
        std::sort(shared.begin(), shared.end());
        for (const auto& [range, object] : shared) {
            const KnownObject& known = m_items.values->at(object);
            m_shared[object] = static_cast<int>(m_source.locals.size());
            m_source.locals.push_back(
                {known.name, known.type, known.bytes, known.alignment, range.first, range.second});
        }
    }

    bool returns_early(std::size_t step) const {
        const bool can = std::any_of(m_steps[step].begin(), m_steps[step].end(),
                                     [&](std::size_t item) { return m_items.items[item].may_return; });
        return can && (!m_reading.returning || (step < m_reading.returning->size() && (*m_reading.returning)[step]));
    }

    // What is returned matters unless it is always the same.
    void find_result() {
        if (m_entry.getReturnType()->isVoidType()) {
            return;
        }
        bool is_constant = true;
        for (std::size_t s = 0; s < m_steps.size(); ++s) {
            is_constant = is_constant && !returns_early(s);
        }
        for (const EntryItem& item : m_items.items) {
            if (item.kind == EntryItem::Kind::result) {
                is_constant = is_constant && !item.is_heavy &&
                              m_items.values->value(llvm::cast<clang::Expr>(*item.statement), *item.environment);
            }
        }
        if (!is_constant) {
            use_result();
        }
    }

    void use_result() {
        m_source.result_bytes = m_context.getTypeSizeInChars(m_entry.getReturnType()).getQuantity();
        m_result_type = type_text(m_context, m_entry.getReturnType());
    }

    void write_steps() {
        bool can_have_returned = false;
        for (std::size_t s = 0; s < m_steps.size(); ++s) {
            const bool returns = returns_early(s);
            StepTextInput input{&m_context,      &m_items,      m_shared,
                                m_hoisted.names, m_result_type, m_reading.returning ? 0 : static_cast<int>(s)};
            StepText text(input);
            SourceStep step;
            std::string head;
            const std::string flag = m_reading.returning && (returns || can_have_returned)
                                         ? text.address({StepAddress::Base::returned, 0, 0, false}, "unsigned char *")
                                         : "";
            if (m_reading.returning && can_have_returned) {
                head = fmt::format("    if (*{} != 0) {{\n        return;\n    }}\n", flag);
            } else if (m_reading.returning && returns) {
                head = fmt::format("    *{} = 0;\n", flag);
            }
            for (const std::size_t item : m_steps[s]) {
                text.add(m_items.items[item]);
                describe(m_items.items[item], step);
            }
            step.may_return = returns;
            can_have_returned = can_have_returned || returns;
            step.body = text.declarations() + head + text.statements();
            step.addresses = text.take_addresses();
            m_source.steps.push_back(std::move(step));
        }
    }

    void describe(const EntryItem& item, SourceStep& step) const {
        if (item.kind == EntryItem::Kind::zeros) {
            return;
        }
        if (step.location.line == 0 || (step.name.empty() && item.is_heavy)) {
            step.name = item.name;
            step.location = item.location;
            step.text = item.text;
        }
    }

    // The entry as one step: called as it is.
    void whole() {
        SourceStep step;
        step.name = m_entry.getNameAsString();
        step.location = locate(m_context, m_entry.getLocation());
        step.text = step.name + "(…)";
        if (!m_items.obstacle.empty()) {
            m_source.notes.push_back(
                {m_items.obstacle_at, fmt::format("{} stays one step: {}", step.name, m_items.obstacle)});
        }
        if (!m_entry.getReturnType()->isVoidType()) {
            use_result();
        }
        m_source.locals.clear();
        m_shared.clear();
        StepTextInput input{&m_context, &m_items, {}, {}, m_result_type, 0};
        StepText text(input);
        std::string arguments;
        for (const clang::ParmVarDecl* parameter : m_entry.parameters()) {
            const std::string type = type_text(m_context, parameter->getType());
            const auto value = m_reading.values.find(parameter->getNameAsString());
            const clang::QualType target = parameter->getType()->getPointeeType();
            std::string argument;
            if (value != m_reading.values.end()) {
                argument = fmt::format("({}){}", type, value->second);
            } else {
                argument =
                    text.address({StepAddress::Base::parameter, static_cast<int>(parameter->getFunctionScopeIndex()), 0,
                                  m_context.getBaseElementType(target).isConstQualified()},
                                 type);
            }
            arguments += (arguments.empty() ? "" : ", ") + argument;
        }
        const std::string call = fmt::format("{}({});", step.name, arguments);
        text.line(m_result_type.empty()
                      ? call
                      : fmt::format("*{} = {}",
                                    text.address({StepAddress::Base::result, 0, 0, false}, m_result_type + " *"),
                                    call));
        step.body = text.statements();
        step.addresses = text.take_addresses();
        m_source.steps.push_back(std::move(step));
    }

    clang::ASTContext& m_context;
    const clang::FunctionDecl& m_entry;
    const EntryReading& m_reading;
    LocalTypes m_types;
    EntryItems m_items;
    Hoisted m_hoisted;
    std::vector<Items> m_steps;
    std::map<int, int> m_shared;
    std::string m_result_type;
    EntrySource m_source;
};

bool lacks_values(const clang::FunctionDecl& entry, const EntryReading& reading) {
    return std::any_of(entry.param_begin(), entry.param_end(), [&](const clang::ParmVarDecl* parameter) {
        return !parameter->getType()->isPointerType() && !reading.values.contains(parameter->getNameAsString());
    });
}

std::string why_not_woven(const clang::FunctionDecl& entry) {
    if (entry.getReturnType()->isRecordType() || entry.isVariadic()) {
        return "it returns a struct by value or takes a variable number of arguments";
    }
    return entry.getReturnType()->isPointerType()
               ? "it returns a pointer, and what that leads to is not known to its caller"
               : "";
}

// Values by name instead of by position ("#2").
EntryReading named(const clang::FunctionDecl& entry, EntryReading reading) {
    for (const clang::ParmVarDecl* parameter : entry.parameters()) {
        const auto at = reading.values.find(fmt::format("#{}", parameter->getFunctionScopeIndex()));
        if (at != reading.values.end()) {
            reading.values[parameter->getNameAsString()] = at->second;
        }
    }
    return reading;
}

Status check_parameters(const Function& entry, const EntryReading& reading) {
    const std::string where = fmt::format("{}:{}", entry.location.file, entry.location.line);
    for (std::size_t p = 0; p < entry.parameters.size(); ++p) {
        const Parameter& parameter = entry.parameters[p];
        const bool has_value =
            reading.values.contains(parameter.name) || reading.values.contains(fmt::format("#{}", p));
        if (!parameter.is_pointer && !has_value) {
            return fail_with_hint(
                ErrorCode::model, where,
                fmt::format("parameter '{}' of {} is passed by value ({}), and nothing says its value", parameter.name,
                            entry.name, parameter.type),
                fmt::format("say what the caller passes: --parameter {}=constant:NUMBER", parameter.name));
        }
        if (parameter.is_pointer && parameter.name.empty()) {
            return fail_with_hint(ErrorCode::model, where, fmt::format("a parameter of {} has no name", entry.name),
                                  "give it one");
        }
    }
    return {};
}

}  // namespace

Result<EntrySource> read_entry_source(const FrontEndInput& input, const EntryReading& reading) {
    std::optional<EntrySource> found;
    std::string refusal;
    for (std::size_t i = 0; i < input.sources.size() && !found; ++i) {
        llvm::LLVMContext code;
        const auto look = [&](clang::ASTContext& context) {
            for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
                const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
                if (!function || !function->getIdentifier() || function->getName() != input.entry ||
                    !function->isThisDeclarationADefinition()) {
                    continue;
                }
                refusal = why_not_woven(*function);
                const EntryReading by_name = named(*function, reading);
                if (!refusal.empty() || lacks_values(*function, by_name)) {
                    found.emplace();  // check_parameters says which
                    return;
                }
                found = SourceBuilder(context, *function, by_name).build();
                found->layout = layout_condition(context);
            }
        };
        MM_TRY(const ParsedUnit parsed, parse_unit(input, static_cast<int>(i), code, look));
        if (found) {
            const auto entry =
                std::find_if(parsed.facts.functions.begin(), parsed.facts.functions.end(),
                             [&](const UnitFunction& f) { return f.facts.name == input.entry && f.facts.is_defined; });
            if (entry == parsed.facts.functions.end()) {
                return fail(ErrorCode::internal, input.entry, "the entry is in a system header");
            }
            found->source = input.sources[i];
            found->function = entry->facts;
        }
    }
    if (!found) {
        MM_TRY(const CodeModel unused, analyse(input));  // tells the nearest names
        return fail(ErrorCode::internal, input.entry, "the entry was found by one reader only");
    }
    if (!refusal.empty()) {
        return fail(ErrorCode::model,
                    fmt::format("{}:{}", found->function.location.file, found->function.location.line),
                    "the inference entry '{}' cannot be woven: {}", input.entry, refusal);
    }
    MM_CHECK(check_parameters(found->function, reading));
    return std::move(*found);
}

}  // namespace metamorph::cfront
