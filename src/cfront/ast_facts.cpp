// Walks the declarations of one source. Only what syntax tells: names, places, types, extents, who calls whom.
// Definitions in system headers are left out.
#include "cfront/ast_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>

namespace metamorph::cfront {

SourceLocation locate(const clang::ASTContext& context, clang::SourceLocation location) {
    const clang::SourceManager& sources = context.getSourceManager();
    const clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
    return place.isValid() ? SourceLocation{plain_path(place.getFilename()), place.getLine(), place.getColumn()}
                           : SourceLocation{};
}

bool has_pointer(clang::QualType type) {
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

namespace {

std::string spelled(const clang::ASTContext& context, clang::QualType type) {
    return type.getAsString(context.getPrintingPolicy());
}

std::int64_t size_of(const clang::ASTContext& context, clang::QualType type) {
    if (type->isVoidType()) {
        return 1;
    }
    return type->isIncompleteType() || type->isFunctionType() || type->isDependentType() || type->isVariableArrayType()
               ? 0
               : context.getTypeSizeInChars(type).getQuantity();
}

// Strips every array dimension; `count` becomes the number of elements, or nothing where a dimension is not constant.
clang::QualType element_of(const clang::ASTContext& context, clang::QualType type, std::optional<std::int64_t>& count) {
    count = 1;
    while (const clang::ArrayType* array = context.getAsArrayType(type)) {
        const auto* constant = llvm::dyn_cast<clang::ConstantArrayType>(array);
        count = constant && count ? std::optional(*count * static_cast<std::int64_t>(constant->getZExtSize()))
                                  : std::nullopt;
        type = array->getElementType();
    }
    return type;
}

Parameter describe(const clang::ASTContext& context, const clang::ParmVarDecl& declaration) {
    Parameter parameter;
    const clang::QualType original = declaration.getOriginalType();
    parameter.name = declaration.getNameAsString();
    parameter.type = spelled(context, original);
    if (!declaration.getType()->isPointerType()) {
        return parameter;
    }
    parameter.is_pointer = true;
    std::optional<std::int64_t> count;
    clang::QualType element = original;
    if (context.getAsArrayType(original)) {
        element = element_of(context, original, count);
    } else {
        std::optional<std::int64_t> unused;
        element = element_of(context, declaration.getType()->getPointeeType(), unused);
    }
    parameter.element_type = spelled(context, element);
    parameter.is_const = element.isConstQualified();
    parameter.leads_to_pointers = has_pointer(element);
    parameter.element_bytes = size_of(context, element);
    if (count) {
        parameter.extent_bytes = *count * parameter.element_bytes;
    }
    return parameter;
}

class FactsVisitor : public clang::RecursiveASTVisitor<FactsVisitor> {
public:
    FactsVisitor(clang::ASTContext& context, const std::string& entry, int unit, UnitFacts& facts)
        : m_context(context), m_entry(entry), m_unit(unit), m_facts(facts) {}

    bool TraverseFunctionDecl(clang::FunctionDecl* declaration) {
        const bool is_ours = !m_context.getSourceManager().isInSystemHeader(declaration->getLocation());
        if (!declaration->isThisDeclarationADefinition() || !is_ours) {
            return true;
        }
        m_facts.functions.push_back(describe_function(*declaration));
        m_current = m_facts.functions.size() - 1;
        m_static_locals.clear();
        const bool goes_on = TraverseStmt(declaration->getBody());
        m_current.reset();
        if (declaration->getNameAsString() == m_entry) {
            m_facts.entry = read_entry_body(m_context, *declaration);
        }
        return goes_on;
    }

    bool VisitCallExpr(clang::CallExpr* call) {
        if (!m_current) {
            return true;
        }
        const clang::FunctionDecl* callee = call->getDirectCallee();
        if (callee == nullptr) {
            m_facts.functions[*m_current].facts.calls_through_pointer = true;
            return true;
        }
        std::vector<std::string>& calls = m_facts.functions[*m_current].facts.calls;
        const std::string name = callee->getNameAsString();
        if (std::find(calls.begin(), calls.end(), name) == calls.end()) {
            calls.push_back(name);
        }
        if (!callee->hasBody() && m_declared.insert(name).second) {
            m_facts.functions.push_back(describe_function(*callee));
        }
        return true;
    }

    bool VisitAsmStmt(clang::AsmStmt*) {
        if (m_current) {
            m_facts.functions[*m_current].facts.calls_through_pointer = true;
        }
        return true;
    }

    bool VisitVarDecl(clang::VarDecl* declaration) {
        const bool is_ours = !m_context.getSourceManager().isInSystemHeader(declaration->getLocation());
        const bool is_used = declaration->isThisDeclarationADefinition() != clang::VarDecl::DeclarationOnly ||
                             declaration->isReferenced();
        if (declaration->hasGlobalStorage() && is_ours && is_used) {
            m_facts.variables.push_back(describe_variable(*declaration));
        }
        return true;
    }

private:
    UnitFunction describe_function(const clang::FunctionDecl& declaration) {
        UnitFunction function;
        function.facts.name = declaration.getNameAsString();
        function.facts.location = locate(m_context, declaration.getLocation());
        function.facts.return_type = spelled(m_context, declaration.getReturnType());
        for (const clang::ParmVarDecl* parameter : declaration.parameters()) {
            function.facts.parameters.push_back(describe(m_context, *parameter));
        }
        function.facts.is_static = !declaration.isExternallyVisible();
        function.facts.is_inline = declaration.isInlined();
        function.facts.runs_outside_main =
            declaration.hasAttr<clang::ConstructorAttr>() || declaration.hasAttr<clang::DestructorAttr>();
        function.facts.is_defined = declaration.hasBody();
        function.symbol = function.facts.is_static ? internal_symbol(function.facts.name, m_unit) : function.facts.name;
        return function;
    }

    UnitVariable describe_variable(const clang::VarDecl& declaration) {
        UnitVariable variable;
        std::optional<std::int64_t> count;
        const clang::QualType element = element_of(m_context, declaration.getType(), count);
        variable.facts.name = declaration.getNameAsString();
        variable.facts.type = spelled(m_context, declaration.getType());
        variable.facts.location = locate(m_context, declaration.getLocation());
        variable.facts.bytes = count ? *count * size_of(m_context, element) : 0;
        variable.facts.is_const = element.isConstQualified() && !element.isVolatileQualified();
        variable.facts.is_static = !declaration.isExternallyVisible();
        variable.facts.is_volatile = element.isVolatileQualified();
        variable.facts.is_thread_local = declaration.getTLSKind() != clang::VarDecl::TLS_None;
        variable.facts.is_defined = declaration.isThisDeclarationADefinition() != clang::VarDecl::DeclarationOnly;
        std::string name = variable.facts.name;
        if (declaration.isStaticLocal() && m_current) {
            variable.facts.local_to = m_facts.functions[*m_current].facts.name;
            name = variable.facts.qualified_name();
            // Clang names the second one of a function "function.name.1", and so on, within one source.
            if (const int earlier = m_static_locals[name]++; earlier > 0) {
                name += "#" + std::to_string(earlier);
            }
        }
        variable.symbol = variable.facts.is_static ? internal_symbol(name, m_unit) : name;
        return variable;
    }

    clang::ASTContext& m_context;
    const std::string& m_entry;
    int m_unit;
    UnitFacts& m_facts;
    std::optional<std::size_t> m_current;  // function whose body is being walked
    std::set<std::string> m_declared;
    std::map<std::string, int> m_static_locals;
};

}  // namespace

void collect_facts(clang::ASTContext& context, const std::string& entry, int unit, UnitFacts& facts) {
    FactsVisitor(context, entry, unit, facts).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace metamorph::cfront
