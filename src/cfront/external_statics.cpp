// A variable of file scope loses the word `static`. A static local becomes `extern …` where it is declared, and is
// defined behind the last line of the source. Both are renamed wherever they are used, at the place where the use is
// spelled: so uses inside of macros change in the macro's definition.
//
// Several sources may include the same declaration. Each of them then defines the name as a macro for one of its own.
//
// Rejected: an alias of external linkage beside the static variable (there is none for static locals: their symbols are
// the compiler's to choose); renaming by macros alone (they would rename members and parameters of the same name, too).
#include "cfront/external_statics.h"

#include <algorithm>
#include <set>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include "cfront/ast_facts.h"
#include "cfront/unit_parser.h"

namespace metamorph::cfront {
namespace {

// What all sources share.
struct Names {
    std::string prefix;
    std::vector<SourceLocation> wanted;
    std::map<std::pair<std::string, unsigned>, std::string> of_place;  // file, offset of the name
    std::map<std::pair<std::string, unsigned>, SourceEdit> edits;
    std::optional<Error> error;
};

struct UnitResult {
    std::set<std::string> names;
    std::string tail;
};

class Externaliser : public clang::RecursiveASTVisitor<Externaliser> {
public:
    Externaliser(clang::ASTContext& context, Names& names, UnitResult& result)
        : m_context(context), m_sources(context.getSourceManager()), m_names(names), m_result(result) {}

    void run() {
        m_pass = Pass::find;
        traverse();
        m_pass = Pass::edit;
        traverse();
        for (const auto& [variable, name] : m_targets) {
            const_cast<clang::VarDecl*>(variable)->setDeclName(&m_context.Idents.get(name));
        }
        for (const clang::DeclStmt* statement : m_statements) {
            move_out(*statement);
        }
    }

    bool VisitVarDecl(clang::VarDecl* variable) {
        if (m_pass == Pass::find) {
            if (variable->getStorageClass() == clang::SC_Static && is_wanted(*variable)) {
                m_groups.insert(variable->getBeginLoc());
            }
            return true;
        }
        if (const std::string* name = name_of(variable)) {
            if (!variable->isStaticLocal()) {
                take_static_away(*variable);
            }
            rename(variable->getLocation(), variable->getNameAsString(), *name);
        }
        return true;
    }

    // A declaration statement has one `static` for all of its variables.
    bool VisitDeclStmt(clang::DeclStmt* statement) {
        if (m_pass == Pass::edit && !statement->decls().empty() && name_of(*statement->decl_begin())) {
            m_statements.push_back(statement);
        }
        return true;
    }

    bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
        if (m_pass == Pass::edit) {
            if (const std::string* name = name_of(reference->getDecl())) {
                rename(reference->getLocation(), reference->getDecl()->getNameAsString(), *name);
            } else {
                m_others.push_back(reference->getLocation());
            }
        }
        return true;
    }

private:
    enum class Pass { find, edit };

    // Then the variables that share a declaration with a wanted one are wanted, too.
    void traverse() {
        if (m_pass == Pass::edit) {
            Members members{*this};
            members.TraverseDecl(m_context.getTranslationUnitDecl());
        }
        TraverseDecl(m_context.getTranslationUnitDecl());
        for (const clang::SourceLocation other : m_others) {
            const auto [file, offset] = spelled_at(other);
            if (m_pass == Pass::edit && m_names.edits.contains({file, offset})) {
                refuse(other, "a macro uses the name for another variable, too");
            }
        }
    }

    struct Members : clang::RecursiveASTVisitor<Members> {
        explicit Members(Externaliser& all) : m_all(all) {}
        bool VisitVarDecl(clang::VarDecl* variable) {
            if (m_all.m_groups.contains(variable->getBeginLoc())) {
                m_all.add(*variable);
            }
            return true;
        }
        Externaliser& m_all;
    };

    bool is_wanted(const clang::VarDecl& variable) const {
        const SourceLocation at = locate(m_context, variable.getLocation());
        return std::any_of(m_names.wanted.begin(), m_names.wanted.end(), [&](const SourceLocation& w) {
            return w.file == at.file && w.line == at.line && w.column == at.column;
        });
    }

