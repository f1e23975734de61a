// The statements of an entry in the order in which they run, with what is known of its variables at each.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <clang/AST/Stmt.h>

#include "cfront/code_model.h"
#include "cfront/entry_values.h"

namespace metamorph::cfront {

inline constexpr std::size_t k_items_max = 4096;

struct EntryItem {
    enum class Kind {
        statement,  // as it is
        initial,    // of `variable`, which is not followed
        zeros,      // fill `heap`
        result      // the entry ends and returns `statement`
    } kind = Kind::statement;
    const clang::Stmt* statement = nullptr;
    const clang::VarDecl* variable = nullptr;
    int heap = -1;
    std::shared_ptr<const Environment> environment;
    std::set<int> objects;  // parameters, locals and heap that it mentions, into EntryValues::objects
    bool is_heavy = false;  // it calls a function of the program, or loops: it ends a step
    bool may_return = false;
    std::string name;  // of the function that it calls first; "loop"; empty of what is light
    SourceLocation location;
    std::string text;  // its first call as spelled, or itself
};

struct EntryItems {
    std::vector<EntryItem> items;
    std::set<const clang::VarDecl*> locals;    // declared where statements were followed, not inside of an item
    std::set<const clang::VarDecl*> followed;  // whose values are known wherever they are used
    std::unique_ptr<EntryValues> values;
    std::string obstacle;  // why the entry cannot be taken apart at all; empty if it can
    SourceLocation obstacle_at;
};

// `given`: what the caller passes for parameters that are not addresses of memory: an integer, or 0 for a null pointer.
EntryItems read_entry_items(clang::ASTContext& context, const clang::FunctionDecl& entry,
                            const std::map<std::string, std::int64_t>& given);

// Whether a variable is one for all calls: a static local, or a constant local with a constant value.
bool is_hoisted(const clang::ASTContext& context, const clang::VarDecl& variable);

// What is known where the entry begins: `given` as of read_entry_items, and that its pointers lead somewhere.
Environment at_start(clang::ASTContext& context, const clang::FunctionDecl& entry, EntryValues& values,
                     const std::map<std::string, std::int64_t>& given);

// Why the entry cannot be taken apart, into `found`: a jump, a parameter that could not be followed, too many items.
void find_obstacle(clang::ASTContext& context, const clang::FunctionDecl& entry,
                   const std::set<const clang::VarDecl*>& unfollowed, EntryItems& found);

// The argument of free(argument) where that is memory from a malloc that was followed; nothing for all else.
bool frees_known_heap(const clang::Expr& expression, EntryValues& values, const Environment& environment);

std::string spelled_on_one_line(const clang::ASTContext& context, clang::SourceRange range);

}  // namespace metamorph::cfront
