// Clang evaluates what is constant by itself; what depends on followed variables is evaluated here, operator by
// operator, with the types that Clang gave each expression.
#include "cfront/entry_values.h"

#include <fmt/format.h>

namespace metamorph::cfront {
namespace {

using clang::BinaryOperatorKind;

const clang::VarDecl* variable_in(const clang::Expr& expression) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression.IgnoreParens());
    return reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

llvm::APSInt as_type(const clang::ASTContext& context, llvm::APSInt value, clang::QualType type) {
    if (type->isBooleanType()) {
        value = llvm::APSInt::getUnsigned(value.getBoolValue() ? 1 : 0);
    }
    value = value.extOrTrunc(static_cast<unsigned>(context.getTypeSize(type)));
    value.setIsSigned(type->isSignedIntegerOrEnumerationType());
    return value;
}

}  // namespace

int EntryValues::object_of(const clang::ValueDecl& declaration) {
    const auto* canonical = llvm::cast<clang::ValueDecl>(declaration.getCanonicalDecl());
    const auto [known, is_new] = m_known.try_emplace(canonical, static_cast<int>(objects.size()));
    if (!is_new) {
        return known->second;
    }
    KnownObject object;
    object.declaration = &declaration;
    object.name = declaration.getNameAsString();
    const clang::QualType type = declaration.getType();
    object.type = type.getUnqualifiedType().getAsString(m_context.getPrintingPolicy());
    if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(&declaration)) {
        object.kind = KnownObject::Kind::parameter;
        object.parameter = static_cast<int>(parameter->getFunctionScopeIndex());
    } else if (llvm::isa<clang::FunctionDecl>(declaration)) {
        object.kind = KnownObject::Kind::function;
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
               variable && variable->hasLocalStorage()) {
        object.kind = KnownObject::Kind::local;
        object.name = unique_name(object.name);
        if (!type->isIncompleteType() && !type->isVariablyModifiedType()) {
            object.bytes = m_context.getTypeSizeInChars(type).getQuantity();
            object.alignment = m_context.getDeclAlign(variable).getQuantity();
        }
    } else {
        object.kind = KnownObject::Kind::global;
    }
    objects.push_back(std::move(object));
    return known->second;
}

// Of a local where it is declared in a step: another than those of all that the step may name, too. C forbids nothing
// that begins with mm_, but the prefix is ours.
std::string EntryValues::unique_name(const std::string& name) {
    const clang::DeclContext& file = *m_context.getTranslationUnitDecl();
    std::string unique = name;
    for (int number = 1; m_names[unique] > 0 || !file.lookup(&m_context.Idents.get(unique)).empty(); ++number) {
        unique = fmt::format("mm_{}_{}", name, number);
    }
    m_names[unique] = 1;
    return unique;
}

int EntryValues::add_heap(std::int64_t bytes) {
    objects.push_back({KnownObject::Kind::heap, nullptr, unique_name(fmt::format("heap_{}", ++m_heaps)),
                       fmt::format("unsigned char[{}]", bytes), bytes, 16, -1});
    return static_cast<int>(objects.size()) - 1;
}

std::int64_t EntryValues::size_of_target(clang::QualType pointer) const {
    const clang::QualType target = pointer->getPointeeType();
    if (target.isNull() || target->isFunctionType() || target->isVariablyModifiedType()) {
        return 0;
    }
    return target->isVoidType() || target->isIncompleteType() ? 1 : m_context.getTypeSizeInChars(target).getQuantity();
}

std::optional<KnownAddress> EntryValues::moved(const clang::Expr& pointer, const clang::Expr& index, int sign,
                                               const Environment& environment) {
    std::optional<KnownAddress> at = address(pointer, environment);
    const std::optional<llvm::APSInt> count = integer(index, environment);
    const std::int64_t size = size_of_target(pointer.getType());
    if (!at || at->object == 0 || !count || size == 0 || count->getSignificantBits() > 40) {
        return std::nullopt;
    }
    at->offset += sign * size * count->getExtValue();
    return at;
}

std::optional<KnownAddress> EntryValues::place(const clang::Expr& lvalue, const Environment& environment) {
    const clang::Expr* expression = lvalue.IgnoreParens();
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
        return KnownAddress{object_of(*reference->getDecl()), 0};
    }
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
        return moved(*element->getBase(), *element->getIdx(), 1, environment);
    }
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
        const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
        if (!field || field->isBitField()) {
            return std::nullopt;
        }
        std::optional<KnownAddress> at =
            member->isArrow() ? address(*member->getBase(), environment) : place(*member->getBase(), environment);
        if (at && at->object != 0) {
            at->offset +=
                m_context.toCharUnitsFromBits(static_cast<std::int64_t>(m_context.getFieldOffset(field))).getQuantity();
            return at;
        }
        return std::nullopt;
    }
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression);
        unary && unary->getOpcode() == clang::UO_Deref) {
        return address(*unary->getSubExpr(), environment);
    }
    return std::nullopt;
}

