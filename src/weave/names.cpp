// Names and banners that all files of a woven project share.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "weave/writers.h"

namespace metamorph::weave {

std::string task_function(const WeaveInput& input, int task) {
    return fmt::format("{}_task_{:02}", input.prefix, task);
}

std::string task_name(const WeaveInput& input, int task) {
    const tasks::PlannedTask& planned = input.plan->tasks[static_cast<std::size_t>(task)];
    const auto& steps = input.chain->steps;
    const auto short_name = [&](int step) {
        std::string name = steps[static_cast<std::size_t>(step)].label();
        if (name.rfind(input.prefix + "_", 0) == 0) {
            name.erase(0, input.prefix.size() + 1);
        }
        return name;
    };
    std::string name = short_name(planned.first_step);
    if (planned.last_step > planned.first_step) {
        name += fmt::format("..{}", short_name(planned.last_step));
    }
    return name;
}

std::string sram_name(const WeaveInput& input, cfront::ObjectId object) {
    return fmt::format("{}_sram_{}", input.prefix, input.chain->object(object).name);
}

std::string macro_prefix(const WeaveInput& input) {
    std::string upper = input.prefix;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
    return upper;
}

std::string target_option(const WeaveInput& input) {
    if (input.device != nullptr) {
        return "--device " + input.device->argument;
    }
    return input.plan->mode == tasks::NvmMode::mapped ? "--nvm mapped" : "--nvm bus";
}

std::string slice_options(const WeaveInput& input) {
    std::string options;
    for (const std::string& slice : input.slices) {
        options += " --slice " + slice;
    }
    return options;
}

std::string banner(const WeaveInput& input, const std::string& what) {
    return fmt::format(
        "/* {}\n *\n"
        " * Woven by Metamorph " METAMORPH_VERSION
        " from {} (SHA-256 {})\n"
        " * with --tasks {}{} {}. Regenerate with:\n *   {}\n */\n",
        what, input.model_file, input.model_sha256, input.split, slice_options(input), target_option(input),
        input.command);
}

}  // namespace metamorph::weave
