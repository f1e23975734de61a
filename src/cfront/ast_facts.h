// The syntax tree of one source → UnitFacts.
#pragma once

#include <string>

#include "cfront/unit_facts.h"

namespace clang {
class ASTContext;
class FunctionDecl;
class QualType;
class SourceLocation;
}  // namespace clang

namespace metamorph::cfront {

// Functions, variables and, where the source defines `entry`, the entry's body.
void collect_facts(clang::ASTContext& context, const std::string& entry, int unit, UnitFacts& facts);

// The entry's body as a straight list of calls; stops at the first statement that is none, with a refusal.
EntryBody read_entry_body(clang::ASTContext& context, const clang::FunctionDecl& function);

// Whether a value of the type is or has pointers.
bool has_pointer(clang::QualType type);

SourceLocation locate(const clang::ASTContext& context, clang::SourceLocation location);

}  // namespace metamorph::cfront
