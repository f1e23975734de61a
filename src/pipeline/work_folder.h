// Where a command works: a folder that the user wants to keep, or a scratch folder, which is removed unless an error
// names a file in it.
#pragma once

#include <filesystem>
#include <string>

#include "util/interrupt.h"
#include "util/result.h"

namespace metamorph::pipeline {

bool names(const Error& error, const std::string& path);

// `work`: a function of a folder that returns a Result. `keep` empty: a scratch folder whose name begins with `name`.
template <typename Work>
auto in_work_folder(const std::filesystem::path& keep, const std::string& name, Work work)
    -> decltype(work(std::filesystem::path())) {
    if (!keep.empty()) {
        return work(std::filesystem::absolute(keep));
    }
    MM_TRY(ScratchFolder scratch, ScratchFolder::make(name));
    auto result = work(std::filesystem::absolute(scratch.path()));
    if (!result && names(result.error(), scratch.path().string())) {
        scratch.keep();  // the error names a log in it
    }
    return result;
}

}  // namespace metamorph::pipeline
