// One CompilerInstance a source: the parser feeds Clang's own code generator, and when the source is read whole, its
// syntax tree is looked at too. So each source is parsed once.
//
// A missing header does not stop the parser: it reads as empty and is recorded. What it should have declared then shows
// as ordinary errors, which are errors.
#include "cfront/unit_parser.h"

#include <utility>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "cfront/ast_facts.h"
#include "cfront/command_line.h"

namespace metamorph::cfront {
namespace {

using Look = std::function<void(clang::ASTContext&)>;

SourceLocation presumed(const clang::SourceManager& sources, clang::SourceLocation at) {
    const clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(at));
    return place.isValid() ? SourceLocation{plain_path(place.getFilename()), place.getLine(), place.getColumn()}
                           : SourceLocation{};
}

// Keeps the first error; prints nothing.
class FirstError : public clang::DiagnosticConsumer {
public:
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
        DiagnosticConsumer::HandleDiagnostic(level, info);
        if (level < clang::DiagnosticsEngine::Error || m_found) {
            return;
        }
        llvm::SmallString<128> text;
        info.FormatDiagnostic(text);
        Error error{ErrorCode::model, std::string(text.str()), {}, {}, {}};
        if (info.hasSourceManager() && info.getLocation().isValid()) {
            const SourceLocation at = presumed(info.getSourceManager(), info.getLocation());
            error.where = fmt::format("{}:{}:{}", at.file, at.line, at.column);
        }
        m_found = std::move(error);
    }
    const std::optional<Error>& found() const { return m_found; }

private:
    std::optional<Error> m_found;
};

class MissingHeaders : public clang::PPCallbacks {
public:
    MissingHeaders(const clang::SourceManager& sources, UnitFacts& facts) : m_sources(sources), m_facts(facts) {}

    bool FileNotFound(llvm::StringRef) override { return true; }

    void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name, bool,
                            clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef, llvm::StringRef,
                            const clang::Module*, bool, clang::SrcMgr::CharacteristicKind) override {
        if (!file) {
            m_facts.recoveries.push_back(
                {presumed(m_sources, hash), fmt::format("header '{}' is missing and was read as empty", name.str())});
        }
    }

private:
    const clang::SourceManager& m_sources;
    UnitFacts& m_facts;
};

class FactsConsumer : public clang::ASTConsumer {
public:
    FactsConsumer(std::string entry, int unit, UnitFacts& facts, const Look& look)
        : m_entry(std::move(entry)), m_unit(unit), m_facts(facts), m_look(look) {}

    void HandleTranslationUnit(clang::ASTContext& context) override {
        if (!context.getDiagnostics().hasErrorOccurred()) {
            collect_facts(context, m_entry, m_unit, m_facts);
            if (m_look) {
                m_look(context);
            }
        }
    }

private:
    std::string m_entry;
    int m_unit;
    UnitFacts& m_facts;
    const Look& m_look;
};

class ParseAction : public clang::ASTFrontendAction {
public:
    ParseAction(std::string entry, int unit, llvm::LLVMContext& context, ParsedUnit& parsed, const Look& look)
        : m_entry(std::move(entry)), m_unit(unit), m_context(context), m_parsed(parsed), m_look(look) {}

protected:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                          llvm::StringRef file) override {
        compiler.getPreprocessor().addPPCallbacks(
            std::make_unique<MissingHeaders>(compiler.getSourceManager(), m_parsed.facts));
        m_generator = clang::CreateLLVMCodeGen(
            compiler.getDiagnostics(), file, compiler.getFileManager().getVirtualFileSystemPtr(),
            compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(), compiler.getCodeGenOpts(), m_context);
        std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
        consumers.push_back(std::make_unique<FactsConsumer>(m_entry, m_unit, m_parsed.facts, m_look));
        consumers.emplace_back(m_generator);
        return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
    }

    void EndSourceFileAction() override { m_parsed.module.reset(m_generator->ReleaseModule()); }

private:
    std::string m_entry;
    int m_unit;
    llvm::LLVMContext& m_context;
    ParsedUnit& m_parsed;
    const Look& m_look;
    clang::CodeGenerator* m_generator = nullptr;  // owned by the consumer
};

Error with_missing_headers(Error error, const UnitFacts& facts) {
    for (const Recovery& recovery : facts.recoveries) {
        if (error.hint.empty()) {
            error.hint = fmt::format("{}:{}: {}", recovery.location.file, recovery.location.line, recovery.message);
        }
    }
    return error;
}

}  // namespace

Result<ParsedUnit> parse_unit(const FrontEndInput& input, int unit, llvm::LLVMContext& context, const Look& look) {
    const std::string& source = input.sources[static_cast<std::size_t>(unit)];
    MM_TRY(const std::vector<std::string> arguments, clang_command_line(input, source));
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(argument.c_str());
    }

    // A file system of its own, so that the process's working folder plays no part.
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files(llvm::vfs::createPhysicalFileSystem().release());
    if (files->setCurrentWorkingDirectory(input.root.string()) || !files->exists(source)) {
        return fail(ErrorCode::model, source, "there is no such C source in {}", input.root.string());
    }
    FirstError errors;
    clang::CompilerInstance compiler;
    compiler.createDiagnostics(&errors, /*ShouldOwnClient=*/false);
    clang::CreateInvocationOptions options;
    options.Diags = &compiler.getDiagnostics();
    options.VFS = files;
    std::shared_ptr<clang::CompilerInvocation> invocation = clang::createInvocation(argv, options);
    if (!invocation || errors.found()) {
        return fail(ErrorCode::model, source, "Clang does not take its options: {}",
                    errors.found() ? errors.found()->message : "no compiler invocation");
    }
    invocation->getFrontendOpts().DisableFree = false;
    invocation->getDiagnosticOpts().ShowCarets = false;  // also: no count of errors on standard error
    compiler.setInvocation(std::move(invocation));
    compiler.createDiagnostics(&errors, /*ShouldOwnClient=*/false);
    compiler.createFileManager(files);

    ParsedUnit parsed;
    ParseAction action(input.entry, unit, context, parsed, look);
    const bool is_done = compiler.ExecuteAction(action);
    if (errors.found()) {
        return tl::unexpected<Error>(with_missing_headers(*errors.found(), parsed.facts));
    }
    if (!is_done || !parsed.module) {
        return fail(ErrorCode::internal, source, "Clang ended without an error and without a program");
    }
    return parsed;
}

}  // namespace metamorph::cfront
