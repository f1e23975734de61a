// The intermediate code of all sources, linked into one program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "util/result.h"

namespace metamorph::cfront {

class Program {
public:
    // Adds the code of source number `unit`; names of internal linkage become internal_symbol(…).
    Status add(std::unique_ptr<llvm::Module> module, int unit, const std::string& source);

    // Local variables become values, constant branches are decided. No load or store of anything but locals is moved or
    // removed.
    void simplify();

    // Variables that only their source can name, and that nothing stores to or passes on, become constants.
    void fix_constants();

    llvm::LLVMContext& context() { return *m_context; }
    llvm::Module& module() { return *m_module; }

private:
    std::unique_ptr<llvm::LLVMContext> m_context = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> m_module;
};

// Runs the function passes of a textual pipeline on each of `functions`.
void run_passes(const std::vector<llvm::Function*>& functions, const std::string& pipeline);

// "conv.c:31" of an instruction, as far as it is known; "?" if not.
std::string place_of(const llvm::Instruction& instruction);
std::string place_of(const llvm::DebugLoc& location);

// The name in the source of a function or variable: its symbol without the suffix of internal linkage.
std::string source_name(const std::string& symbol);

}  // namespace metamorph::cfront
