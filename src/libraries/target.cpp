#include "libraries/target.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/toolchain.h"
#include "util/text.h"

namespace metamorph::libraries {

bool Target::is_in(const app::TargetSet& set) const {
    const auto allows = [](const std::vector<std::string>& allowed, const std::string& value) {
        return allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end();
    };
    return allows(set.toolchains, toolchain) && allows(set.cores, core) && allows(set.attachments, attachment) &&
           allows(set.devices, device);
}

std::vector<std::string> toolchains_of(const app::Device& device) {
    std::vector<std::string> names;
    if (!device.is_host()) {
        for (const app::Compiler& compiler : device.compilers) {
            names.push_back(compiler.name);
        }
        return names;
    }
    for (const build::ToolchainDescription& known : build::known_toolchains()) {
        if (known.target == build::Target::host) {
            names.push_back(known.name);
        }
    }
    return names;
}

Result<Target> target_for(const app::Device& device, const std::string& toolchain, const std::string& option) {
    const std::vector<std::string> names = toolchains_of(device);
    const std::string name = toolchain.empty() ? names.front() : toolchain;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        const std::string hint = did_you_mean(name, names);
        return fail_with_hint(ErrorCode::options, option,
                              fmt::format("'{}' has no toolchain '{}'", device.name, printable(name)),
                              hint.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : hint);
    }
    Target target{device.name, name, app::name_of(device.core), {}, {}, {}, {}};
    if (device.is_host()) {
        const auto& known = build::known_toolchains();
        const auto found = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.name == name; });
        target.program = found->program;
        target.packages = found->packages;
        target.flags = found->target_flags;
        return target;
    }
    const app::Compiler& compiler = *device.compiler(name);
    target.attachment = app::name_of(device.attachment);
    target.program = compiler.program;
    target.packages = compiler.packages;
    target.flags = compiler.flags;
    if (name == "clang") {
        target.flags.emplace_back("-ffreestanding");  // as woven projects do
    }
    return target;
}

}  // namespace metamorph::libraries
