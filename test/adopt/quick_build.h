// Builds woven projects of the corpus for this host, many in a short time: the runtime and the host's port once, of a
// project its own C in two runs of the compiler. The flags are those of the project's own CMakeLists.txt.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tasks/task_plan.h"
#include "util/result.h"

namespace metamorph::corpus {

class QuickBuild {
public:
    // `folder` takes what is shared. After prepare(), several threads may build at once.
    explicit QuickBuild(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    // The runtime for one way that NVM is attached, from any project woven for it.
    Status prepare(const std::filesystem::path& project, tasks::NvmMode mode);

    // Programs `net_app` and `net_plain` in the project's folder, from `sources` besides what the weaver wrote in app/.
    Status build_app(const std::filesystem::path& project, tasks::NvmMode mode,
                     const std::vector<std::string>& sources) const;
    Status build_plain(const std::filesystem::path& project, const std::vector<std::string>& sources) const;

private:
    std::filesystem::path m_folder;
};

}  // namespace metamorph::corpus
