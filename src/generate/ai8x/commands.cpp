#include "generate/ai8x/commands.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace metamorph::generate::ai8x {
namespace {

std::string quoted(const std::string& word) {
    constexpr std::string_view k_plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%";
    if (!word.empty() && word.find_first_not_of(k_plain) == std::string::npos) {
        return word;
    }
    std::string text = "'";
    for (char c : word) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

// FIFOs exist once, for 16 channels as HWC or four as CHW, and feed the layers that the network's input enters.
Status check_fifo(const Network& network, const std::vector<GivenFlag>& flags) {
    const Layer& first = network.layers.front();
    if (has_flag(flags, "--fifo") && (first.processors & ~std::uint64_t{0xffff}) != 0) {
        return fail_with_hint(ErrorCode::options, "--fifo",
                              fmt::format("FIFOs reach the processors 0 to 15, and {} ({}) has others, too",
                                          Network::label(first), network.where(first)),
                              "remove --fifo, or give the first layer fewer channels");
    }
    if (!has_flag(flags, "--fifo") && first.is_streaming) {
        return fail_with_hint(
            ErrorCode::options, "--fifo",
            fmt::format("{} ({}) streams: its input comes through a FIFO", Network::label(first), network.where(first)),
            "hand on --fifo, or remove 'streaming'");
    }
    return {};
}

std::vector<std::string> arguments(const PartCommand& part, const PartCommand* before, bool is_last,
                                   const CommandRequest& request, const std::vector<GivenFlag>& flags) {
    std::vector<std::string> argv{request.python,      request.program.filename().string(),
                                  "--test-dir",        request.folder.string(),
                                  "--prefix",          part.name,
                                  "--checkpoint-file", request.checkpoint.string(),
                                  "--config-file",     request.network.string(),
                                  "--device",          "MAX78000",
                                  "--overwrite"};
    const auto add = [&](std::initializer_list<std::string> words) { argv.insert(argv.end(), words); };
    if (before == nullptr) {
        if (!request.sample_input.empty()) {
            add({"--sample-input", request.sample_input.string()});
        }
    } else {
        add({"--skip-yaml-layers", std::to_string(part.first), "--skip-checkpoint-layers",
             std::to_string(part.checkpoint_layers_skipped), "--input-offset",
             fmt::format("{:#06x}", part.input_offset), "--sample-input", before->output_numpy.string()});
    }
    if (!is_last) {
        add({"--stop-after", std::to_string(part.last), "--sample-numpy-filename", part.output_numpy.stem().string()});
    }
    for (const GivenFlag& flag : flags) {
        if (flag.scope == GivenFlag::Scope::all || (flag.scope == GivenFlag::Scope::first && before == nullptr) ||
            (flag.scope == GivenFlag::Scope::last && is_last)) {
            add({flag.name});
            if (flag.value) {
                add({*flag.value});
            }
        }
    }
    return argv;
}

}  // namespace

Result<std::vector<PartCommand>> plan_commands(const Network& network, const std::vector<int>& layers_per_part,
                                               const CommandRequest& request) {
    const int layers = static_cast<int>(network.layers.size());
    const int sum = std::accumulate(layers_per_part.begin(), layers_per_part.end(), 0);
    if (sum != layers || std::any_of(layers_per_part.begin(), layers_per_part.end(), [](int n) { return n < 1; })) {
        return fail_with_hint(ErrorCode::options, "--tasks",
                              fmt::format("{} layers in the parts {}, but {} has {}", sum,
                                          fmt::join(layers_per_part, ","), network.file, layers),
                              fmt::format("give numbers of at least 1 that add up to {}", layers));
    }
    const int parts = static_cast<int>(layers_per_part.size());
    MM_TRY(const std::vector<GivenFlag> flags, read_flags(request.flags, parts));
    MM_CHECK(check_fifo(network, flags));
    std::vector<int> cuts;
    std::vector<PartCommand> commands;
    int next = 0, with_weights = 0;
    for (int p = 0; p < parts; ++p) {
        PartCommand part;
        part.first = next;
        part.last = next + layers_per_part[static_cast<std::size_t>(p)] - 1;
        part.checkpoint_layers_skipped = with_weights;
        part.name = fmt::format("part_{}", p);
        part.directory = request.program.parent_path();
        if (p > 0) {
            part.input_offset = network.layers[static_cast<std::size_t>(part.first) - 1].out_offset;
        }
        if (p + 1 < parts) {
            cuts.push_back(part.last);
            part.output_numpy = request.folder / part.name / fmt::format("{}_output.npy", part.name);
        }
        for (; next <= part.last; ++next) {
            with_weights += network.layers[static_cast<std::size_t>(next)].has_weights ? 1 : 0;
        }
        part.argv = arguments(part, p == 0 ? nullptr : &commands.back(), p + 1 == parts, request, flags);
        commands.push_back(std::move(part));
    }
    MM_CHECK(check_cuts(network, cuts));
    return commands;
}

std::string print_commands(const std::vector<PartCommand>& commands) {
    std::string text;
    for (const PartCommand& command : commands) {
        std::vector<std::string> words;
        std::transform(command.argv.begin(), command.argv.end(), std::back_inserter(words), quoted);
        text += fmt::format("cd {} && {}\n", quoted(command.directory.empty() ? "." : command.directory.string()),
                            fmt::join(words, " "));
    }
    return text;
}

}  // namespace metamorph::generate::ai8x
