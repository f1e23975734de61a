// Statements of an entry as the C of a step: addresses that other steps share become the step's parameters, variables
// with known values become these values, and a return tells that the entry has ended.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>

#include "cfront/entry_items.h"
#include "cfront/entry_source.h"

namespace metamorph::cfront {

struct StepTextInput {
    clang::ASTContext* context = nullptr;  // not owned, nor are the others
    EntryItems* entry = nullptr;
    std::map<int, int> shared;                             // object (EntryValues) → EntrySource::locals
    std::map<const clang::VarDecl*, std::string> hoisted;  // variable → name of the one that replaces it
    std::string result_type;                               // of the entry; empty: it returns nothing that is used
    int returned_at = 0;                                   // offset of the flag that a return sets
};

class StepText {
public:
    explicit StepText(const StepTextInput& input) : m_input(input) {}

    void add(const EntryItem& item);
    // Locals that only this step uses; before all else in the body.
    std::string declarations() const;
    const std::string& statements() const { return m_statements; }
    std::vector<StepAddress> take_addresses() { return std::move(m_addresses); }

    // "((const float *)mm_a0)"; adds the address to the step's.
    std::string address(const StepAddress& address, const std::string& type);
    void line(const std::string& text) { m_statements += "    " + text + "\n"; }

    std::string print(const clang::Stmt& statement, const Environment& environment, unsigned indent);
    std::string declaration(clang::QualType type, const std::string& name) const;

private:
    friend class StepPrinter;
    std::string object_text(int object, const std::string& type, std::int64_t offset);
    void add_initial(const EntryItem& item);
    void add_result(const EntryItem& item);
    bool is_shared(int object) const { return m_input.shared.contains(object); }

    const StepTextInput& m_input;
    std::vector<StepAddress> m_addresses;
    std::set<int> m_own;  // objects that are declared in the step
    std::string m_statements;
};

// "float (*)[4]" of a type, as a cast wants it.
std::string type_text(const clang::ASTContext& context, clang::QualType type);

}  // namespace metamorph::cfront
