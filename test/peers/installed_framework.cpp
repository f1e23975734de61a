#include "peers/installed_framework.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "generate/driver/environment.h"

namespace metamorph::test {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

fs::path venvs() {
    const std::string given = variable("METAMORPH_VENVS"), peers = variable("METAMORPH_PEERS");
    const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
    return !given.empty()   ? fs::path(given)
           : !peers.empty() ? fs::path(peers) / "frameworks"
           : !cache.empty() ? fs::path(cache) / "metamorph/frameworks"
                            : fs::path(home.empty() ? "/tmp" : home) / ".cache/metamorph/frameworks";
}

}  // namespace

std::string make_ready(const app::Framework& framework) {
    fs::create_directories(venvs());
    ::setenv("METAMORPH_VENVS", venvs().c_str(), 1);
    const int lock = ::open((venvs() / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    ::flock(lock, LOCK_EX);
    auto found = generate::find_installation(framework);
    if (found && !found->is_ready()) {
        found = generate::install(framework, [](const std::string&) {});
    }
    ::close(lock);
    return found ? std::string() : describe(found.error());
}

}  // namespace metamorph::test
