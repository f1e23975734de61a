#include "cfront/entry_objects.h"

#include <algorithm>

#include <llvm/IR/DataLayout.h>

#include "cfront/program.h"

namespace metamorph::cfront {
namespace {

std::string without_const(std::string type) {
    return type.starts_with("const ") ? type.substr(6) : type;
}

}  // namespace

EntryObjects::EntryObjects(const llvm::Module& module, const Function& entry, const EntryBody& body,
                           const std::vector<Variable>& variables, const std::map<std::string, int>& variable_of_symbol,
                           const llvm::Function& code)
    : m_module(module), m_body(body), m_variables(variables), m_variable_of_symbol(variable_of_symbol) {
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
        const Parameter& parameter = entry.parameters[i];
        // By name: a struct that is passed by value takes several of the code's parameters, or none.
        const auto* argument = std::find_if(code.arg_begin(), code.arg_end(),
                                            [&](const llvm::Argument& a) { return a.getName() == parameter.name; });
        if (parameter.is_pointer && argument != code.arg_end()) {
            Object object{ObjectKind::entry_parameter,
                          parameter.name,
                          without_const(parameter.element_type),
                          parameter.element_bytes,
                          parameter.extent_bytes,
                          false,
                          static_cast<int>(i),
                          -1};
            add(argument, std::move(object));
        }
    }
}

ObjectId EntryObjects::add(const llvm::Value* value, Object object) {
    const auto id = static_cast<ObjectId>(m_objects.size());
    m_objects.push_back(std::move(object));
    m_known[value] = id;
    return id;
}

std::optional<ObjectId> EntryObjects::of(const llvm::Value* base) {
    if (const auto known = m_known.find(base); known != m_known.end()) {
        return known->second;
    }
    const llvm::DataLayout& layout = m_module.getDataLayout();
    if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(base)) {
        const std::string name = local->getName().str();
        Object object{ObjectKind::entry_local, name, "unsigned char", 1, std::nullopt, false, -1, -1};
        if (const std::optional<llvm::TypeSize> size = local->getAllocationSize(layout)) {
            object.bytes = static_cast<std::int64_t>(size->getFixedValue());
        }
        const auto declared = std::find_if(m_body.locals.begin(), m_body.locals.end(),
                                           [&](const EntryLocal& l) { return l.name == name; });
        if (declared != m_body.locals.end()) {
            object.element_type = declared->element_type;
            object.element_bytes = declared->element_bytes;
        }
        return add(local, std::move(object));
    }
    const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
    const auto found = global ? m_variable_of_symbol.find(global->getName().str()) : m_variable_of_symbol.end();
    if (found == m_variable_of_symbol.end()) {
        return std::nullopt;
    }
    const Variable& variable = m_variables[static_cast<std::size_t>(found->second)];
    Object object{ObjectKind::variable,
                  variable.qualified_name(),
                  without_const(variable.type),
                  1,
                  std::nullopt,
                  variable.is_const,
                  -1,
                  found->second};
    object.element_type = object.element_type.substr(0, object.element_type.find('['));
    const llvm::Type* element = global->getValueType();
    while (element->isArrayTy()) {
        element = element->getArrayElementType();
    }
    object.element_bytes =
        static_cast<std::int64_t>(layout.getTypeAllocSize(const_cast<llvm::Type*>(element)).getFixedValue());
    if (variable.bytes > 0) {
        object.bytes = variable.bytes;
    }
    return add(global, std::move(object));
}

std::vector<ObjectId> EntryObjects::everything() {
    for (const llvm::GlobalVariable& variable : m_module.globals()) {
        if (!variable.isConstant() && !variable.isDeclaration()) {
            of(&variable);
        }
    }
    std::vector<ObjectId> ids;
    for (std::size_t id = 0; id < m_objects.size(); ++id) {
        if (!m_objects[id].is_const) {
            ids.push_back(static_cast<ObjectId>(id));
        }
    }
    return ids;
}

}  // namespace metamorph::cfront
