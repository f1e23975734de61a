#include "util/result.h"

namespace metamorph {

std::string describe(const Error& error) {
    std::string text = "error: " + error.message + "\n";
    if (!error.where.empty()) {
        text += "  at " + error.where + "\n";
    }
    for (const std::string& context : error.context) {
        text += "  " + context + "\n";
    }
    if (!error.hint.empty()) {
        text += "  hint: " + error.hint + "\n";
    }
    return text;
}

}  // namespace metamorph
