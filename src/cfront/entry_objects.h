// The objects of an entry, and which value of the intermediate code stands for which.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cfront/code_model.h"
#include "cfront/unit_facts.h"

namespace metamorph::cfront {

class EntryObjects {
public:
    // `variables` with the symbols of their counterparts in `module`. All pointer parameters become objects at once,
    // variables and locals when they are first asked for.
    EntryObjects(const llvm::Module& module, const Function& entry, const EntryBody& body,
                 const std::vector<Variable>& variables, const std::map<std::string, int>& variable_of_symbol,
                 const llvm::Function& code);

    // Of a parameter or local of the entry, or a global; nothing for any other value.
    std::optional<ObjectId> of(const llvm::Value* base);

    // All that can change: what a pointer of unknown origin may lead to. What no source defines (the C library's
    // stdout) counts only where it is named.
    std::vector<ObjectId> everything();

    const Object& operator[](ObjectId id) const { return m_objects[static_cast<std::size_t>(id)]; }
    std::vector<Object> take() { return std::move(m_objects); }

private:
    ObjectId add(const llvm::Value* value, Object object);

    const llvm::Module& m_module;
    const EntryBody& m_body;
    const std::vector<Variable>& m_variables;
    const std::map<std::string, int>& m_variable_of_symbol;
    std::vector<Object> m_objects;
    std::map<const llvm::Value*, ObjectId> m_known;
};

}  // namespace metamorph::cfront
