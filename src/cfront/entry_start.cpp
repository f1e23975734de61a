// What is known before the first statement of an entry, and what can be said of single declarations and expressions.
#include "cfront/entry_items.h"
#include "cfront/entry_look.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include "cfront/ast_facts.h"

namespace metamorph::cfront {

std::string spelled_on_one_line(const clang::ASTContext& context, clang::SourceRange range) {
    const clang::SourceManager& sources = context.getSourceManager();
    std::string line;
    for (const char c : clang::Lexer::getSourceText(sources.getExpansionRange(range), sources, context.getLangOpts())) {
        const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!is_space) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    return line;
}

bool is_hoisted(const clang::ASTContext& context, const clang::VarDecl& variable) {
    if (variable.isStaticLocal()) {
        return true;
    }
    const clang::QualType element = context.getBaseElementType(variable.getType());
    const bool is_whole = variable.getType()->isArrayType() || variable.getType()->isRecordType();
    return variable.hasLocalStorage() && !llvm::isa<clang::ParmVarDecl>(variable) && is_whole &&
           element.isConstQualified() && variable.getInit() &&
           variable.getInit()->isConstantInitializer(const_cast<clang::ASTContext&>(context), false);
}

bool frees_known_heap(const clang::Expr& expression, EntryValues& values, const Environment& environment) {
    const auto* call = llvm::dyn_cast<clang::CallExpr>(expression.IgnoreParens());
    const clang::FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
    if (!callee || !callee->getIdentifier() || callee->getName() != "free" || call->getNumArgs() != 1) {
        return false;
    }
    const std::optional<KnownAddress> at = values.address(*call->getArg(0)->IgnoreParenImpCasts(), environment);
    const std::optional<KnownAddress> as_is = at ? at : values.address(*call->getArg(0), environment);
    return as_is && values.at(as_is->object).kind == KnownObject::Kind::heap;
}

Environment at_start(clang::ASTContext& context, const clang::FunctionDecl& entry, EntryValues& values,
                     const std::map<std::string, std::int64_t>& given) {
    Environment known;
    for (const clang::ParmVarDecl* parameter : entry.parameters()) {
        const auto value = given.find(parameter->getNameAsString());
        const clang::QualType type = parameter->getType();
        if (type->isPointerType()) {
            const bool is_null = value != given.end() && value->second == 0;
            known[parameter] = {std::nullopt, KnownAddress{is_null ? 0 : values.object_of(*parameter), 0}};
        } else if (value != given.end() && type->isIntegralOrEnumerationType()) {
            llvm::APSInt number =
                llvm::APSInt::get(value->second).extOrTrunc(static_cast<unsigned>(context.getTypeSize(type)));
            number.setIsSigned(type->isSignedIntegerOrEnumerationType());
            known[parameter] = {number, std::nullopt};
        }
    }
    return known;
}

void find_obstacle(clang::ASTContext& context, const clang::FunctionDecl& entry,
                   const std::set<const clang::VarDecl*>& unfollowed, EntryItems& found) {
    const Finder inside = look_into(*entry.getBody());
    if (inside.strange) {
        found.obstacle = "it has " + inside.what;
        found.obstacle_at = locate(context, inside.strange->getBeginLoc());
        return;
    }
    for (const clang::VarDecl* local : found.locals) {
        if (local->getType()->isVariablyModifiedType() && !llvm::isa<clang::ParmVarDecl>(local)) {
            found.obstacle =
                fmt::format("the size of its local '{}' is known only when it runs", local->getNameAsString());
            found.obstacle_at = locate(context, local->getLocation());
            return;
        }
    }
    if (found.items.size() > k_items_max) {
        found.obstacle = fmt::format("it has more than {} statements", k_items_max);
        found.obstacle_at = locate(context, entry.getLocation());
    }
    for (const clang::ParmVarDecl* parameter : entry.parameters()) {
        if (unfollowed.contains(parameter)) {
            found.obstacle = fmt::format("its parameter '{}' changes in a way that is not known before it runs",
                                         parameter->getNameAsString());
            found.obstacle_at = locate(context, parameter->getLocation());
        }
    }
}

}  // namespace metamorph::cfront
