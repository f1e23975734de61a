#include "cfront/outline.h"

#include <optional>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include "cfront/ast_facts.h"
#include "cfront/unit_parser.h"

namespace metamorph::cfront {
namespace {

struct OutlinedPlace {
    std::string name;
    bool is_function = false;
    std::size_t begin = 0, end = 0;
};

class OutlineLook {
public:
    explicit OutlineLook(std::vector<OutlinedPlace>& places) : m_places(places) {}

    void look(clang::ASTContext& context) {
        const clang::SourceManager& sources = context.getSourceManager();
        for (const clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
            const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
            const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
            const bool is_definition =
                (function != nullptr && function->isThisDeclarationADefinition()) ||
                (variable != nullptr && variable->isThisDeclarationADefinition() != clang::VarDecl::DeclarationOnly);
            if (is_definition && sources.isInMainFile(sources.getExpansionLoc(declaration->getBeginLoc()))) {
                add(context, *declaration, function != nullptr);
            }
        }
    }

    std::optional<SourceLocation> refused;  // a definition whose first word comes from a macro

private:
    void add(const clang::ASTContext& context, const clang::Decl& declaration, bool is_function) {
        const clang::SourceManager& sources = context.getSourceManager();
        if (declaration.getBeginLoc().isMacroID()) {
            refused = refused ? refused : locate(context, declaration.getBeginLoc());
            return;
        }
        // What ends in a macro ("= KERNELS") ends where the macro's use does.
        clang::SourceLocation last = sources.getExpansionRange(declaration.getEndLoc()).getEnd();
        last = clang::Lexer::getLocForEndOfToken(last, 0, sources, context.getLangOpts());
        std::size_t end = sources.getFileOffset(last);
        if (!is_function) {
            const llvm::StringRef text = sources.getBufferData(sources.getMainFileID());
            const std::size_t semicolon = text.find(';', end);
            end = semicolon == llvm::StringRef::npos ? text.size() : semicolon + 1;
        }
        m_places.push_back({llvm::cast<clang::NamedDecl>(declaration).getNameAsString(), is_function,
                            sources.getFileOffset(declaration.getBeginLoc()), end});
    }

    std::vector<OutlinedPlace>& m_places;
};

}  // namespace

Result<Outline> outline(const FrontEndInput& input, int unit) {
    llvm::LLVMContext context;
    std::vector<OutlinedPlace> places;
    OutlineLook placing(places);
    MM_TRY(const ParsedUnit parsed,
           parse_unit(input, unit, context, [&](clang::ASTContext& ast) { placing.look(ast); }));
    if (placing.refused) {
        return fail_with_hint(ErrorCode::model, fmt::format("{}:{}", placing.refused->file, placing.refused->line),
                              "a macro writes this definition, so it has no text of its own",
                              "write the definition out");
    }
    Outline found;
    found.recoveries = parsed.facts.recoveries;
    for (const OutlinedPlace& place : places) {
        if (place.is_function) {
            for (const UnitFunction& function : parsed.facts.functions) {
                if (function.facts.is_defined && function.facts.name == place.name) {
                    found.functions.push_back({function.facts, place.begin, place.end});
                    break;
                }
            }
            continue;
        }
        for (const UnitVariable& variable : parsed.facts.variables) {
            if (variable.facts.is_defined && variable.facts.local_to.empty() && variable.facts.name == place.name) {
                found.variables.push_back({variable.facts, place.begin, place.end});
                break;
            }
        }
    }
    return found;
}

}  // namespace metamorph::cfront
