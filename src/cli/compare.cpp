#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "cli/subcommand.h"
#include "cli/values.h"
#include "util/text.h"

namespace metamorph::cli {
namespace {

constexpr std::uint64_t k_inferences_max = 10'000;
constexpr const char* k_usage = "metamorph compare MODEL --generators native,bakenn";

class Compare : public Subcommand {
public:
    Compare(CLI::App& root, const std::vector<std::string>& devices, const std::vector<std::string>& frameworks)
        : Subcommand(root, "compare", "Put the code of several generators for one network side by side",
                     {{"metamorph compare kws.tflite net.onnx --generators native,emx-onnx-cgen",
                       "each takes the format that it knows; same inputs, same device"},
                      {"metamorph compare kws.tflite --generators native,tflm --dataset data.bin",
                       "which of them gets the labelled inputs right"}}) {
        add_files("MODEL",
                  "the network, in as many formats as the generators need; an int8 .tflite among them says what "
                  "quantised inputs and outputs mean");
        add_value("--generators", "NAMES",
                  "two or more, with commas between them: native, and those that 'metamorph frameworks' lists "
                  "(required)",
                  frameworks);
        add_list("--option", "NAME:OPTION=VALUE",
                 "an option of one of the generators; 'metamorph frameworks NAME' lists them; may be repeated");
        add_value("--device", "DEVICE",
                  "a name that 'metamorph devices' lists, or a description of your own (a .toml file); default: "
                  "cortex-m4-mapped",
                  devices);
        add_value("--toolchain", "NAME", "gcc or clang; default: the first that the device names", {"gcc", "clang"});
        add_value("-t,--tasks", "SPLIT",
                  "how steps become tasks: whole, layer (default), a list of steps per task (3,3,3), or a number of "
                  "tasks (4)",
                  {"whole", "layer"});
        add_value("--task-count", "N", "a number of tasks, as --tasks N");
        add_value("--inferences", "N", "inputs in a row; default: 1");
        add_value("--dataset", "FILE",
                  "labelled inputs (models/digits/README.md has the layout); default: random ones");
        add_value("--seed", "N", "of random inputs; default: 1");
        add_flag("--verify", "prove each woven program, too: the power cut at every write");
        add_value("-j,--jobs", "N", "emulators and compilers at once; default: as many as processors");
        add_value("--keep", "DIR", "keep the projects and their builds there; default: a scratch folder, removed");
        add_flag("--json", "print one JSON document and nothing else");
        add_flag("-q,--quiet", "no progress, no remarks");
    }

    Result<int> execute(const Commands& commands) const override {
        CompareOptions options;
        static_cast<CommonOptions&>(options) = common();
        MM_CHECK(exclude("--dataset", "--seed", "the seed is for random inputs: leave one of them out"));
        MM_CHECK(read_candidates(options));
        MM_TRY(options.tasks, read_tasks());
        MM_CHECK(read_target(options));
        MM_CHECK(read_inputs(options));
        options.proves = has("--verify");
        MM_CHECK(read_resources(options.jobs, options.keep));
        MM_CHECK(needed("MODEL", k_usage));
        for (const std::string& model : texts("MODEL")) {
            MM_CHECK(need_file("MODEL", model));
            options.models.emplace_back(model);
        }
        return commands.compare(options);
    }

private:
    Status read_candidates(CompareOptions& options) const {
        MM_TRY(const std::string names, needed("--generators", k_usage));
        for (const std::string& name : split_list(names)) {
            MM_CHECK(check_framework("--generators", name));
            const bool is_twice = std::any_of(options.candidates.begin(), options.candidates.end(),
                                              [&](const auto& candidate) { return candidate.generator == name; });
            if (name.empty() || is_twice) {
                return fail_with_hint(
                    ErrorCode::options, "--generators",
                    name.empty() ? "a name is missing" : fmt::format("'{}' is named twice", printable(name)),
                    fmt::format("write names with a comma between them: {}", k_usage));
            }
            options.candidates.push_back({name, {}});
        }
        if (options.candidates.size() < 2) {
            return fail_with_hint(ErrorCode::options, "--generators", "two generators or more are compared",
                                  fmt::format("{}; 'metamorph verify' looks at one", k_usage));
        }
        for (const std::string& text : texts("--option")) {
            const std::size_t colon = text.find(':'), equals = text.find('=');
            if (colon == std::string::npos || equals == std::string::npos || equals < colon + 2) {
                return fail_with_hint(
                    ErrorCode::options, "--option",
                    fmt::format("'{}' does not say whose option it is, or has no name or no value", printable(text)),
                    "as in NAME:OPTION=VALUE");
            }
            const std::string name = text.substr(0, colon);
            const auto whose = std::find_if(options.candidates.begin(), options.candidates.end(),
                                            [&](const auto& candidate) { return candidate.generator == name; });
            if (whose == options.candidates.end()) {
                return fail_with_hint(ErrorCode::options, "--option",
                                      fmt::format("'{}' is not among the generators", printable(name)),
                                      fmt::format("name it in --generators; these are {}", names));
            }
            whose->options.emplace_back(text.substr(colon + 1, equals - colon - 1), text.substr(equals + 1));
        }
        return {};
    }

    Status read_target(CompareOptions& options) const {
        if (const auto device = text("--device")) {
            MM_CHECK(check_device("--device", *device));
            options.device = *device;
        }
        if (const auto toolchain = text("--toolchain")) {
            MM_CHECK(read_choice("--toolchain", *toolchain, {"gcc", "clang"}));
            options.toolchain = *toolchain;
        }
        return {};
    }

    Status read_inputs(CompareOptions& options) const {
        if (const auto inferences = text("--inferences")) {
            MM_TRY(const std::uint64_t number, read_number("--inferences", *inferences, 1, k_inferences_max));
            options.inferences = static_cast<int>(number);
        }
        if (const auto dataset = text("--dataset")) {
            options.dataset = *dataset;
            MM_CHECK(need_file("--dataset", options.dataset));
        }
        if (const auto seed = text("--seed")) {
            MM_TRY(options.seed, read_number("--seed", *seed, 0, std::numeric_limits<std::uint64_t>::max()));
        }
        return {};
    }
};

}  // namespace

std::unique_ptr<Subcommand> make_compare(CLI::App& root, const std::vector<std::string>& devices,
                                         const std::vector<std::string>& frameworks) {
    return std::make_unique<Compare>(root, devices, frameworks);
}

}  // namespace metamorph::cli
