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

// The types of the entry get names that are unique in the file, so that the file of the steps can define them: all that
// is printed afterwards uses these. Done before anything else looks at the entry.
class LocalTypes : public clang::RecursiveASTVisitor<LocalTypes> {
public:
    LocalTypes(clang::ASTContext& context, const clang::FunctionDecl& entry, std::string prefix)
        : m_context(context), m_prefix(std::move(prefix)) {
        TraverseStmt(entry.getBody());
        const clang::PrintingPolicy& policy = context.getPrintingPolicy();
        for (const clang::Decl* declaration : m_found) {
            std::string text;
            llvm::raw_string_ostream out(text);
            if (const auto* alias = llvm::dyn_cast<clang::TypedefNameDecl>(declaration)) {
                std::string name = alias->getNameAsString();
                alias->getUnderlyingType().getCanonicalType().getAsStringInternal(name, policy);
                out << "typedef " << name;
            } else {
                declaration->print(out, policy);
            }
            definitions.push_back(out.str() + ";");
        }
    }

    bool VisitTagDecl(clang::TagDecl* tag) {
        if (tag->isThisDeclarationADefinition() && tag->getLexicalDeclContext()->isFunctionOrMethod()) {
            rename(*tag);
            m_found.push_back(tag);
        }
        return true;
    }
    bool VisitTypedefNameDecl(clang::TypedefNameDecl* alias) {
        rename(*alias);
        m_found.push_back(alias);
        return true;
    }
    bool VisitEnumConstantDecl(clang::EnumConstantDecl* constant) {
        rename(*constant);
        return true;
    }

    std::vector<std::string> definitions;

private:
    void rename(clang::NamedDecl& declaration) {
        const std::string name = fmt::format("{}_t{}_{}", m_prefix, ++m_count,
                                             declaration.getIdentifier() ? declaration.getName().str() : "");
        declaration.setDeclName(&m_context.Idents.get(name));
    }

    clang::ASTContext& m_context;
    std::string m_prefix;
    int m_count = 0;
    std::vector<const clang::Decl*> m_found;
};

// How many bytes the locals of the entry have, whichever are alive together.
class LocalBytes : public clang::RecursiveASTVisitor<LocalBytes> {
public:
    explicit LocalBytes(clang::ASTContext& context) : m_context(context) {}
    bool VisitVarDecl(clang::VarDecl* variable) {
        const clang::QualType type = variable->getType();
        if (variable->hasLocalStorage() && !type->isVariablyModifiedType() && !type->isIncompleteType()) {
            bytes += m_context.getTypeSizeInChars(type).getQuantity();
        }
        return true;
    }
    std::int64_t bytes = 0;

private:
    clang::ASTContext& m_context;
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
