// One C source → its facts and its intermediate code, with one run of Clang's parser.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "cfront/front_end.h"
#include "cfront/unit_facts.h"

namespace clang {
class ASTContext;
}

namespace metamorph::cfront {

struct ParsedUnit {
    UnitFacts facts;
    std::unique_ptr<llvm::Module> module;  // as Clang emits it, before any optimisation; lines known
};

// `unit` is the source's index. Errors: model (the first one that Clang reports, with file, line and column), toolchain
// (Clang's own headers are not there).
// `look` gets the syntax tree of a source without errors.
Result<ParsedUnit> parse_unit(const FrontEndInput& input, int unit, llvm::LLVMContext& context,
                              const std::function<void(clang::ASTContext&)>& look = {});

}  // namespace metamorph::cfront
