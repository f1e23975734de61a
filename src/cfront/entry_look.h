// What is inside of statements, as Clang's visitors find it. For entry_items.cpp and entry_start.cpp.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/Stmt.h>

namespace metamorph::cfront {

inline const clang::VarDecl* assigned_variable(const clang::Expr& target) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(target.IgnoreParens());
    return reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

inline bool is_library_name(llvm::StringRef name) {
    return name == "memcpy" || name == "memset" || name == "memmove" || name == "free" || name == "malloc" ||
           name == "calloc";
}

// A call that could be a layer: of a function of the program that gets memory to work on.
inline bool is_layer_call(const clang::CallExpr& call) {
    const clang::FunctionDecl* callee = call.getDirectCallee();
    if (callee && (callee->getBuiltinID() != 0 || is_library_name(callee->getName()))) {
        return false;
    }
    return std::any_of(call.arg_begin(), call.arg_end(),
                       [](const clang::Expr* argument) { return argument->getType()->isPointerType(); });
}

class Finder : public clang::RecursiveASTVisitor<Finder> {
public:
    bool VisitCallExpr(clang::CallExpr* call) {
        first_call = first_call ? first_call : call;
        if (is_layer_call(*call)) {
            layer_call = layer_call ? layer_call : call;
        } else if (const clang::FunctionDecl* callee = call->getDirectCallee();
                   callee && (callee->getName().starts_with("mem") || callee->getName().starts_with("__builtin_mem"))) {
            moves_memory = true;
        } else if (callee && callee->getReturnType()->isVoidType() && callee->hasBody() && !is_inside) {
            Finder body;
            body.is_inside = true;
            body.TraverseStmt(callee->getBody());
            fills_statics = fills_statics || body.loops || body.moves_memory || body.layer_call;
        }
        return true;
    }
    bool VisitForStmt(clang::ForStmt*) { return loops = true; }
    bool VisitWhileStmt(clang::WhileStmt*) { return loops = true; }
    bool VisitDoStmt(clang::DoStmt*) { return loops = true; }
    bool VisitReturnStmt(clang::ReturnStmt*) { return returns = true; }
    bool VisitGotoStmt(clang::GotoStmt* jump) { return found(*jump, "a goto"); }
    bool VisitIndirectGotoStmt(clang::IndirectGotoStmt* jump) { return found(*jump, "a computed goto"); }
    bool VisitLabelStmt(clang::LabelStmt* label) { return found(*label, "a label"); }
    bool VisitAsmStmt(clang::AsmStmt* code) { return found(*code, "inline assembly"); }

    const clang::CallExpr* first_call = nullptr;
    const clang::CallExpr* layer_call = nullptr;
    bool moves_memory = false, loops = false, returns = false;
    bool fills_statics = false;  // it calls what gets no memory and gives nothing back, but works: a table is made, say
    const clang::Stmt* strange = nullptr;
    std::string what;

private:
    bool is_inside = false;  // of a function that is called: only what it does itself counts
    bool found(const clang::Stmt& statement, std::string name) {
        if (!strange) {
            strange = &statement;
            what = std::move(name);
        }
        return true;
    }
};

inline Finder look_into(const clang::Stmt& statement) {
    Finder finder;
    finder.TraverseStmt(const_cast<clang::Stmt*>(&statement));
    return finder;
}

// Break and continue that leave the statement.
inline bool jumps_out(const clang::Stmt* statement) {
    if (statement == nullptr || llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(statement)) {
        return false;
    }
    if (llvm::isa<clang::BreakStmt, clang::ContinueStmt>(statement)) {
        return true;
    }
    return std::any_of(statement->child_begin(), statement->child_end(), jumps_out);
}

class Changes : public clang::RecursiveASTVisitor<Changes> {
public:
    bool VisitUnaryOperator(clang::UnaryOperator* operation) {
        const clang::VarDecl* variable = assigned_variable(*operation->getSubExpr());
        if (variable && operation->isIncrementDecrementOp()) {
            changed.insert(variable);
        }
        if (variable && operation->getOpcode() == clang::UO_AddrOf) {
            exposed.insert(variable);
        }
        return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* operation) {
        if (const clang::VarDecl* variable = assigned_variable(*operation->getLHS());
            variable && operation->isAssignmentOp()) {
            changed.insert(variable);
        }
        return true;
    }
    std::set<const clang::VarDecl*> changed, exposed;
};

class Mentions : public clang::RecursiveASTVisitor<Mentions> {
public:
    bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
            variable && variable->hasLocalStorage()) {
            variables.insert(variable);
        }
        return true;
    }
    std::set<const clang::VarDecl*> variables;
};

}  // namespace metamorph::cfront
