// The loop's head stays as it is and its rounds are counted; those that are not asked for are passed over:
//
//     { int mm_round = -1; for (HEAD) { ++mm_round; if (mm_round >= mm_first && mm_round < mm_end) BODY } }
//
// So whatever the head counts with is right, and the front end finds the bytes of a slice by the same means as those of
// any other code. What would be wrong is refused: a local variable from outside of the loop that its body changes, or
// that it could change through an address (passed over, it would not move on), a body that leaves the loop.
//
// Rejected: new bounds for the loop (they are not always constants, nor is the step always one); a number of the round
// that starts at mm_first (pointers that the head moves would not be where they belong).
#include "cfront/loop_rounds.h"

#include <algorithm>
#include <optional>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include "cfront/ast_facts.h"
#include "cfront/unit_parser.h"

namespace metamorph::cfront {
namespace {

// Why rounds of a loop cannot be passed over, with the place.
class BodyCheck : public clang::RecursiveASTVisitor<BodyCheck> {
public:
    BodyCheck(clang::ASTContext& context, const clang::ForStmt& loop) : m_context(context), m_loop(loop) {}

    std::string run(const clang::FunctionDecl& function) {
        TraverseStmt(const_cast<clang::Stmt*>(m_loop.getBody()));
        leaves(m_loop.getBody(), false);
        finds_addresses(function.getBody());
        return m_why_not;
    }

    bool VisitBinaryOperator(clang::BinaryOperator* operation) {
        if (operation->isAssignmentOp()) {
            check_changed(operation->getLHS());
        }
        return true;
    }
    bool VisitUnaryOperator(clang::UnaryOperator* operation) {
        if (operation->isIncrementDecrementOp() || operation->getOpcode() == clang::UO_AddrOf) {
            check_changed(operation->getSubExpr());
        }
        return true;
    }
    bool VisitGotoStmt(clang::GotoStmt* statement) { return refuse(statement->getBeginLoc(), "has a goto"); }
    bool VisitIndirectGotoStmt(clang::IndirectGotoStmt* s) { return refuse(s->getBeginLoc(), "has a goto"); }
    bool VisitReturnStmt(clang::ReturnStmt* statement) { return refuse(statement->getBeginLoc(), "returns"); }

private:
    bool refuse(clang::SourceLocation at, const std::string& what) {
        if (m_why_not.empty()) {
            const SourceLocation place = locate(m_context, at);
            m_why_not = fmt::format("the loop's body {} ({}:{})", what, place.file, place.line);
        }
        return true;
    }

    // The local variable that an expression is, or is a part of; none where it leads through a pointer: that is memory,
    // which the caller has looked at.
    static const clang::VarDecl* local_of(const clang::Expr* expression) {
        const clang::Expr* base = expression->IgnoreParenImpCasts();
        for (;;) {
            if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(base); member && !member->isArrow()) {
                base = member->getBase()->IgnoreParenImpCasts();
            } else if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(base)) {
                base = element->getBase()->IgnoreParenImpCasts();
                if (!base->getType()->isArrayType()) {
                    return nullptr;
                }
            } else {
                break;
            }
        }
        const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(base);
        const auto* variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
        return variable && variable->hasLocalStorage() ? variable : nullptr;
    }

    bool is_from_outside(const clang::VarDecl& variable) const {
        const clang::SourceManager& sources = m_context.getSourceManager();
        const clang::Stmt* body = m_loop.getBody();
        return sources.isBeforeInTranslationUnit(variable.getLocation(), body->getBeginLoc()) ||
               sources.isBeforeInTranslationUnit(body->getEndLoc(), variable.getLocation());
    }

    void check_changed(const clang::Expr* changed) {
        const clang::VarDecl* variable = local_of(changed);
        if (variable && is_from_outside(*variable)) {
            refuse(changed->getBeginLoc(),
                   fmt::format("changes '{}', which is declared outside of it", variable->getNameAsString()));
        }
    }

