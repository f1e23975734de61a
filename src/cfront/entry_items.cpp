// Follows the statements of the entry's body. A variable is followed while every assignment to it is met here and has a
// known value; where one is not (inside a statement that is kept whole, say), reading begins anew without it.
#include "cfront/entry_items.h"

#include "cfront/ast_facts.h"
#include "cfront/entry_look.h"

namespace metamorph::cfront {
namespace {

constexpr int k_rounds_max = 1024;

class Reader {
public:
    Reader(clang::ASTContext& context, EntryValues& values, const std::set<const clang::VarDecl*>& unfollowed)
        : m_context(context), m_values(values), m_unfollowed(unfollowed) {}

    // False: `lost` holds variables that must not be followed; read again without them.
    bool read(const clang::FunctionDecl& entry, const Environment& start) {
        m_environment = start;
        for (const clang::ParmVarDecl* parameter : entry.parameters()) {
            found.locals.insert(parameter);
        }
        read_statement(*entry.getBody());
        for (const clang::VarDecl* variable : found.locals) {
            if (can_be_followed(*variable)) {
                found.followed.insert(variable);
            }
        }
        return lost.empty();
    }

    EntryItems found;
    std::set<const clang::VarDecl*> lost;

private:
    bool can_be_followed(const clang::VarDecl& variable) const {
        const clang::QualType type = variable.getType();
        return (type->isPointerType() || type->isIntegralOrEnumerationType()) && !type.isVolatileQualified() &&
               variable.hasLocalStorage() && !m_unfollowed.contains(&variable);
    }

    bool is_full() const { return found.items.size() > k_items_max; }