    void add(const clang::VarDecl& variable) {
        const std::pair<std::string, unsigned> at = spelled_at(variable.getCanonicalDecl()->getLocation());
        std::string& name = m_names.of_place[at];
        if (name.empty()) {
            name = fmt::format("{}_s{}_{}", m_names.prefix, m_names.of_place.size() - 1, variable.getNameAsString());
        }
        m_targets[variable.getCanonicalDecl()] = name;
        m_result.names.insert(name);
        const bool has_attributes = std::any_of(variable.attr_begin(), variable.attr_end(), [](const clang::Attr* a) {
            return !llvm::isa<clang::AlignedAttr, clang::UnusedAttr, clang::UsedAttr>(a);
        });
        if (variable.isStaticLocal() && has_attributes) {
            refuse(variable.getLocation(), "it has attributes that a declaration elsewhere would lose");
        }
    }

    const std::string* name_of(const clang::Decl* declaration) const {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        const auto found = variable ? m_targets.find(variable->getCanonicalDecl()) : m_targets.end();
        return found == m_targets.end() ? nullptr : &found->second;
    }

    void refuse(clang::SourceLocation where, const std::string& why) {
        if (!m_names.error) {
            const SourceLocation at = locate(m_context, where);
            m_names.error = Error{ErrorCode::model, why, fmt::format("{}:{}", at.file, at.line), {}, {}};
        }
    }

    std::pair<std::string, unsigned> spelled_at(clang::SourceLocation location) const {
        const auto [file, offset] = m_sources.getDecomposedLoc(m_sources.getSpellingLoc(location));
        const clang::OptionalFileEntryRef entry = m_sources.getFileEntryRefForID(file);
        return {entry ? plain_path(entry->getName().str()) : "", offset};
    }

    void edit(std::pair<std::string, unsigned> at, unsigned length, std::string text, clang::SourceLocation where) {
        if (at.first.empty() || at.first.starts_with("/")) {
            return refuse(where, "a macro makes up its name, or it is declared in a header of the system");
        }
        SourceEdit& known = m_names.edits[at];
        if (!known.file.empty() && (known.text != text || known.length != length)) {
            return refuse(where, "a macro uses the name for another variable, too");
        }
        known = {at.first, at.second, length, std::move(text)};
    }

    void rename(clang::SourceLocation location, const std::string& old, const std::string& name) {
        bool is_invalid = false;
        const char* text = m_sources.getCharacterData(m_sources.getSpellingLoc(location), &is_invalid);
        if (is_invalid || llvm::StringRef(text, old.size()) != old) {
            return refuse(location, "a macro makes up its name");
        }
        edit(spelled_at(location), static_cast<unsigned>(old.size()), name, location);
    }

    void take_static_away(const clang::VarDecl& variable) {
        clang::SourceLocation at = variable.getBeginLoc();
        if (at.isMacroID() || variable.getLocation().isMacroID()) {
            return refuse(at, "a macro declares it");
        }
        clang::Token token;
        while (m_sources.isBeforeInTranslationUnit(at, variable.getLocation()) &&
               !clang::Lexer::getRawToken(at, token, m_sources, m_context.getLangOpts(), true)) {
            if (token.is(clang::tok::raw_identifier) && token.getRawIdentifier() == "static") {
                return edit(spelled_at(token.getLocation()), 6, "", at);
            }
            at = token.getEndLoc();
        }
        if (variable.getStorageClass() == clang::SC_Static) {
            refuse(variable.getLocation(), "a macro declares it");
        }
    }

    std::string declared(const clang::VarDecl& variable) const {
        std::string text = variable.getNameAsString();
        const clang::QualType type = variable.getType().getCanonicalType();
        type.getAsStringInternal(text, m_context.getPrintingPolicy());
        const std::int64_t alignment = m_context.getDeclAlign(&variable).getQuantity();
        return alignment > m_context.getTypeAlignInChars(type).getQuantity()
                   ? fmt::format("_Alignas({}) {}", alignment, text)
                   : text;
    }