    // Who has a variable's address can change it where its name is not seen. An element of an array that is read or
    // written by name leaves none.
    void finds_addresses(const clang::Stmt* statement) {
        if (statement == nullptr) {
            return;
        }
        const clang::Expr* addressed = nullptr;
        if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(statement)) {
            addressed = operation->getOpcode() == clang::UO_AddrOf ? operation->getSubExpr() : nullptr;
        } else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(statement)) {
            addressed = cast->getCastKind() == clang::CK_ArrayToPointerDecay ? cast->getSubExpr() : nullptr;
        }
        const clang::VarDecl* variable = addressed ? local_of(addressed) : nullptr;
        if (variable && is_from_outside(*variable) &&
            !m_context.getBaseElementType(variable->getType()).isConstQualified()) {
            refuse(addressed->getBeginLoc(), fmt::format("could change '{}' through the address that is taken here",
                                                         variable->getNameAsString()));
        }
        const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(statement);
        for (const clang::Stmt* child : statement->children()) {
            const auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(child);
            const bool is_named = element && cast && cast->getCastKind() == clang::CK_ArrayToPointerDecay;
            finds_addresses(is_named ? cast->getSubExpr() : child);
        }
    }

    void leaves(const clang::Stmt* statement, bool is_inner) {
        if (statement == nullptr) {
            return;
        }
        if (llvm::isa<clang::BreakStmt>(statement) && !is_inner) {
            refuse(statement->getBeginLoc(), "ends the loop early");
        }
        const bool catches = llvm::isa<clang::ForStmt>(statement) || llvm::isa<clang::WhileStmt>(statement) ||
                             llvm::isa<clang::DoStmt>(statement) || llvm::isa<clang::SwitchStmt>(statement);
        for (const clang::Stmt* child : statement->children()) {
            leaves(child, is_inner || catches);
        }
    }

    clang::ASTContext& m_context;
    const clang::ForStmt& m_loop;
    std::string m_why_not;
};

// The outermost loops of a function whose head begins on a line.
class LoopSearch : public clang::RecursiveASTVisitor<LoopSearch> {
public:
    LoopSearch(clang::ASTContext& context, std::string where) : m_context(context), m_where(std::move(where)) {}

    bool TraverseForStmt(clang::ForStmt* loop) {
        const SourceLocation from = locate(m_context, loop->getBeginLoc()),
                             to = locate(m_context, loop->getRParenLoc());
        for (unsigned line = from.line; line <= to.line; ++line) {
            if (fmt::format("{}:{}", from.file, line) == m_where) {
                found.push_back(loop);
                return true;
            }
        }
        return RecursiveASTVisitor::TraverseForStmt(loop);
    }

    std::vector<const clang::ForStmt*> found;

private:
    clang::ASTContext& m_context;
    const std::string m_where;
};

class RoundsWriter {
public:
    RoundsWriter(clang::ASTContext& context, const clang::FunctionDecl& function)
        : m_context(context), m_sources(context.getSourceManager()), m_function(function) {}

    RoundsFunction write(const LoopOfFunction& wanted) {
        LoopSearch search(m_context, wanted.loop);
        search.TraverseStmt(m_function.getBody());
        if (search.found.size() != 1) {
            return refused(search.found.empty()
                               ? fmt::format("the loop at {} is no for loop of {} itself", wanted.loop, wanted.function)
                               : fmt::format("line {} has several loops", wanted.loop));
        }
        const clang::ForStmt& loop = *search.found.front();
        if (std::string why_not = BodyCheck(m_context, loop).run(m_function); !why_not.empty()) {
            return refused(std::move(why_not));
        }
        return written(loop);
    }

private:
    struct Insertion {
        unsigned offset, length;
        std::string text;
    };

    static RoundsFunction refused(std::string why_not) {
        RoundsFunction none;
        none.why_not = std::move(why_not);
        return none;
    }

    unsigned offset(clang::SourceLocation at) const { return m_sources.getFileOffset(at); }

    clang::SourceLocation behind(clang::SourceLocation last) const {
        return clang::Lexer::getLocForEndOfToken(last, 0, m_sources, m_context.getLangOpts());
    }

    // Behind the body: an expression's last word does not have the semicolon.
    clang::SourceLocation behind_body(const clang::Stmt& body) const {
        if (llvm::isa<clang::CompoundStmt>(body)) {
            return behind(body.getEndLoc());
        }
        const clang::SourceLocation end = clang::Lexer::findLocationAfterToken(
            body.getEndLoc(), clang::tok::semi, m_sources, m_context.getLangOpts(), false);
        return end.isValid() ? end : behind(body.getEndLoc());
    }

