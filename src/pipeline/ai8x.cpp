#include "pipeline/ai8x.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generate/ai8x/network.h"
#include "generate/ai8x/npy.h"
#include "generate/driver/generator_process.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/process.h"
#include "util/text.h"

namespace metamorph::pipeline {
namespace {

namespace fs = std::filesystem;
namespace ai8x = generate::ai8x;

constexpr std::int64_t k_network_bytes_max = 1 << 20, k_file_bytes_max = 64 << 20;

struct Ai8xPlan {
    ai8x::Network network;
    std::string prefix;
    std::vector<ai8x::PartCommand> commands;
};

class Ai8xOptions {
public:
    Ai8xOptions(const app::Framework& framework, const Ai8xRequest& request)
        : m_framework(framework), m_request(request) {}

    Status check() const {
        std::vector<std::string> names;
        for (const app::FrameworkOption& option : m_framework.options) {
            names.push_back(option.name);
        }
        for (const auto& [name, value] : m_request.options) {
            const app::FrameworkOption* option = m_framework.option(name);
            if (option == nullptr) {
                const std::string near = did_you_mean(name, names);
                return fail_with_hint(ErrorCode::options, "--option",
                                      fmt::format("{} has no option '{}'", m_framework.name, printable(name)),
                                      near.empty() ? fmt::format("its options are {}", fmt::join(names, ", ")) : near);
            }
            if (!option->repeats && all(name).size() > 1) {
                return fail_with_hint(ErrorCode::options, "--option", fmt::format("'{}' is given twice", name),
                                      "keep one of them");
            }
        }
        return {};
    }

    std::vector<std::string> all(const std::string& name) const {
        std::vector<std::string> values;
        for (const auto& [given, value] : m_request.options) {
            if (given == name) {
                values.push_back(value);
            }
        }
        return values;
    }

    std::string one(const std::string& name) const {
        const std::vector<std::string> values = all(name);
        return values.empty() ? "" : values.front();
    }

    // A file that must be there, absolute, since the generator runs in its own folder.
    Result<fs::path> file(const std::string& name, const std::string& given) const {
        std::error_code error;
        if (!fs::is_regular_file(given, error)) {
            return fail_with_hint(ErrorCode::options, fmt::format("--option {}=", name),
                                  fmt::format("there is no file '{}'", printable(given)), "check the path");
        }
        return fs::absolute(given);
    }

