// The inference entry as a straight list of calls. Understood: calls whose value is not used, declarations without side
// effects, `(void)x;`, blocks, `do { … } while (0)`, a return at the end. Anything else (a branch, a loop, an
// assignment) is refused with its place. What the arguments are is not decided here: their addresses are read from the
// intermediate code, where casts, array decay, members and constant expressions are all folded to object + offset.
#include "cfront/ast_facts.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace metamorph::cfront {
namespace {

std::string on_one_line(llvm::StringRef text) {
    std::string line;
    for (const char c : text) {
        const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!is_space) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    return line;
}

class EntryReader {
public:
    explicit EntryReader(clang::ASTContext& context) : m_context(context) {}

    EntryBody read(const clang::FunctionDecl& function) {
        read_statement(function.getBody());
        return std::move(m_body);
    }

private:
    std::string text_of(clang::SourceRange range) const {
        const clang::SourceManager& sources = m_context.getSourceManager();
        return on_one_line(
            clang::Lexer::getSourceText(sources.getExpansionRange(range), sources, m_context.getLangOpts()));
    }

    void refuse(const clang::Stmt& statement, std::string what) {
        const SourceLocation at = locate(m_context, statement.getBeginLoc());
        m_body.refusal = Error{ErrorCode::model,
                               "the inference entry is not a straight list of calls: " + std::move(what),
                               fmt::format("{}:{}", at.file, at.line),
                               "an entry may hold calls, declarations of locals and `(void)x;`",
                               {}};
    }

    void read_statement(const clang::Stmt* statement) {
        if (m_body.refusal) {
            return;
        }
        if (m_has_returned && !llvm::isa<clang::NullStmt>(statement)) {
            refuse(*statement, "statements follow a return");
        } else if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement)) {
            for (const clang::Stmt* inner : block->body()) {
                read_statement(inner);
            }
        } else if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(statement)) {
            read_declarations(*declarations);
        } else if (const auto* loop = llvm::dyn_cast<clang::DoStmt>(statement); loop && runs_once(*loop)) {
            read_statement(loop->getBody());
        } else if (const auto* end = llvm::dyn_cast<clang::ReturnStmt>(statement)) {
            m_has_returned = true;
            if (end->getRetValue() && !end->getRetValue()->isEvaluatable(m_context)) {
                refuse(*statement, "it returns a value that is not constant");
            }
        } else if (const auto* expression = llvm::dyn_cast<clang::Expr>(statement)) {
            read_expression(*expression);
        } else if (!llvm::isa<clang::NullStmt>(statement)) {
            refuse(*statement, fmt::format("it holds a {}", statement->getStmtClassName()));
        }
    }

    bool runs_once(const clang::DoStmt& loop) const {
        bool value = true;
        return !loop.getCond()->isValueDependent() && loop.getCond()->EvaluateAsBooleanCondition(value, m_context) &&
               !value;
    }

    void read_declarations(const clang::DeclStmt& statement) {
        for (const clang::Decl* declaration : statement.decls()) {
            const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
            if (variable == nullptr || variable->hasGlobalStorage()) {
                continue;
            }
            const clang::QualType type = variable->getType();
            const clang::Expr* initial = variable->getInit();
            if (type->isVariablyModifiedType()) {
                refuse(statement, fmt::format("the extent of local '{}' is not constant", variable->getNameAsString()));
            } else if (initial && initial->HasSideEffects(m_context)) {
                refuse(statement, fmt::format("local '{}' is initialised by a call", variable->getNameAsString()));
            } else if (initial && !type->isScalarType()) {
                refuse(statement, fmt::format("local '{}' is initialised", variable->getNameAsString()));
            } else {
                const clang::QualType element = m_context.getBaseElementType(type);
                m_body.locals.push_back({variable->getNameAsString(),
                                         element.getAsString(m_context.getPrintingPolicy()),
                                         m_context.getTypeSizeInChars(element).getQuantity()});
            }
        }
    }

    void read_expression(const clang::Expr& whole) {
        const clang::Expr* expression = whole.IgnoreParens();
        if (const auto* cast = llvm::dyn_cast<clang::CStyleCastExpr>(expression);
            cast && cast->getType()->isVoidType()) {
            expression = cast->getSubExpr()->IgnoreParens();
        }
        if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) {
            read_call(*call);
        } else if (expression->HasSideEffects(m_context)) {
            refuse(whole, fmt::format("it holds `{}`", text_of(whole.getSourceRange())));
        }
    }

    void read_call(const clang::CallExpr& call) {
        const clang::FunctionDecl* callee = call.getDirectCallee();
        if (callee == nullptr) {
            return refuse(call, "it calls through a pointer");
        }
        EntryCall step{
            callee->getNameAsString(), locate(m_context, call.getBeginLoc()), text_of(call.getSourceRange()), {}};
        for (unsigned i = 0; i < call.getNumArgs(); ++i) {
            const clang::Expr& argument = *call.getArg(i);
            if (argument.HasSideEffects(m_context)) {
                return refuse(
                    call, fmt::format("an argument of {} is `{}`", step.callee, text_of(argument.getSourceRange())));
            }
            const clang::QualType type =
                i < callee->getNumParams() ? callee->getParamDecl(i)->getType() : argument.getType();
            step.arguments.push_back(
                {text_of(argument.getSourceRange()), type.getAsString(m_context.getPrintingPolicy())});
        }
        m_body.calls.push_back(std::move(step));
    }

    clang::ASTContext& m_context;
    EntryBody m_body;
    bool m_has_returned = false;
};

}  // namespace

EntryBody read_entry_body(clang::ASTContext& context, const clang::FunctionDecl& function) {
    return EntryReader(context).read(function);
}

}  // namespace metamorph::cfront