    RoundsFunction written(const clang::ForStmt& loop) {
        const clang::FunctionTypeLoc type = m_function.getFunctionTypeLoc();
        // What stands before the name may be a macro (`static inline`, attributes): it is repeated as it stands.
        const clang::SourceLocation begin = m_sources.getExpansionLoc(m_function.getBeginLoc()),
                                    name = m_function.getLocation();
        const clang::SourceLocation body = m_function.getBody()->getBeginLoc(), end = m_function.getEndLoc();
        const clang::Stmt& rounds = *loop.getBody();
        for (const clang::SourceLocation at :
             {begin, name, body, end, type ? type.getRParenLoc() : clang::SourceLocation(), loop.getBeginLoc(),
              loop.getRParenLoc(), rounds.getBeginLoc(), rounds.getEndLoc()}) {
            if (at.isInvalid() || at.isMacroID() || m_sources.getFileID(at) != m_sources.getFileID(begin)) {
                return refused(fmt::format("a macro writes parts of {}", m_function.getNameAsString()));
            }
        }
        RoundsFunction made;
        made.name =
            fmt::format("{}_rounds_{}", m_function.getNameAsString(), locate(m_context, loop.getBeginLoc()).line);
        const std::string parameters = "int mm_first, int mm_end";
        const bool has_none = m_function.getNumParams() == 0;
        const unsigned open = offset(type.getLParenLoc()) + 1, close = offset(type.getRParenLoc());
        std::vector<Insertion> edits = {
            {offset(name), static_cast<unsigned>(m_function.getName().size()), made.name},
            has_none ? Insertion{open, close - open, parameters} : Insertion{close, 0, ", " + parameters},
            {offset(loop.getBeginLoc()), 0, "{ int mm_round = -1; "},
            {offset(rounds.getBeginLoc()), 0, "{ ++mm_round; if (mm_round >= mm_first && mm_round < mm_end) "},
            {offset(behind_body(rounds)), 0, " } }"}};
        const unsigned from = offset(begin), to = offset(behind(end));
        const std::string text = edited_text(from, to, edits);
        const SourceLocation first = locate(m_context, begin), last = locate(m_context, end);
        made.edit = {first.file, to, 0, fmt::format("\n#line {}\n{}\n#line {}\n", first.line, text, last.line)};
        if (m_function.getStorageClass() != clang::SC_Static && !m_function.isInlined()) {
            made.prototype = edited_text(from, offset(body), {edits[0], edits[1]});
            made.prototype.erase(made.prototype.find_last_not_of(" \t\r\n") + 1);
            made.prototype += ";";
        }
        return made;
    }

    std::string edited_text(unsigned from, unsigned to, const std::vector<Insertion>& edits) const {
        const llvm::StringRef all = m_sources.getBufferData(m_sources.getFileID(m_function.getLocation()));
        std::string text;
        unsigned at = from;
        for (const Insertion& edit : edits) {
            text += all.substr(at, edit.offset - at).str() + edit.text;
            at = edit.offset + edit.length;
        }
        return text + all.substr(at, to - at).str();
    }

    clang::ASTContext& m_context;
    const clang::SourceManager& m_sources;
    const clang::FunctionDecl& m_function;
};

}  // namespace

Result<std::vector<RoundsFunction>> rounds_functions(const FrontEndInput& input,
                                                     const std::vector<LoopOfFunction>& loops) {
    std::vector<std::optional<RoundsFunction>> found(loops.size());
    for (std::size_t unit = 0; unit < input.sources.size(); ++unit) {
        llvm::LLVMContext code;
        const auto look = [&](clang::ASTContext& context) {
            for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
                const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
                if (!function || !function->getIdentifier() || !function->isThisDeclarationADefinition()) {
                    continue;
                }
                for (std::size_t i = 0; i < loops.size(); ++i) {
                    // Two units may have a static function of one name: the right one is that with the loop.
                    if ((!found[i] || !found[i]->why_not.empty()) && function->getName() == loops[i].function) {
                        found[i] = RoundsWriter(context, *function).write(loops[i]);
                    }
                }
            }
        };
        MM_TRY(const ParsedUnit parsed, parse_unit(input, static_cast<int>(unit), code, look));
    }
    std::vector<RoundsFunction> functions;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        functions.push_back(found[i].value_or(RoundsFunction{}));
        if (!found[i]) {
            functions.back().why_not = fmt::format("no source defines {}", loops[i].function);
        }
    }
    return functions;
}

}  // namespace metamorph::cfront
