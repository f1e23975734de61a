// What is known of the variables of an entry while its statements are followed: integers and addresses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

namespace metamorph::cfront {

// Memory whose address can be known.
struct KnownObject {
    enum class Kind { parameter, local, heap, global, function, null } kind = Kind::null;
    const clang::ValueDecl* declaration = nullptr;  // none of heap and null
    std::string name, type;                         // of locals and heap: unique; "float[4]"
    std::int64_t bytes = 0, alignment = 1;
    int parameter = -1;
};

struct KnownAddress {
    int object = -1;  // into EntryValues::objects
    std::int64_t offset = 0;
};

struct KnownValue {
    std::optional<llvm::APSInt> integer;
    std::optional<KnownAddress> address;
};

using Environment = std::map<const clang::VarDecl*, KnownValue>;

class EntryValues {
public:
    explicit EntryValues(clang::ASTContext& context) : m_context(context) {
        objects.push_back({KnownObject::Kind::null, nullptr, "null", "", 0, 1, -1});
    }

    // Value of an integer or pointer expression without side effects; nothing where it is not known.
    std::optional<llvm::APSInt> integer(const clang::Expr& expression, const Environment& environment);
    std::optional<KnownAddress> address(const clang::Expr& pointer, const Environment& environment);
    std::optional<KnownValue> value(const clang::Expr& expression, const Environment& environment);
    std::optional<bool> truth(const clang::Expr& condition, const Environment& environment);

    // Of an expression that denotes memory: of `x[3].y`, of `*p`.
    std::optional<KnownAddress> place(const clang::Expr& lvalue, const Environment& environment);

    int object_of(const clang::ValueDecl& declaration);
    int add_heap(std::int64_t bytes);
    KnownObject& at(int object) { return objects[static_cast<std::size_t>(object)]; }

    std::vector<KnownObject> objects;  // 0 is the null pointer

private:
    std::optional<llvm::APSInt> binary(const clang::BinaryOperator& operation, const Environment& environment);
    std::optional<KnownAddress> moved(const clang::Expr& pointer, const clang::Expr& index, int sign,
                                      const Environment& environment);
    std::string unique_name(const std::string& name);
    std::int64_t size_of_target(clang::QualType pointer) const;

    clang::ASTContext& m_context;
    std::map<const clang::ValueDecl*, int> m_known;
    std::map<std::string, int> m_names;
    int m_heaps = 0;
};

}  // namespace metamorph::cfront