    bool is_of_a_function(clang::QualType type) const {
        const clang::TagDecl* tag = m_context.getBaseElementType(type).getCanonicalType()->getAsTagDecl();
        return tag && (tag->getDeclContext()->isFunctionOrMethod() || !tag->getIdentifier());
    }

    // After the variables have their new names, so that initial values are printed with these.
    void move_out(const clang::DeclStmt& statement) {
        const clang::SourceLocation begin = statement.getBeginLoc(), end = statement.getEndLoc();
        if (begin.isMacroID() || end.isMacroID()) {
            return refuse(begin, "a macro declares it");
        }
        std::string text;
        for (const clang::Decl* declaration : statement.decls()) {
            const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
            if (!variable || is_of_a_function(variable->getType())) {
                return refuse(begin, "its type is declared where only a function can name it");
            }
            text += (text.empty() ? "" : " ") + fmt::format("extern {};", declared(*variable));
            m_result.tail += declared(*variable);
            if (const clang::Expr* initial = variable->getInit()) {
                std::string value;
                llvm::raw_string_ostream out(value);
                initial->printPretty(out, nullptr, m_context.getPrintingPolicy());
                m_result.tail += " = " + out.str();
            }
            m_result.tail += ";\n";
        }
        const auto [file, first] = spelled_at(begin);
        const unsigned last = spelled_at(end).second + 1;
        const std::string old(m_sources.getCharacterData(begin), last - first);
        text.append(static_cast<std::size_t>(std::count(old.begin(), old.end(), '\n')), '\n');
        std::erase_if(m_names.edits, [&, at = file, from = first](const auto& item) {
            return item.first.first == at && item.first.second >= from && item.first.second < last;
        });
        edit({file, first}, last - first, text, begin);
    }

    clang::ASTContext& m_context;
    const clang::SourceManager& m_sources;
    Names& m_names;
    UnitResult& m_result;
    Pass m_pass = Pass::find;
    std::set<clang::SourceLocation> m_groups;
    std::map<const clang::VarDecl*, std::string> m_targets;
    std::vector<const clang::DeclStmt*> m_statements;
    std::vector<clang::SourceLocation> m_others;
};

}  // namespace

Result<ExternalStatics> externalise(const FrontEndInput& input, const std::vector<SourceLocation>& variables,
                                    const std::string& prefix) {
    Names names{prefix, variables, {}, {}, {}};
    std::vector<UnitResult> units(input.sources.size());
    std::map<std::string, int> uses;
    for (std::size_t unit = 0; unit < input.sources.size(); ++unit) {
        llvm::LLVMContext code;
        const auto look = [&](clang::ASTContext& context) { Externaliser(context, names, units[unit]).run(); };
        MM_TRY(const ParsedUnit parsed, parse_unit(input, static_cast<int>(unit), code, look));
        for (const std::string& name : units[unit].names) {
            uses[name]++;
        }
    }
    if (names.error) {
        return tl::unexpected<Error>(*names.error);
    }
    ExternalStatics result;
    for (auto& [at, edit] : names.edits) {
        result.edits.push_back(std::move(edit));
    }
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        const std::string& source = input.sources[unit];
        for (const std::string& name : units[unit].names) {
            if (uses[name] > 1) {
                result.head[source] += fmt::format("#define {} {}_{}\n", name, name, unit);
            }
        }
        if (!units[unit].tail.empty()) {
            result.tail[source] = units[unit].tail;
        }
    }
    return result;
}

std::string edited(const std::string& text, const std::string& file, const std::vector<SourceEdit>& edits) {
    std::string result;
    std::size_t done = 0;
    for (const SourceEdit& edit : edits) {
        if (edit.file == file) {
            result += text.substr(done, edit.offset - done) + edit.text;
            done = edit.offset + edit.length;
        }
    }
    return result + text.substr(done);
}

}  // namespace metamorph::cfront