std::optional<KnownAddress> EntryValues::address(const clang::Expr& pointer, const Environment& environment) {
    const clang::Expr* expression = pointer.IgnoreParens();
    if (expression->isNullPointerConstant(m_context, clang::Expr::NPC_NeverValueDependent)) {
        return KnownAddress{0, 0};
    }
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
        const clang::Expr& inner = *cast->getSubExpr();
        switch (cast->getCastKind()) {
            case clang::CK_ArrayToPointerDecay:
            case clang::CK_FunctionToPointerDecay:
                return place(inner, environment);
            case clang::CK_LValueToRValue:
                if (const clang::VarDecl* variable = variable_in(inner)) {
                    const auto known = environment.find(variable);
                    return known == environment.end() ? std::nullopt : known->second.address;
                }
                return std::nullopt;
            case clang::CK_NoOp:
            case clang::CK_BitCast:
                return inner.getType()->isPointerType() ? address(inner, environment) : std::nullopt;
            default:
                return std::nullopt;
        }
    }
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
        return unary->getOpcode() == clang::UO_AddrOf ? place(*unary->getSubExpr(), environment) : std::nullopt;
    }
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
        const clang::Expr &left = *binary->getLHS(), &right = *binary->getRHS();
        if (binary->getOpcode() == clang::BO_Add) {
            return left.getType()->isPointerType() ? moved(left, right, 1, environment)
                                                   : moved(right, left, 1, environment);
        }
        if (binary->getOpcode() == clang::BO_Sub && right.getType()->isIntegerType()) {
            return moved(left, right, -1, environment);
        }
        return std::nullopt;
    }
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
        const std::optional<bool> which = truth(*choice->getCond(), environment);
        return which ? address(*which ? *choice->getTrueExpr() : *choice->getFalseExpr(), environment) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<bool> EntryValues::truth(const clang::Expr& condition, const Environment& environment) {
    const clang::Expr* expression = condition.IgnoreParens();
    if (expression->getType()->isPointerType()) {
        const std::optional<KnownAddress> at = address(*expression, environment);
        // Whether the caller passes a null pointer is his to say (EntryReading::values); what he does not say is none.
        return at ? std::optional(at->object != 0) : std::nullopt;
    }
    const std::optional<llvm::APSInt> number = integer(*expression, environment);
    return number ? std::optional(number->getBoolValue()) : std::nullopt;
}

std::optional<llvm::APSInt> EntryValues::binary(const clang::BinaryOperator& operation,
                                                const Environment& environment) {
    const clang::Expr &left = *operation.getLHS(), &right = *operation.getRHS();
    if (operation.isAssignmentOp() || operation.getOpcode() == clang::BO_Comma) {
        return std::nullopt;
    }
    const auto boolean = [&](bool value) {
        return as_type(m_context, llvm::APSInt::getUnsigned(value ? 1 : 0), operation.getType());
    };
    if (operation.isLogicalOp()) {
        const std::optional<bool> first = truth(left, environment);
        const bool is_and = operation.getOpcode() == clang::BO_LAnd;
        if (!first) {
            return std::nullopt;
        }
        if (*first != is_and) {
            return boolean(*first);
        }
        const std::optional<bool> second = truth(right, environment);
        return second ? std::optional(boolean(*second)) : std::nullopt;
    }
    if (left.getType()->isPointerType() && right.getType()->isPointerType()) {
        const std::optional<KnownAddress> a = address(left, environment), b = address(right, environment);
        if (!a || !b || !operation.isEqualityOp() || (a->object != b->object && a->object != 0 && b->object != 0)) {
            return std::nullopt;
        }
        const bool is_equal = a->object == b->object && a->offset == b->offset;
        return boolean(is_equal == (operation.getOpcode() == clang::BO_EQ));
    }
    std::optional<llvm::APSInt> a = integer(left, environment), b = integer(right, environment);
    if (!a || !b) {
        return std::nullopt;
    }
    if (operation.isShiftOp()) {
        if (b->isNegative() || b->getExtValue() >= static_cast<std::int64_t>(a->getBitWidth())) {
            return std::nullopt;
        }
        const auto by = static_cast<unsigned>(b->getExtValue());
        return as_type(m_context, operation.getOpcode() == clang::BO_Shl ? *a << by : *a >> by, operation.getType());
    }
    if (a->getBitWidth() != b->getBitWidth() || a->isSigned() != b->isSigned()) {
        return std::nullopt;  // Clang's implicit casts have made them equal in valid C
    }
    bool overflows = false;
    const auto exact = [&](llvm::APInt value) {
        return overflows ? std::nullopt : std::optional(llvm::APSInt(std::move(value), a->isUnsigned()));
    };
    switch (operation.getOpcode()) {
        case clang::BO_Add:
            return a->isSigned() ? exact(a->sadd_ov(*b, overflows)) : exact(*a + *b);
        case clang::BO_Sub:
            return a->isSigned() ? exact(a->ssub_ov(*b, overflows)) : exact(*a - *b);
        case clang::BO_Mul:
            return a->isSigned() ? exact(a->smul_ov(*b, overflows)) : exact(*a * *b);
        case clang::BO_Div:
        case clang::BO_Rem:
            if (b->isZero() || (a->isSigned() && a->isMinSignedValue() && b->isAllOnes())) {
                return std::nullopt;
            }
            return operation.getOpcode() == clang::BO_Div ? *a / *b : *a % *b;
        case clang::BO_And:
            return *a & *b;
        case clang::BO_Or:
            return *a | *b;
        case clang::BO_Xor:
            return *a ^ *b;
        case clang::BO_LT:
            return boolean(*a < *b);
        case clang::BO_GT:
            return boolean(*a > *b);
        case clang::BO_LE:
            return boolean(*a <= *b);
        case clang::BO_GE:
            return boolean(*a >= *b);
        case clang::BO_EQ:
            return boolean(*a == *b);
        case clang::BO_NE:
            return boolean(*a != *b);
        default:
            return std::nullopt;
    }
}

