// Static variables under names that other files can use, as edits of the sources that declare them. What a variable
// means stays the same: each source that includes a header's static variable keeps one of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "cfront/front_end.h"
#include "util/result.h"

namespace metamorph::cfront {

struct SourceEdit {
    std::string file;  // relative to FrontEndInput::root
    unsigned offset = 0, length = 0;
    std::string text;  // with as many line feeds as it replaces: lines keep their numbers
};

struct ExternalStatics {
    std::vector<SourceEdit> edits;            // by file and offset, ascending; none overlap
    std::map<std::string, std::string> head;  // of a source: macros in front of its first line
    std::map<std::string, std::string> tail;  // of a source: definitions behind its last line
};

// `variables`: where they are declared (Variable::location). Names are PREFIX_s0_NAME, PREFIX_s1_NAME … Errors: model,
// with the place: a declaration or a use that a macro makes up, a type that only a function can name, an attribute that
// the new declaration would lose.
Result<ExternalStatics> externalise(const FrontEndInput& input, const std::vector<SourceLocation>& variables,
                                    const std::string& prefix);

// The text of one file with its edits (of `edits`, those of `file`).
std::string edited(const std::string& text, const std::string& file, const std::vector<SourceEdit>& edits);

}  // namespace metamorph::cfront