    void read_statement(const clang::Stmt& statement) {
        if (m_has_returned || is_full()) {
            return;
        }
        if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
            for (const clang::Stmt* inner : block->body()) {
                read_statement(*inner);
            }
        } else if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(&statement)) {
            for (const clang::Decl* declaration : declarations->decls()) {
                if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
                    read_declaration(*variable);
                }
            }
        } else if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement)) {
            unroll(statement, loop->getInit(), loop->getCond(), *loop->getBody(), loop->getInc(), false);
        } else if (const auto* loop_while = llvm::dyn_cast<clang::WhileStmt>(&statement)) {
            unroll(statement, nullptr, loop_while->getCond(), *loop_while->getBody(), nullptr, false);
        } else if (const auto* loop_do = llvm::dyn_cast<clang::DoStmt>(&statement)) {
            unroll(statement, nullptr, loop_do->getCond(), *loop_do->getBody(), nullptr, true);
        } else if (const auto* choice = llvm::dyn_cast<clang::IfStmt>(&statement)) {
            read_choice(*choice);
        } else if (const auto* end = llvm::dyn_cast<clang::ReturnStmt>(&statement)) {
            if (const clang::Expr* value = end->getRetValue()) {
                keep(EntryItem::Kind::result, value, nullptr);
            }
            m_has_returned = true;
        } else if (const auto* expression = llvm::dyn_cast<clang::Expr>(&statement)) {
            read_expression(*expression);
        } else if (!llvm::isa<clang::NullStmt>(statement)) {
            keep(EntryItem::Kind::statement, &statement, nullptr);
        }
    }

    void read_declaration(const clang::VarDecl& variable) {
        if (!variable.hasLocalStorage() || is_hoisted(m_context, variable)) {
            return;
        }
        found.locals.insert(&variable);
        m_environment.erase(&variable);
        const clang::Expr* initial = variable.getInit();
        if (initial == nullptr) {
            return;
        }
        if (!assign(variable, *initial)) {
            keep(EntryItem::Kind::initial, initial, &variable);
        }
    }

    // Whether the assignment could be followed.
    bool assign(const clang::VarDecl& variable, const clang::Expr& value) {
        if (!can_be_followed(variable)) {
            return false;
        }
        if (const std::optional<int> heap = allocated(variable, value)) {
            m_environment[&variable] = {std::nullopt, KnownAddress{*heap, 0}};
            return true;
        }
        std::optional<KnownValue> known = m_values.value(value, m_environment);
        if (!known) {
            lost.insert(&variable);
            return false;
        }
        if (known->integer) {
            const auto bits = static_cast<unsigned>(m_context.getTypeSize(variable.getType()));
            known->integer = known->integer->extOrTrunc(bits);
            known->integer->setIsSigned(variable.getType()->isSignedIntegerOrEnumerationType());
        }
        m_environment[&variable] = *known;
        return true;
    }

    std::optional<int> allocated(const clang::VarDecl& variable, const clang::Expr& value) {
        const auto* call = llvm::dyn_cast<clang::CallExpr>(value.IgnoreParenCasts());
        const clang::FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
        if (!variable.getType()->isPointerType() || callee == nullptr || callee->getIdentifier() == nullptr) {
            return std::nullopt;
        }
        const llvm::StringRef name = callee->getName();
        const bool is_calloc = name == "calloc" && call->getNumArgs() == 2;
        const bool is_malloc =
            (name == "malloc" || name == "alloca" || name == "__builtin_alloca") && call->getNumArgs() == 1;
        if (!is_calloc && !is_malloc) {
            return std::nullopt;
        }
        std::int64_t bytes = 1;
        for (const clang::Expr* argument : call->arguments()) {
            const std::optional<llvm::APSInt> factor = m_values.integer(*argument, m_environment);
            if (!factor || factor->getActiveBits() > 31) {
                return std::nullopt;
            }
            bytes *= static_cast<std::int64_t>(factor->getZExtValue());
        }
        if (bytes <= 0 || bytes > (std::int64_t{1} << 31)) {
            return std::nullopt;
        }
        const int heap = m_values.add_heap(bytes);
        if (is_calloc) {
            EntryItem item;
            item.kind = EntryItem::Kind::zeros;
            item.heap = heap;
            item.environment = std::make_shared<Environment>(m_environment);
            item.objects = {heap};
            item.location = locate(m_context, value.getBeginLoc());
            found.items.push_back(std::move(item));
        }
        return heap;
    }

    void read_choice(const clang::IfStmt& choice) {
        const std::optional<bool> which = choice.getCond()->HasSideEffects(m_context)
                                              ? std::nullopt
                                              : m_values.truth(*choice.getCond(), m_environment);
        if (!which || choice.getConditionVariable()) {
            return keep(EntryItem::Kind::statement, &choice, nullptr);
        }
        if (const clang::Stmt* branch = *which ? choice.getThen() : choice.getElse()) {
            read_statement(*branch);
        }
    }

    // The rounds one after another, if their number is known and they call layers; else the loop as it is.
    void unroll(const clang::Stmt& whole, const clang::Stmt* init, const clang::Expr* condition,
                const clang::Stmt& body, const clang::Expr* increment, bool runs_first) {
        const bool is_once =
            runs_first && condition && m_values.truth(*condition, m_environment) == false && !jumps_out(&body);
        const Finder inside = look_into(body);
        if (is_once) {
            return read_statement(body);
        }
        if (!condition || (!inside.layer_call && !inside.moves_memory) || jumps_out(&body)) {
            return keep(EntryItem::Kind::statement, &whole, nullptr);
        }
        const Environment before = m_environment;
        const std::size_t items = found.items.size();
        const std::set<const clang::VarDecl*> lost_before = lost;
        const std::set<const clang::VarDecl*> locals_before = found.locals;
        if (init) {
            read_statement(*init);
        }
        bool is_known = true;
        for (int round = 0; !m_has_returned && !is_full(); ++round) {
            if (!(runs_first && round == 0)) {
                const std::optional<bool> goes_on =
                    condition->HasSideEffects(m_context) ? std::nullopt : m_values.truth(*condition, m_environment);
                is_known = goes_on.has_value() && round <= k_rounds_max;
                if (!is_known || !*goes_on) {
                    break;
                }
            }
            read_statement(body);
            if (increment) {
                read_statement(*increment);
            }
        }
        if (!is_known || is_full()) {
            m_environment = before;
            found.items.resize(items);
            found.locals = locals_before;
            lost = lost_before;
            keep(EntryItem::Kind::statement, &whole, nullptr);
        }
    }

    void read_expression(const clang::Expr& whole) {
        const clang::Expr* expression = whole.IgnoreParens();
        if (const auto* cast = llvm::dyn_cast<clang::CStyleCastExpr>(expression);
            cast && cast->getType()->isVoidType()) {
            expression = cast->getSubExpr()->IgnoreParens();
        }
        if (!expression->HasSideEffects(m_context) || frees_known_heap(*expression, m_values, m_environment)) {
            return;
        }
        if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
            if (operation->getOpcode() == clang::BO_Comma) {
                read_expression(*operation->getLHS());
                return read_expression(*operation->getRHS());
            }
            const clang::VarDecl* variable = assigned_variable(*operation->getLHS());
            if (variable && operation->getOpcode() == clang::BO_Assign && found.locals.contains(variable) &&
                assign(*variable, *operation->getRHS())) {
                return;
            }
            if (variable && operation->isCompoundAssignmentOp() && found.locals.contains(variable) &&
                change(*variable, *operation->getRHS(), operation->getOpcode())) {
                return;
            }
        }
        if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression);
            unary && unary->isIncrementDecrementOp()) {
            const clang::VarDecl* variable = assigned_variable(*unary->getSubExpr());
            if (variable && found.locals.contains(variable) && step(*variable, unary->isIncrementOp() ? 1 : -1)) {
                return;
            }
        }
        keep(EntryItem::Kind::statement, &whole, nullptr);
    }

    // v += n, v -= n of integers and pointers; other compound assignments are not followed.
    bool change(const clang::VarDecl& variable, const clang::Expr& by, clang::BinaryOperatorKind operation) {
        const std::optional<llvm::APSInt> amount = m_values.integer(by, m_environment);
        const bool is_sum = operation == clang::BO_AddAssign || operation == clang::BO_SubAssign;
        if (!can_be_followed(variable) || !amount || !is_sum || amount->getSignificantBits() > 40) {
            if (can_be_followed(variable)) {
                lost.insert(&variable);
            }
            return false;
        }
        return step(variable, operation == clang::BO_AddAssign ? amount->getExtValue() : -amount->getExtValue());
    }

    bool step(const clang::VarDecl& variable, std::int64_t by) {
        if (!can_be_followed(variable)) {
            return false;
        }
        const auto known = m_environment.find(&variable);
        if (known == m_environment.end()) {
            lost.insert(&variable);
            return false;
        }
        if (known->second.address) {
            const clang::QualType target = variable.getType()->getPointeeType();
            if (target->isIncompleteType() || target->isFunctionType() || target->isVariablyModifiedType()) {
                lost.insert(&variable);
                return false;
            }
            known->second.address->offset += by * m_context.getTypeSizeInChars(target).getQuantity();
            return true;
        }
        llvm::APSInt& number = *known->second.integer;
        const llvm::APSInt sum = llvm::APSInt::get(number.getExtValue() + by);
        const unsigned bits = number.getBitWidth();
        if (bits > 63 || (number.isSigned() ? !sum.isSignedIntN(bits) : !sum.isIntN(bits))) {
            lost.insert(&variable);
            return false;
        }
        llvm::APSInt result = sum.extOrTrunc(bits);
        result.setIsSigned(number.isSigned());
        number = result;
        return true;
    }

    void keep(EntryItem::Kind kind, const clang::Stmt* statement, const clang::VarDecl* variable) {
        EntryItem item;
        item.kind = kind;
        item.statement = statement;
        item.variable = variable;
        item.environment = std::make_shared<Environment>(m_environment);
        Changes changes;
        changes.TraverseStmt(const_cast<clang::Stmt*>(statement));
        for (const clang::VarDecl* changed : changes.changed) {
            if (found.locals.contains(changed) && can_be_followed(*changed)) {
                lost.insert(changed);
            }
        }
        Mentions mentions;
        mentions.TraverseStmt(const_cast<clang::Stmt*>(statement));
        if (variable) {
            mentions.variables.insert(variable);
        }
        for (const clang::VarDecl* mentioned : mentions.variables) {
            if (found.locals.contains(mentioned) && !is_hoisted(m_context, *mentioned)) {
                mention(*mentioned, item);
            }
        }
        const Finder inside = look_into(*statement);
        item.is_heavy = inside.layer_call || inside.loops || inside.moves_memory || inside.fills_statics;
        item.may_return = inside.returns;
        const clang::CallExpr* call = inside.layer_call ? inside.layer_call : inside.first_call;
        const clang::FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
        item.name = callee && item.is_heavy ? callee->getNameAsString() : inside.loops ? "loop" : "";
        item.location = locate(m_context, call && item.is_heavy ? call->getBeginLoc() : statement->getBeginLoc());
        item.text = spelled_on_one_line(m_context,
                                        call && item.is_heavy ? call->getSourceRange() : statement->getSourceRange());
        found.items.push_back(std::move(item));
    }

    void mention(const clang::VarDecl& variable, EntryItem& item) {
        if (!can_be_followed(variable)) {
            item.objects.insert(m_values.object_of(variable));
            return;
        }
        const auto known = m_environment.find(&variable);
        if (known == m_environment.end()) {
            lost.insert(&variable);  // used before it has a value
        } else if (known->second.address) {
            item.objects.insert(known->second.address->object);
        }
    }

    clang::ASTContext& m_context;
    EntryValues& m_values;
    const std::set<const clang::VarDecl*>& m_unfollowed;
    Environment m_environment;
    bool m_has_returned = false;
};

}  // namespace

EntryItems read_entry_items(clang::ASTContext& context, const clang::FunctionDecl& entry,
                            const std::map<std::string, std::int64_t>& given) {
    Changes changes;
    changes.TraverseStmt(entry.getBody());
    std::set<const clang::VarDecl*> unfollowed = changes.exposed;
    for (;;) {
        auto values = std::make_unique<EntryValues>(context);
        Reader reader(context, *values, unfollowed);
        if (reader.read(entry, at_start(context, entry, *values, given))) {
            find_obstacle(context, entry, unfollowed, reader.found);
            reader.found.values = std::move(values);
            return std::move(reader.found);
        }
        unfollowed.insert(reader.lost.begin(), reader.lost.end());
    }
}

}  // namespace metamorph::cfront
