#include "cfront/code_model.h"

#include <algorithm>

namespace metamorph::cfront {

std::string Variable::qualified_name() const {
    return local_to.empty() ? name : local_to + "." + name;
}

const Function* CodeModel::function(const std::string& name) const {
    const auto found =
        std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
    return found == functions.end() ? nullptr : &*found;
}

}  // namespace metamorph::cfront
