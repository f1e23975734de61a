// Assembles the woven project. The build id is a hash over every file of it that decides what NVM means, that is, over
// all but itself: another build of another model, split or layout never takes over the NVM of this one.
#include "weave/weave.h"

#include <fmt/format.h>

#include "util/hash.h"
#include "weave/device_fit.h"
#include "weave/embedded_runtime.h"
#include "weave/writers.h"

namespace metamorph::weave {
namespace {

std::uint64_t build_id(const std::map<std::string, std::string>& files) {
    std::string all;
    for (const auto& [path, contents] : files) {
        all += fmt::format("{}\n{}\n{}\n", path, contents.size(), contents);
    }
    return std::stoull(sha256_hex(all).substr(0, 16), nullptr, 16);
}

// Of the ports, those that the target is made of.
bool is_needed(std::string_view path, const WeaveInput& input) {
    constexpr std::string_view k_ports = "runtime/ports/";
    if (!path.starts_with(k_ports)) {
        return true;
    }
    const std::string_view port = path.substr(k_ports.size(), path.find('/', k_ports.size()) - k_ports.size());
    if (input.device == nullptr) {
        return port == "host";
    }
    return port == "start" || port == "board" ||
           port == (input.device->attachment == app::Attachment::mapped ? "mapped" : "spi");
}

}  // namespace

Result<WovenProject> weave(const WeaveInput& input) {
    if (input.device != nullptr) {
        MM_CHECK(check_fits(*input.chain, *input.plan, *input.device));
    }
    WovenProject project;
    project.app_target = input.prefix + "_app";
    project.plain_target = input.prefix + "_plain";
    const std::string app = fmt::format("app/{}_", input.prefix);
    project.files = input.files;
    project.files[app + "app.h"] = write_app_header(input);
    MM_TRY(project.files[app + "tasks.c"], write_tasks(input));
    project.files[app + "tables.c"] = write_tables(input, 0);
    const std::uint64_t id = build_id(project.files);
    project.files[app + "tables.c"] = write_tables(input, id);
    if (input.device == nullptr) {
        project.files[app + "host.c"] = write_host_description(input);
        MM_TRY(project.files[app + "plain.c"], write_plain_main(input));
        project.files["CMakeLists.txt"] = write_cmake(input);
    } else {
        project.files[app + "board.c"] = write_board_description(input);
        MM_TRY(project.files[app + "plain.c"], write_board_plain_main(input));
        project.files["CMakeLists.txt"] = write_device_cmake(input);
        project.files.merge(device_files(input));
    }
    for (const EmbeddedFile& file : embedded_runtime()) {
        if (is_needed(file.path, input)) {
            project.files[file.path == "LICENSE" ? "runtime/LICENSE" : std::string(file.path)] =
                std::string(file.contents);
        }
    }
    project.files["README.md"] = write_readme(input);
    project.files["weave.json"] = write_summary(input, id);
    return project;
}

}  // namespace metamorph::weave
