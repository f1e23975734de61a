// A program of the corpus, and what its first line says must become of it:
//
//     // HAZARD: woven, 3 steps.
//     // HAZARD: woven, 1 step. Note: "net.c:12: words".
//     // HAZARD: refused at line 12: "words".
//
// Lines "// --parameter x=input:16" anywhere in it say what its entry's parameters are, and "// --slice 0=4" which of
// its steps become slices. Where slices are refused, the line stands in the message.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "generate/foreign_code.h"

namespace metamorph::corpus {

struct Program {
    std::string name;  // of its file or folder, and of its main source
    std::string hazard;
    bool is_refused = false;
    int steps = 0;                    // woven
    int line = 0;                     // refused: of its main source
    std::string words;                // refused: in the message; woven: in one of the notes, if not empty
    std::vector<std::string> slices;  // as --slice has them
    generate::ForeignCode code;
};

// All programs of a folder, sorted by name; a first line that is not as above is an error of the test.
std::vector<Program> read_corpus(const std::filesystem::path& folder);

}  // namespace metamorph::corpus