    Result<fs::path> program() const {
        std::string given = one("program");
        if (const char* from_environment = std::getenv(k_ai8x_variable); given.empty() && from_environment != nullptr) {
            given = from_environment;
        }
        if (given.empty()) {
            return fail_with_hint(ErrorCode::toolchain, "--option program=",
                                  "the MAX78000's generator is not known: Metamorph does not bring it along",
                                  fmt::format("name it: --option program=PATH/ai8xize.py, or {}=PATH/ai8xize.py in the "
                                              "environment",
                                              k_ai8x_variable));
        }
        return file("program", given);
    }

private:
    const app::Framework& m_framework;
    const Ai8xRequest& m_request;
};

Result<std::vector<int>> layers_per_part(const tasks::Split& split, const ai8x::Network& network) {
    const auto layers = network.layers.size();
    switch (split.kind) {
        case tasks::Split::Kind::whole:
            return std::vector<int>{static_cast<int>(layers)};
        case tasks::Split::Kind::layer:
            return std::vector<int>(layers, 1);
        case tasks::Split::Kind::list:
            return split.layers;
        case tasks::Split::Kind::count:
            break;
    }
    return fail_with_hint(
        ErrorCode::options, "--tasks",
        fmt::format("{} tasks could be cut in many ways, and what crosses a cut is only known once the "
                    "parts are made",
                    split.count),
        fmt::format("give the layers per task: numbers that add up to {}", layers));
}

Result<std::optional<ai8x::InputShape>> input_shape(const fs::path& sample) {
    if (sample.empty()) {
        return std::optional<ai8x::InputShape>{};
    }
    MM_TRY(const ai8x::NpyHead head, ai8x::read_npy_head(sample));
    if (head.shape.size() != 2 && head.shape.size() != 3) {
        return fail_with_hint(ErrorCode::model, sample.string(),
                              fmt::format("the sample has {} dimensions", head.shape.size()),
                              "channels first: channels and length, or channels, rows and columns");
    }
    return std::optional(
        ai8x::InputShape{head.shape[0], head.shape[1], head.shape.size() == 3 ? head.shape[2] : std::int64_t{1}});
}

Result<ai8x::Network> network_at(const fs::path& path) {
    MM_TRY(const std::vector<std::byte> bytes, read_file(path, k_network_bytes_max));
    return ai8x::read_network({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                              printable(path.filename().string()));
}

Result<Ai8xPlan> plan(const app::Framework& framework, const Ai8xRequest& request, const fs::path& folder) {
    const Ai8xOptions options(framework, request);
    MM_CHECK(options.check());
    Ai8xPlan made;
    MM_TRY(made.network, network_at(request.network));
    MM_TRY(const std::vector<int> layers, layers_per_part(request.split, made.network));
    ai8x::CommandRequest commands;
    MM_TRY(commands.program, options.program());
    commands.python = options.all("python").empty() ? "python3" : options.one("python");
    commands.network = fs::absolute(request.network);
    if (options.one("checkpoint").empty()) {
        return fail_with_hint(ErrorCode::options, "--option checkpoint=", "nothing says where the trained weights are",
                              "--option checkpoint=PATH, a .pth.tar or .onnx file as ai8xize.py takes it");
    }
    MM_TRY(commands.checkpoint, options.file("checkpoint", options.one("checkpoint")));
    if (const std::string sample = options.one("sample-input"); !sample.empty()) {
        MM_TRY(commands.sample_input, options.file("sample-input", sample));
    }
    MM_TRY(const auto shape, input_shape(commands.sample_input));
    MM_CHECK(ai8x::check_network(made.network, shape));
    commands.folder = folder;
    commands.flags = options.all("flag");
    MM_TRY(made.commands, ai8x::plan_commands(made.network, layers, commands));
    made.prefix = request.prefix.empty() ? c_identifier(request.network.stem().string()) : request.prefix;
    return made;
}

Result<parts::PartProject> read_project(const fs::path& folder, const std::string& name) {
    parts::PartProject project;
    project.name = name;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder / name, error)) {
        const std::string ending = entry.path().extension().string();
        if (ending == ".c" || ending == ".h") {
            MM_TRY(const std::vector<std::byte> bytes, read_file(entry.path(), k_file_bytes_max));
            project.files[entry.path().filename().string()].assign(reinterpret_cast<const char*>(bytes.data()),
                                                                   bytes.size());
        }
    }
    if (error) {
        return fail(ErrorCode::toolchain, (folder / name).string(), "ai8xize.py has left no project {}: {}", name,
                    error.message());
    }
    return project;
}

// Those that come with Metamorph, or lie beside a description of the user's.
Result<std::map<std::string, std::string>> stubs_of(const app::Framework& framework) {
    constexpr std::string_view k_folder = "stubs/";
    std::map<std::string, std::string> stubs;
    for (const auto& [path, contents] : framework.companions) {
        if (path.starts_with(k_folder)) {
            stubs[path.substr(k_folder.size())] = contents;
        }
    }
    std::error_code error;
    if (framework.companions.empty()) {
        for (const auto& entry : fs::directory_iterator(framework.folder / k_folder, error)) {
            MM_TRY(const std::vector<std::byte> bytes, read_file(entry.path(), k_file_bytes_max));
            stubs[entry.path().filename().string()].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
    }
    if (stubs.empty()) {
        return fail(ErrorCode::options, framework.folder.string(), "there is no folder stubs/ beside the description");
    }
    return stubs;
}

}  // namespace

Result<std::vector<generate::ai8x::PartCommand>> plan_ai8x(const app::Framework& framework, const Ai8xRequest& request,
                                                           const fs::path& folder) {
    MM_TRY(Ai8xPlan made, plan(framework, request, folder));
    return std::move(made.commands);
}

Result<parts::MergedCode> run_ai8x(const app::Framework& framework, const Ai8xRequest& request) {
    MM_TRY(ScratchFolder scratch, ScratchFolder::make("metamorph-ai8x"));
    const fs::path root = fs::absolute(scratch.path());
    MM_TRY(const Ai8xPlan made, plan(framework, request, root));
    parts::MergeRequest merging;
    MM_TRY(merging.stubs, stubs_of(framework));
    for (const ai8x::PartCommand& command : made.commands) {
        ProcessRequest process = generate::generator_process(command.argv);
        process.directory = command.directory;
        process.timeout = std::chrono::seconds(request.seconds_max > 0 ? request.seconds_max : framework.seconds_max);
        Status done = generate::run_logged(fmt::format("ai8xize.py ({})", command.name), std::move(process),
                                           root / (command.name + ".log"));
        if (!done) {
            scratch.keep();
            if (command.input_offset > 0 && done.error().message.find("is overwriting input") != std::string::npos) {
                done.error().hint +=
                    "; for parts that take more than 64 channels, ai8xize.py says this wrongly: --option "
                    "flag=--overlap-data turns its check off, and the whole network must then pass without it";
            }
            return tl::unexpected<Error>(done.error());
        }
        MM_TRY(parts::PartProject project, read_project(root, command.name));
        merging.parts.push_back(std::move(project));
    }
    const ai8x::Layer& first = made.network.layers.front();
    merging.prefix = made.prefix;
    merging.input_processors = first.processors;
    merging.input_is_chw = first.data_format == ai8x::DataFormat::chw;
    merging.generator = k_ai8x;
    auto merged = parts::merge(merging);
    if (!merged) {  // it names files of the parts
        scratch.keep();
        return tl::unexpected<Error>(in_context(merged.error(), "while merging the parts in " + root.string()));
    }
    return merged;
}

Result<std::vector<Ai8xLayer>> inspect_ai8x(const fs::path& path) {
    MM_TRY(const ai8x::Network network, network_at(path));
    MM_CHECK(ai8x::check_network(network, {}));
    std::vector<Ai8xLayer> layers;
    for (const ai8x::Layer& layer : network.layers) {
        layers.push_back(
            {layer.index, layer.name, layer.operation, network.where(layer), ai8x::why_no_cut(network, layer.index)});
    }
    return layers;
}

std::string text_of(const std::vector<Ai8xLayer>& layers) {
    std::string text =
        fmt::format("{:>5}  {:<18} {:<16} {:<24} {}\n", "layer", "name", "operation", "where", "cut behind it");
    for (const Ai8xLayer& layer : layers) {
        text += fmt::format("{:>5}  {:<18} {:<16} {:<24} {}\n", layer.index,
                            layer.name.empty() ? "-" : printable(layer.name), layer.operation, layer.where,
                            layer.why_no_cut.empty() ? "possible" : "no: " + layer.why_no_cut);
    }
    return text;
}

nlohmann::ordered_json json_of(const std::vector<Ai8xLayer>& layers) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Ai8xLayer& layer : layers) {
        rows.push_back({{"index", layer.index},
                        {"name", layer.name},
                        {"operation", layer.operation},
                        {"where", layer.where},
                        {"cut", layer.why_no_cut.empty()},
                        {"why_no_cut", layer.why_no_cut}});
    }
    return {{"schema", "metamorph-ai8x-layers-1"}, {"layers", rows}};
}

}  // namespace metamorph::pipeline