std::optional<llvm::APSInt> EntryValues::integer(const clang::Expr& whole, const Environment& environment) {
    const clang::Expr* expression = whole.IgnoreParens();
    if (!expression->getType()->isIntegralOrEnumerationType()) {
        return std::nullopt;
    }
    if (expression->HasSideEffects(m_context)) {
        return std::nullopt;
    }
    clang::Expr::EvalResult result;
    if (!expression->isValueDependent() && expression->EvaluateAsInt(result, m_context)) {
        return result.Val.getInt();
    }
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
        const clang::Expr& inner = *cast->getSubExpr();
        switch (cast->getCastKind()) {
            case clang::CK_LValueToRValue:
                if (const clang::VarDecl* variable = variable_in(inner)) {
                    const auto known = environment.find(variable);
                    return known == environment.end() ? std::nullopt : known->second.integer;
                }
                return std::nullopt;
            case clang::CK_NoOp:
                return integer(inner, environment);
            case clang::CK_IntegralCast:
            case clang::CK_IntegralToBoolean: {
                const std::optional<llvm::APSInt> number = integer(inner, environment);
                return number ? std::optional(as_type(m_context, *number, cast->getType())) : std::nullopt;
            }
            case clang::CK_PointerToBoolean: {
                const std::optional<bool> is_some = truth(inner, environment);
                return is_some ? std::optional(
                                     as_type(m_context, llvm::APSInt::getUnsigned(*is_some ? 1 : 0), cast->getType()))
                               : std::nullopt;
            }
            default:
                return std::nullopt;
        }
    }
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
        return binary(*operation, environment);
    }
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
        if (unary->getOpcode() == clang::UO_LNot) {
            const std::optional<bool> inner = truth(*unary->getSubExpr(), environment);
            return inner ? std::optional(
                               as_type(m_context, llvm::APSInt::getUnsigned(*inner ? 0 : 1), expression->getType()))
                         : std::nullopt;
        }
        const std::optional<llvm::APSInt> inner = integer(*unary->getSubExpr(), environment);
        if (!inner) {
            return std::nullopt;
        }
        switch (unary->getOpcode()) {
            case clang::UO_Plus:
                return inner;
            case clang::UO_Minus:
                return inner->isSigned() && inner->isMinSignedValue() ? std::nullopt : std::optional(-*inner);
            case clang::UO_Not:
                return ~*inner;
            default:
                return std::nullopt;
        }
    }
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
        const std::optional<bool> which = truth(*choice->getCond(), environment);
        return which ? integer(*which ? *choice->getTrueExpr() : *choice->getFalseExpr(), environment) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<KnownValue> EntryValues::value(const clang::Expr& expression, const Environment& environment) {
    KnownValue known;
    if (expression.getType()->isPointerType()) {
        known.address = address(expression, environment);
    } else {
        known.integer = integer(expression, environment);
    }
    return known.address || known.integer ? std::optional(known) : std::nullopt;
}

}  // namespace metamorph::cfront
