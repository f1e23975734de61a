// Clang prints the statements; we print what must differ. Declarations and the heads of loops have to be printed here
// too, since Clang prints what is inside of them without asking.
#include "cfront/step_text.h"

#include <algorithm>

#include <clang/AST/Expr.h>
#include <clang/AST/PrettyPrinter.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

namespace metamorph::cfront {

std::string type_text(const clang::ASTContext& context, clang::QualType type) {
    return type.getUnqualifiedType().getAsString(context.getPrintingPolicy());
}

class StepPrinter : public clang::PrinterHelper {
public:
    StepPrinter(StepText& text, const Environment& environment, unsigned indent)
        : m_text(text), m_environment(environment), m_indent(indent) {}

    bool handledStmt(clang::Stmt* statement, llvm::raw_ostream& out) override {
        if (const auto* expression = llvm::dyn_cast<clang::Expr>(statement)) {
            return expression->getType()->isPointerType() && print_address(*expression, out)
                       ? true
                       : print_value(*expression, out);
        }
        if (const auto* end = llvm::dyn_cast<clang::ReturnStmt>(statement)) {
            out << indentation() << print_return(*end) << "\n";
            return true;
        }
        if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(statement)) {
            out << print_declarations(*declarations) << "\n";
            return true;
        }
        if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(statement)) {
            print_for(*loop, out);
            return true;
        }
        return false;
    }

