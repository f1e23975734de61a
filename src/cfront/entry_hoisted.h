// Declarations inside of an entry that matter to its steps. For entry_source.cpp.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <fmt/format.h>

#include "cfront/entry_items.h"

namespace metamorph::cfront {

inline bool has_pointer(clang::QualType type) {
    type = type.getCanonicalType();
    if (type->isPointerType()) {
        return true;
    }
    if (const auto* array = type->getAsArrayTypeUnsafe()) {
        return has_pointer(array->getElementType());
    }
    const clang::RecordDecl* record = type->getAsRecordDecl();
    return record && std::any_of(record->field_begin(), record->field_end(),
                                 [](const clang::FieldDecl* field) { return has_pointer(field->getType()); });
}

class LocalTypes : public clang::RecursiveASTVisitor<LocalTypes> {
public:
    bool VisitTagDecl(clang::TagDecl*) { return found = true; }
    bool VisitTypedefNameDecl(clang::TypedefNameDecl*) { return found = true; }
    bool found = false;
};

// The static locals and constant tables of the entry: new variables take their place.
class Hoisted : public clang::RecursiveASTVisitor<Hoisted> {
public:
    Hoisted(clang::ASTContext& context, std::string prefix) : m_context(context), m_prefix(std::move(prefix)) {}

    bool VisitVarDecl(clang::VarDecl* variable) {
        if (!is_hoisted(m_context, *variable) || names.contains(variable)) {
            return true;
        }
        std::string name = m_prefix + "_v_" + variable->getNameAsString();
        if (const int earlier = m_seen[name]++; earlier > 0) {
            name += fmt::format("_{}", earlier + 1);
        }
        names[variable] = name;
        const bool is_const = m_context.getBaseElementType(variable->getType()).isConstQualified();
        std::string text = name;
        variable->getType().getAsStringInternal(text, m_context.getPrintingPolicy());
        if (variable->getInit()) {
            std::string value;
            llvm::raw_string_ostream out(value);
            variable->getInit()->printPretty(out, nullptr, m_context.getPrintingPolicy());
            text += " = " + out.str();
        }
        definitions.push_back((is_const ? "static " : "") + text + ";");
        return true;
    }

    std::map<const clang::VarDecl*, std::string> names;
    std::vector<std::string> definitions;

private:
    clang::ASTContext& m_context;
    std::string m_prefix;
    std::map<std::string, int> m_seen;
};

}  // namespace metamorph::cfront
