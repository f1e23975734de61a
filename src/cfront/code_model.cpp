#include "cfront/code_model.h"

#include <algorithm>

namespace metamorph::cfront {

std::string Variable::qualified_name() const {
    return local_to.empty() ? name : local_to + "." + name;
}

std::string Opaque::print() const {
    const std::string at = where.empty() ? "" : where + ": ";
    switch (kind) {
        case Kind::undefined:
            return at + "calls " + function + ", which has no definition here";
        case Kind::recursive:
            return at + "calls " + function + ", which is recursive or cannot be inlined";
        case Kind::pointer:
            return at + "a call through a pointer";
        case Kind::assembly:
            return at + "inline assembly";
        case Kind::loop:
            return at + "a loop that is entered in several places";
    }
    return at;
}

const Function* CodeModel::function(const std::string& name) const {
    const auto found =
        std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
    return found == functions.end() ? nullptr : &*found;
}

}  // namespace metamorph::cfront