private:
    EntryValues& values() { return *m_text.m_input.entry->values; }
    clang::ASTContext& context() { return *m_text.m_input.context; }
    std::string indentation() const { return std::string(4U * m_indent, ' '); }
    std::string nested(const clang::Stmt& statement) { return m_text.print(statement, m_environment, m_indent + 1); }

    bool print_address(const clang::Expr& expression, llvm::raw_ostream& out) {
        const std::optional<KnownAddress> at = values().address(expression, m_environment);
        if (!at) {
            return false;
        }
        const KnownObject& object = values().at(at->object);
        // An array parameter of variable length: its dimensions are known inside of the function only.
        const std::string type = expression.getType()->isVariablyModifiedType()
                                     ? std::string("void *")
                                     : type_text(context(), expression.getType());
        switch (object.kind) {
            case KnownObject::Kind::null:
                out << "((" << type << ")0)";
                return true;
            case KnownObject::Kind::function:
                out << object.declaration->getNameAsString();
                return true;
            case KnownObject::Kind::global:
                if (!names_followed(expression)) {
                    return false;
                }
                out << fmt::format("(({})((char *)&{} + {}))", type, global_name(*object.declaration), at->offset);
                return true;
            default:
                if (object.kind == KnownObject::Kind::local && !m_text.is_shared(at->object) &&
                    !names_followed(expression)) {
                    return false;
                }
                out << m_text.object_text(at->object, type, at->offset);
                return true;
        }
    }

    // Whether it holds a variable that has no counterpart in the step.
    bool names_followed(const clang::Stmt& statement) const {
        if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
            const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
            return variable && m_text.m_input.entry->followed.contains(variable);
        }
        return std::any_of(statement.child_begin(), statement.child_end(),
                           [&](const clang::Stmt* child) { return child && names_followed(*child); });
    }

    std::string global_name(const clang::ValueDecl& declaration) const {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
        const auto hoisted = variable ? m_text.m_input.hoisted.find(variable) : m_text.m_input.hoisted.end();
        return hoisted == m_text.m_input.hoisted.end() ? declaration.getNameAsString() : hoisted->second;
    }

    bool print_value(const clang::Expr& expression, llvm::raw_ostream& out) {
        if (frees_known_heap(expression, values(), m_environment)) {
            out << "(void)0";
            return true;
        }
        const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression);
        const auto* variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
        if (!variable) {
            return false;
        }
        if (m_text.m_input.hoisted.contains(variable)) {
            out << m_text.m_input.hoisted.at(variable);
            return true;
        }
        if (!m_text.m_input.entry->locals.contains(variable)) {
            return false;
        }
        const std::string type = type_text(context(), variable->getType());
        if (const auto known = m_environment.find(variable);
            known != m_environment.end() && m_text.m_input.entry->followed.contains(variable)) {
            if (known->second.integer) {
                const llvm::APSInt& number = *known->second.integer;
                if (type == "int" && !number.isNegative()) {
                    out << llvm::toString(number, 10U);
                    return true;
                }
                out << fmt::format("(({})({}{}))", type, llvm::toString(number, 10U), number.isSigned() ? "LL" : "ULL");
            } else {
                out << m_text.object_text(known->second.address->object, type, known->second.address->offset);
            }
            return true;
        }
        const int object = values().object_of(*variable);
        if (m_text.is_shared(object)) {
            const clang::QualType pointer = context().getPointerType(variable->getType().getUnqualifiedType());
            out << "(*" << m_text.object_text(object, type_text(context(), pointer), 0) << ")";
        } else {
            m_text.m_own.insert(object);
            out << values().at(object).name;
        }
        return true;
    }

    std::string print_return(const clang::ReturnStmt& end) {
        std::string text = "{ ";
        if (const clang::Expr* value = end.getRetValue(); value && !m_text.m_input.result_type.empty()) {
            text +=
                fmt::format("*{} = {}; ",
                            m_text.address({StepAddress::Base::result, 0, 0, false}, m_text.m_input.result_type + " *"),
                            nested(*value));
        }
        return text + fmt::format("*{} = 1; return; }}",
                                  m_text.address({StepAddress::Base::returned, 0, m_text.m_input.returned_at, false},
                                                 "unsigned char *"));
    }

    std::string print_declarations(const clang::DeclStmt& statement) {
        std::string text;
        for (const clang::Decl* declaration : statement.decls()) {
            const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
            if (!variable || m_text.m_input.hoisted.contains(variable)) {
                continue;
            }
            text += (text.empty() ? indentation() : " ") +
                    m_text.declaration(variable->getType(), variable->getNameAsString());
            if (variable->getInit()) {
                text += " = " + nested(*variable->getInit());
            }
            text += ";";
        }
        return text.empty() ? indentation() + ";" : text;
    }

    std::string body(const clang::Stmt& statement) {
        const std::string text = nested(statement);
        return llvm::isa<clang::Expr>(statement) ? indentation() + "    " + text + ";" : text;
    }

    void print_for(const clang::ForStmt& loop, llvm::raw_ostream& out) {
        const auto* declarations = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
        const bool has_block = declarations && std::distance(declarations->decl_begin(), declarations->decl_end()) > 1;
        out << indentation();
        if (has_block) {
            out << "{" << print_declarations(*declarations) << " for (;";
        } else if (declarations) {
            const std::string text = print_declarations(*declarations);
            out << "for (" << text.substr(text.find_first_not_of(' '));
        } else {
            out << "for (" << (loop.getInit() ? nested(*loop.getInit()) : "") << ";";
        }
        const bool has_braces = llvm::isa<clang::CompoundStmt>(loop.getBody());
        out << " " << (loop.getCond() ? nested(*loop.getCond()) : "") << "; "
            << (loop.getInc() ? nested(*loop.getInc()) : "") << ")\n"
            << (has_braces ? m_text.print(*loop.getBody(), m_environment, m_indent) : body(*loop.getBody()))
            << (has_block ? " }" : "") << "\n";
    }

    StepText& m_text;
    const Environment& m_environment;
    unsigned m_indent;
};

