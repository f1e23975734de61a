// The passes are chosen so that what is left are the program's own loads and stores: those that could merge, drop,
// speculate or move accesses to objects (early-cse, instcombine, store merging in simplifycfg) are not among them.
#include "cfront/program.h"

#include <map>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

#include "cfront/register_assembly.h"
#include "cfront/unit_facts.h"

namespace metamorph::cfront {
namespace {

bool is_number(llvm::StringRef text) {
    return !text.empty() && text.find_first_not_of("0123456789") == llvm::StringRef::npos;
}

// Clang names static locals "function.name", "function.name.1" …; the syntax tree knows them as "function.name",
// "function.name#1" …, counted in order of appearance.
std::string counted_name(const std::string& name, std::map<std::string, int>& seen) {
    llvm::StringRef base(name);
    const auto [head, tail] = base.rsplit('.');
    if (is_number(tail) && head.contains('.')) {
        base = head;
    }
    const int earlier = seen[base.str()]++;
    return earlier == 0 ? base.str() : base.str() + "#" + std::to_string(earlier);
}

void make_internal_names_unique(llvm::Module& module, int unit) {
    std::map<std::string, int> seen;
    for (llvm::GlobalVariable& variable : module.globals()) {
        if (variable.hasLocalLinkage()) {
            variable.setName(internal_symbol(counted_name(variable.getName().str(), seen), unit));
        }
    }
    for (llvm::Function& function : module) {
        if (function.hasLocalLinkage()) {
            function.setName(internal_symbol(function.getName().str(), unit));
        }
    }
}

class LinkErrors : public llvm::DiagnosticHandler {
public:
    explicit LinkErrors(std::string& text) : m_text(text) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
        if (info.getSeverity() == llvm::DS_Error && m_text.empty()) {
            llvm::raw_string_ostream stream(m_text);
            llvm::DiagnosticPrinterRawOStream printer(stream);
            info.print(printer);
        }
        return true;
    }

private:
    std::string& m_text;
};

}  // namespace

Status Program::add(std::unique_ptr<llvm::Module> module, int unit, const std::string& source) {
    make_internal_names_unique(*module, unit);
    if (!m_module) {
        m_module = std::move(module);
        return {};
    }
    std::string text;
    m_context->setDiagnosticHandler(std::make_unique<LinkErrors>(text));
    const bool has_failed = llvm::Linker::linkModules(*m_module, std::move(module));
    m_context->setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
    if (has_failed) {
        return fail(ErrorCode::model, source, "the sources do not fit together: {}",
                    text.empty() ? "linking failed" : text);
    }
    return {};
}

void Program::simplify() {
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : *m_module) {
        functions.push_back(&function);
    }
    run_passes(functions, "sroa<modify-cfg>");
    mark_register_assembly(*m_module);
}

void Program::fix_constants() {
    for (llvm::GlobalVariable& variable : m_module->globals()) {
        const bool is_only_read = llvm::all_of(variable.users(), [](const llvm::User* user) {
            const auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
            return load && !load->isVolatile();
        });
        if (variable.hasLocalLinkage() && variable.hasDefinitiveInitializer() && is_only_read) {
            variable.setConstant(true);
        }
    }
}

void run_passes(const std::vector<llvm::Function*>& functions, const std::string& pipeline) {
    llvm::LoopAnalysisManager loop_analyses;
    llvm::FunctionAnalysisManager function_analyses;
    llvm::CGSCCAnalysisManager graph_analyses;
    llvm::ModuleAnalysisManager module_analyses;
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(module_analyses);
    builder.registerCGSCCAnalyses(graph_analyses);
    builder.registerFunctionAnalyses(function_analyses);
    builder.registerLoopAnalyses(loop_analyses);
    builder.crossRegisterProxies(loop_analyses, function_analyses, graph_analyses, module_analyses);
    llvm::FunctionPassManager passes;
    llvm::cantFail(builder.parsePassPipeline(passes, pipeline));
    for (llvm::Function* function : functions) {
        if (!function->isDeclaration()) {
            passes.run(*function, function_analyses);
        }
    }
}

std::string place_of(const llvm::Instruction& instruction) {
    return place_of(instruction.getDebugLoc());
}

std::string place_of(const llvm::DebugLoc& location) {
    if (!location || location->getLine() == 0) {
        return "?";
    }
    return plain_path(location->getFilename().str()) + ":" + std::to_string(location->getLine());
}

std::string source_name(const std::string& symbol) {
    return symbol.substr(0, symbol.find_first_of("@#"));
}

}  // namespace metamorph::cfront
