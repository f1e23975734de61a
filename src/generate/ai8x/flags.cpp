#include "generate/ai8x/flags.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "util/text.h"

namespace metamorph::generate::ai8x {
namespace {

enum class Use { all, first, last, whole, ours, refused };  // whole: of a network that is not split

struct Known {
    const char* name;
    bool takes_value;
    Use use;
    const char* why;  // of whole, ours, refused
};

constexpr const char* k_by_tasks = "--tasks says where the network is cut";
constexpr const char* k_names = "Metamorph names the files of each part";
constexpr const char* k_simulation = "it makes a simulation, not C for the device";
constexpr const char* k_riscv = "it makes a program for the second core, which no task runs on";
constexpr const char* k_check = "what crosses a cut is read from the known-answer test, which it changes";
constexpr const char* k_shape = "it changes the order of the program, which tasks are made from";
constexpr const char* k_counts = "it counts layers of the whole network, and each part would take them for its own";
constexpr const char* k_layers = "write it into the YAML file, where it is checked";

constexpr Known k_flags[] = {
    {"--avg-pool-rounding", false, Use::all, ""},
    {"--simple1b", false, Use::all, ""},
    {"--pipeline", false, Use::all, ""},
    {"--no-pipeline", false, Use::all, ""},
    {"--pll", false, Use::all, ""},
    {"--no-pll", false, Use::all, ""},
    {"--apb", false, Use::all, ""},
    {"--balance-speed", false, Use::all, ""},
    {"--max-speed", false, Use::all, ""},
    {"--clock-divider", true, Use::all, ""},
    {"--board-name", true, Use::all, ""},
    {"--define", true, Use::all, ""},
    {"--compact-data", false, Use::all, ""},
    {"--no-compact-data", false, Use::all, ""},
    {"--compact-weights", false, Use::all, ""},
    {"--mexpress", false, Use::all, ""},
    {"--no-mexpress", false, Use::all, ""},
    {"--mlator", false, Use::last, ""},
    {"--mlator-noverify", false, Use::last, ""},
    {"--unroll-mlator", true, Use::last, ""},
    {"--unroll-8bit", true, Use::last, ""},
    {"--unroll-wide", true, Use::last, ""},
    {"--softmax", false, Use::last, ""},
    {"--unload", false, Use::last, ""},
    {"--output-width", true, Use::last, ""},
    {"--boost", true, Use::all, ""},
    {"--no-wfi", false, Use::all, ""},
    {"--timer", true, Use::all, ""},
    {"--no-timer", false, Use::all, ""},
    {"--switch-delay", true, Use::all, ""},
    {"--no-deduplicate-weights", false, Use::all, ""},
    {"--no-warn-zero", false, Use::all, ""},
    {"--fifo", false, Use::first, ""},
    {"--no-fifo-wait", false, Use::first, ""},
    {"--slow-load", true, Use::first, ""},
    {"--verbose", false, Use::all, ""},
    {"-v", false, Use::all, ""},
    {"--log", false, Use::all, ""},
    {"-L", false, Use::all, ""},
    {"--no-log", false, Use::all, ""},
    {"--no-progress", false, Use::all, ""},
    {"--log-intermediate", false, Use::all, ""},
    {"--log-pooling", false, Use::all, ""},
    {"--short-log", false, Use::all, ""},
    {"--debug", false, Use::all, ""},
    {"-D", false, Use::all, ""},
    {"--debug-computation", false, Use::all, ""},
    {"--debug-latency", false, Use::all, ""},
    {"--ignore-hw-limits", false, Use::all, ""},
    {"--ignore-bn", false, Use::all, ""},
    {"--ignore-activation", false, Use::all, ""},
    {"--ignore-energy-warning", false, Use::all, ""},
    {"--ignore-mlator-warning", false, Use::all, ""},
    {"--new-kernel-loader", false, Use::all, ""},
    {"--old-kernel-loader", false, Use::all, ""},
    {"--overlap-data", false, Use::all, ""},
    {"--ignore-streaming", false, Use::whole, k_layers},
    {"--powerdown", false, Use::all, ""},
    {"--max-proc", true, Use::all, ""},
    {"--write-zero-registers", false, Use::all, ""},
    {"--init-tram", false, Use::all, ""},
    {"--zero-sram", false, Use::all, ""},
    {"--zero-unused", false, Use::all, ""},
    {"--ready-sel", true, Use::all, ""},
    {"--ready-sel-fifo", true, Use::all, ""},
    {"--ready-sel-aon", true, Use::all, ""},
    {"--no-version-check", false, Use::all, ""},
    {"--version-check-interval", true, Use::all, ""},
    {"--upstream", true, Use::all, ""},
    {"--yamllint", true, Use::all, ""},
    {"--reshape-inputs", false, Use::all, ""},
    {"--override-start", true, Use::first, ""},
    {"--increase-start", true, Use::first, ""},
    {"--override-rollover", true, Use::first, ""},
    {"--override-delta1", true, Use::first, ""},
    {"--increase-delta1", true, Use::first, ""},
    {"--override-delta2", true, Use::first, ""},
    {"--increase-delta2", true, Use::first, ""},
    {"--bias-input", true, Use::whole, k_counts},
    {"--weight-input", true, Use::whole, k_counts},
    {"--no-bias", true, Use::whole, k_counts},
    {"--streaming-layers", true, Use::refused, k_layers},
    {"--stop-after", true, Use::ours, k_by_tasks},
    {"--skip-yaml-layers", true, Use::ours, k_by_tasks},
    {"--skip-checkpoint-layers", true, Use::ours, k_by_tasks},
    {"--input-offset", true, Use::ours,
     "a part's input is where the part before it wrote: in the YAML file, that is "
     "'in_offset' of the first layer"},
    {"--sample-numpy-filename", true, Use::ours, k_by_tasks},
    {"--sample-input", true, Use::ours, "give it as --option sample-input=PATH"},
    {"--config-file", true, Use::ours, "it is the model that Metamorph is given"},
    {"--checkpoint-file", true, Use::ours, "give it as --option checkpoint=PATH"},
    {"--device", true, Use::ours, "the parts are for the MAX78000"},
    {"--ai85", false, Use::ours, "the parts are for the MAX78000"},
    {"--prefix", true, Use::ours, k_names},
    {"--test-dir", true, Use::ours, k_names},
    {"--overwrite", false, Use::ours, k_names},
    {"--c-filename", true, Use::ours, k_names},
    {"--api-filename", true, Use::ours, k_names},
    {"--weight-filename", true, Use::ours, k_names},
    {"--sample-filename", true, Use::ours, k_names},
    {"--sample-output-filename", true, Use::ours, k_names},
    {"--log-filename", true, Use::ours, k_names},
    {"--start-layer", true, Use::refused, "it does not work on this device"},
    {"--no-unload", false, Use::refused, "the network's output comes from cnn_unload"},
    {"--no-kat", false, Use::refused, k_check},
    {"--max-verify-length", true, Use::refused, k_check},
    {"--max-checklines", true, Use::refused, k_check},
    {"--energy", false, Use::refused, k_shape},
    {"--stop-start", false, Use::refused, k_shape},
    {"--one-shot", false, Use::refused, k_shape},
    {"--repeat-layers", true, Use::refused, k_shape},
    {"--forever", false, Use::refused, k_shape},
    {"--link-layer", false, Use::refused, k_shape},
    {"--deepsleep", false, Use::refused, k_shape},
    {"--no-error-stop", false, Use::refused, "an error of one part would spoil the next without a word"},
    {"--fast-fifo", false, Use::refused, k_riscv},
    {"--fast-fifo-quad", false, Use::refused, k_riscv},
    {"--riscv", false, Use::refused, k_riscv},
    {"--riscv-flash", false, Use::refused, k_riscv},
    {"--riscv-cache", false, Use::refused, k_riscv},
    {"--riscv-debug", false, Use::refused, k_riscv},
    {"--riscv-exclusive", false, Use::refused, k_riscv},
    {"--rtl", false, Use::refused, k_simulation},
    {"--rtl-sim", false, Use::refused, k_simulation},
    {"--rtl-preload", false, Use::refused, k_simulation},
    {"--rtl-preload-weights", false, Use::refused, k_simulation},
    {"--input-csv", true, Use::refused, k_simulation},
    {"--input-fifo", false, Use::refused, k_simulation},
    {"--display-checkpoint", false, Use::refused, "it shows a file and makes no C"},
    {"--input-split", true, Use::refused, "it cuts images, which no task knows of"},
    {"--synthesize-input", true, Use::refused, "the program would make up its input"},
    {"--fixed-input", false, Use::refused, "the program would make up its input"},
};

struct Exclusion {
    const char *one, *other, *why;
};
constexpr Exclusion k_exclusions[] = {
    {"--pipeline", "--no-pipeline", "keep one"},
    {"--pll", "--no-pll", "keep one"},
    {"--pll", "--apb", "--apb means --no-pll"},
    {"--balance-speed", "--max-speed", "keep one"},
    {"--compact-data", "--no-compact-data", "keep one"},
    {"--mexpress", "--no-mexpress", "keep one"},
    {"--log", "--no-log", "keep one"},
    {"--timer", "--no-timer", "keep one"},
    {"--new-kernel-loader", "--old-kernel-loader", "keep one"},
    {"--softmax", "--mlator", "softmax takes 32-bit outputs, and mlator reorders 8-bit ones"},
};

const Known* find(const std::string& name) {
    const auto* at =
        std::find_if(std::begin(k_flags), std::end(k_flags), [&](const Known& known) { return name == known.name; });
    return at == std::end(k_flags) ? nullptr : at;
}

tl::unexpected<Error> unknown(const std::string& name) {
    std::vector<std::string> names;
    for (const Known& known : k_flags) {
        if (known.use != Use::refused && known.use != Use::ours) {
            names.emplace_back(known.name);
        }
    }
    const std::string near = did_you_mean(name, names);
    return fail_with_hint(ErrorCode::options, "--option flag=",
                          fmt::format("ai8xize.py has no flag '{}' that "
                                      "Metamorph knows",
                                      printable(name)),
                          near.empty() ? "docs/frameworks/ai8x.md lists those that are handed on" : near);
}

Status check_value(const GivenFlag& flag) {
    if (flag.name == "--output-width" && flag.value != "8" && flag.value != "32") {
        return fail_with_hint(ErrorCode::options, flag.name,
                              fmt::format("the output has 8 or 32 bits, not '{}'", printable(*flag.value)),
                              "write --output-width 8 or --output-width 32");
    }
    return {};
}

Status check_exclusions(const std::vector<GivenFlag>& flags) {
    for (const Exclusion& exclusion : k_exclusions) {
        if (has_flag(flags, exclusion.one) && has_flag(flags, exclusion.other)) {
            return fail_with_hint(ErrorCode::options, exclusion.one,
                                  fmt::format("{} and {} exclude each other", exclusion.one, exclusion.other),
                                  exclusion.why);
        }
    }
    const auto width =
        std::find_if(flags.begin(), flags.end(), [](const GivenFlag& flag) { return flag.name == "--output-width"; });
    if (width != flags.end() && width->value == "8" && has_flag(flags, "--softmax")) {
        return fail_with_hint(ErrorCode::options, "--softmax",
                              "--softmax and --output-width 8 exclude each other: softmax takes 32-bit outputs",
                              "remove one of them");
    }
    return {};
}

}  // namespace

bool has_flag(const std::vector<GivenFlag>& flags, const std::string& name) {
    return std::any_of(flags.begin(), flags.end(), [&](const GivenFlag& flag) { return flag.name == name; });
}

Result<std::vector<GivenFlag>> read_flags(const std::vector<std::string>& words, int parts) {
    std::vector<GivenFlag> flags;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
        GivenFlag flag{words[i].substr(0, equals), {}, GivenFlag::Scope::all};
        const Known* known = find(flag.name);
        if (known == nullptr) {
            return unknown(flag.name);
        }
        if (known->use == Use::refused || known->use == Use::ours || (known->use == Use::whole && parts > 1)) {
            return fail_with_hint(
                ErrorCode::options, flag.name,
                fmt::format("{} is not handed on{}: {}", flag.name,
                            known->use == Use::whole ? " to a network of several parts" : "", known->why),
                fmt::format("remove {}", flag.name));
        }
        if (equals != std::string::npos) {
            flag.value = words[i].substr(equals + 1);
        } else if (known->takes_value && i + 1 < words.size()) {
            flag.value = words[++i];
        }
        if (known->takes_value != flag.value.has_value()) {
            return fail_with_hint(ErrorCode::options, flag.name,
                                  known->takes_value ? fmt::format("{} takes a value", flag.name)
                                                     : fmt::format("{} takes no value", flag.name),
                                  known->takes_value ? fmt::format("write {} VALUE", flag.name)
                                                     : fmt::format("write {} alone", flag.name));
        }
        if (has_flag(flags, flag.name)) {
            return fail_with_hint(ErrorCode::options, flag.name, fmt::format("{} is there twice", flag.name),
                                  "keep one of them");
        }
        MM_CHECK(check_value(flag));
        flag.scope = known->use == Use::first  ? GivenFlag::Scope::first
                     : known->use == Use::last ? GivenFlag::Scope::last
                                               : GivenFlag::Scope::all;
        flags.push_back(std::move(flag));
    }
    MM_CHECK(check_exclusions(flags));
    return flags;
}

}  // namespace metamorph::generate::ai8x