std::string StepText::print(const clang::Stmt& statement, const Environment& environment, unsigned indent) {
    std::string text;
    llvm::raw_string_ostream out(text);
    StepPrinter printer(*this, environment, indent);
    clang::PrintingPolicy policy = m_input.context->getPrintingPolicy();
    policy.Indentation = 2;  // Clang's unit is two spaces
    statement.printPretty(out, &printer, policy, 2 * indent, "\n", m_input.context);
    out.flush();
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

std::string StepText::declaration(clang::QualType type, const std::string& name) const {
    clang::Qualifiers unused;
    const clang::QualType bare = m_input.context->getUnqualifiedArrayType(type, unused);
    std::string text = name;
    bare.getAsStringInternal(text, m_input.context->getPrintingPolicy());
    return text;
}

std::string StepText::address(const StepAddress& address, const std::string& type) {
    auto known = std::find(m_addresses.begin(), m_addresses.end(), address);
    if (known == m_addresses.end()) {
        m_addresses.push_back(address);
        known = m_addresses.end() - 1;
    }
    return fmt::format("(({})mm_a{})", type, known - m_addresses.begin());
}

std::string StepText::object_text(int number, const std::string& type, std::int64_t offset) {
    const KnownObject& object = m_input.entry->values->at(number);
    switch (object.kind) {
        case KnownObject::Kind::null:
            return fmt::format("(({})0)", type);
        case KnownObject::Kind::function:
            return object.declaration->getNameAsString();
        case KnownObject::Kind::global: {
            const auto hoisted = m_input.hoisted.find(llvm::dyn_cast<clang::VarDecl>(object.declaration));
            return fmt::format("(({})((char *)&{} + {}))", type,
                               hoisted == m_input.hoisted.end() ? object.name : hoisted->second, offset);
        }
        case KnownObject::Kind::parameter: {
            const auto* parameter = llvm::cast<clang::ParmVarDecl>(object.declaration);
            const clang::QualType target = m_input.context->getBaseElementType(parameter->getType()->getPointeeType());
            return address({StepAddress::Base::parameter, object.parameter, offset, target.isConstQualified()}, type);
        }
        default:
            break;
    }
    if (const auto shared = m_input.shared.find(number); shared != m_input.shared.end()) {
        return address({StepAddress::Base::local, shared->second, offset, false}, type);
    }
    m_own.insert(number);
    return fmt::format("(({})((char *)&{} + {}))", type, object.name, offset);
}

std::string StepText::declarations() const {
    std::string text;
    for (const int number : m_own) {
        const KnownObject& object = m_input.entry->values->at(number);
        const auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(object.declaration);
        text += variable ? fmt::format("    {};\n", declaration(variable->getType(), object.name))
                         : fmt::format("    _Alignas(16) unsigned char {}[{}];\n", object.name, object.bytes);
    }
    return text;
}

void StepText::add_initial(const EntryItem& item) {
    const clang::QualType type = item.variable->getType();
    const int object = m_input.entry->values->object_of(*item.variable);
    const clang::QualType pointer =
        m_input.context->getPointerType(m_input.context->getUnqualifiedArrayType(type).getUnqualifiedType());
    std::string target;
    if (is_shared(object)) {
        target = object_text(object, type_text(*m_input.context, pointer), 0);
    } else {
        m_own.insert(object);
        target = "&" + m_input.entry->values->at(object).name;
    }
    const auto& initial = llvm::cast<clang::Expr>(*item.statement);
    const std::string value = print(initial, *item.environment, 0);
    const bool is_list = llvm::isa<clang::InitListExpr>(initial.IgnoreParenImpCasts()) || type->isArrayType();
    if (!is_list) {
        return line(fmt::format("*({}) = {};", target, value));
    }
    const bool is_constant = initial.isConstantInitializer(*m_input.context, false);
    line(fmt::format("{{ {}const {} = {};", is_constant ? "static " : "", declaration(type, "mm_initial"), value));
    line(fmt::format("  __builtin_memcpy({}, &mm_initial, sizeof mm_initial); }}", target));
}

void StepText::add_result(const EntryItem& item) {
    const auto& value = llvm::cast<clang::Expr>(*item.statement);
    const std::string text = print(value, *item.environment, 0);
    if (!m_input.result_type.empty()) {
        line(fmt::format("*{} = {};", address({StepAddress::Base::result, 0, 0, false}, m_input.result_type + " *"),
                         text));
    } else if (value.HasSideEffects(*m_input.context)) {
        line(fmt::format("(void)({});", text));
    }
}

void StepText::add(const EntryItem& item) {
    switch (item.kind) {
        case EntryItem::Kind::initial:
            return add_initial(item);
        case EntryItem::Kind::result:
            return add_result(item);
        case EntryItem::Kind::zeros: {
            const std::string target = object_text(item.heap, "unsigned char *", 0);
            return line(
                fmt::format("__builtin_memset({}, 0, {});", target, m_input.entry->values->at(item.heap).bytes));
        }
        case EntryItem::Kind::statement:
            break;
    }
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(item.statement)) {
        return line(print(*expression, *item.environment, 0) + ";");
    }
    m_statements += print(*item.statement, *item.environment, 1) + "\n";
}

}  // namespace metamorph::cfront
