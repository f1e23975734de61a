// Random networks through importer and native generator, against TensorFlow Lite Micro's own interpreter: every
// operator's output is the same, bit for bit. Skips where the interpreter cannot be installed.
//
// METAMORPH_PEER_NETWORKS sets how many networks (default 40), METAMORPH_PEER_FIRST_SEED the first one's seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

#include "e2e/native/generated_program.h"
#include "generate/generator.h"
#include "import/import.h"
#include "support/random_network.h"
#include "support/tflite_writer.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

constexpr int k_inferences = 2;

int number_from(const char* variable, int otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::atoi(text);
}

std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The quantisation that gives a float input its range.
const graph::Quantization& range_of_float_input(const graph::Graph& graph, graph::TensorId input) {
    for (const graph::Operator& op : graph.operators) {
        if (op.inputs[0] == input && std::holds_alternative<graph::Quantize>(op.attributes)) {
            return *graph.tensors[static_cast<std::size_t>(op.outputs[0])].quantization;
        }
    }
    static const graph::Quantization k_unit{{1.0F / 128}, {0}, 0};
    return k_unit;
}

// All inputs' bytes of one inference: int8 over its whole range, floats over the range of their Quantize and a little
// beyond.
std::vector<std::uint8_t> random_input(const graph::Graph& graph, std::uint32_t seed) {
    std::vector<std::uint8_t> bytes;
    for (const graph::TensorId id : graph.inputs) {
        const graph::Tensor& tensor = graph.tensors[static_cast<std::size_t>(id)];
        seed = seed * 2654435761U + 12345U;
        if (tensor.type == graph::DataType::int8) {
            const std::vector<std::uint8_t> own = test::seeded_bytes(seed, tensor.bytes());
            bytes.insert(bytes.end(), own.begin(), own.end());
            continue;
        }
        const graph::Quantization& range = range_of_float_input(graph, id);
        const std::vector<std::uint8_t> raw = test::seeded_bytes(seed, 2 * tensor.elements());
        for (std::size_t i = 0; i < raw.size(); i += 2) {
            const float steps =
                static_cast<float>(static_cast<std::int8_t>(raw[i])) * 1.05F + static_cast<float>(raw[i + 1]) / 256;
            const float value = range.scale[0] * (steps - static_cast<float>(range.zero_point[0]));
            std::uint8_t own[4];
            std::memcpy(own, &value, 4);
            bytes.insert(bytes.end(), own, own + 4);
        }
    }
    return bytes;
}

struct Network {
    std::uint64_t seed = 0;
    graph::Graph graph;
    test::ProgramRun ours;
    nlohmann::json job;
};

Network run_ours(std::uint64_t seed, const fs::path& folder) {
    Network network;
    network.seed = seed;
    fs::create_directories(folder);
    const std::vector<std::byte> file = test_support::write_tflite(test_support::random_network(seed));
    auto graph = import::import_tflite(file, "network");
    if (!graph) {
        network.ours.error = describe(graph.error());
        return network;
    }
    network.graph = std::move(*graph);
    const auto code = generate::generate_native(network.graph, {});
    if (!code) {
        network.ours.error = describe(code.error());
        return network;
    }
    std::vector<std::vector<std::uint8_t>> inputs;
    std::ofstream model(folder / "network.tflite", std::ios::binary), input(folder / "network.input", std::ios::binary);
    model.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    for (int i = 0; i < k_inferences; ++i) {
        inputs.push_back(
            random_input(network.graph, static_cast<std::uint32_t>(seed * 10) + static_cast<std::uint32_t>(i)));
        input.write(reinterpret_cast<const char*>(inputs.back().data()),
                    static_cast<std::streamsize>(inputs.back().size()));
    }
    std::vector<int> tensors;
    for (const graph::Operator& op : network.graph.operators) {
        tensors.push_back(op.outputs[0]);
    }
    network.job = {{"model", (folder / "network.tflite").string()},
                   {"input", (folder / "network.input").string()},
                   {"inputs", network.graph.inputs.size()},
                   {"tensors", tensors}};
    network.ours = test::build_and_run(*code, folder, "gcc -O1 -w -fsanitize=undefined -fno-sanitize-recover=all",
                                       inputs, test::Units::one_in_all);
    return network;
}

// Number of operators compared; reports each that differs.
int compare(const Network& network, const nlohmann::json& reference) {
    if (reference.contains("error")) {
        ADD_FAILURE() << "the reference refuses network " << network.seed << ": " << reference["error"];
        return 0;
    }
    int compared = 0;
    for (std::size_t k = 0; k < network.ours.inferences.size(); ++k) {
        const std::vector<std::string>& ours = network.ours.inferences[k].operators;
        const nlohmann::json& theirs = reference["inferences"][k];
        EXPECT_EQ(ours.size(), theirs.size());
        for (std::size_t i = 0; i < ours.size(); ++i) {
            if (ours[i] != theirs[i].get<std::string>()) {
                ADD_FAILURE() << "network " << network.seed << ", operator " << i << " ("
                              << graph::name_of(network.graph.operators[i]) << ") differs\n"
                              << graph::print(network.graph);
                return compared;  // what follows differs, too
            }
            ++compared;
        }
    }
    return compared;
}

TEST(NativePeer, RandomNetworksEqualTheReferenceInEveryOperator) {
    const test::ScratchFolder folder("peers");
    const std::string here = std::string(METAMORPH_SOURCE_DIR) + "/test/peers";
    const std::string python_path = (folder.path() / "python").string();
    if (std::system(("'" + here + "/reference-python' > '" + python_path + "' 2> '" + python_path + ".log'").c_str()) !=
        0) {
        GTEST_SKIP() << "tflite-micro from PyPI is not to be had: " << read_text(python_path + ".log");
    }
    std::string python = read_text(python_path);
    python.erase(python.find_last_not_of('\n') + 1);

    const int count = number_from("METAMORPH_PEER_NETWORKS", 40);
    const int first = number_from("METAMORPH_PEER_FIRST_SEED", 1);
    std::vector<Network> networks;
    int refused = 0;  // by our own verifier: no network to compare
    std::ofstream jobs(folder.path() / "jobs");
    for (int i = 0; i < count; ++i) {
        const auto seed = static_cast<std::uint64_t>(first + i);
        if (!graph::verify(test_support::random_network(seed))) {
            ++refused;
            continue;
        }
        networks.push_back(run_ours(seed, folder.path() / std::to_string(seed)));
        ASSERT_EQ(networks.back().ours.error, "") << "network " << seed;
        jobs << networks.back().job.dump() << '\n';
    }
    jobs.close();
    const std::string command = "cd '" + folder.path().string() + "' && '" + python + "' '" + here +
                                "/reference_outputs.py' < jobs > results 2> results.log";
    ASSERT_EQ(std::system(command.c_str()), 0) << read_text(folder.path() / "results.log");
    std::ifstream results(folder.path() / "results");
    int compared = 0;
    std::string line;
    for (const Network& network : networks) {
        ASSERT_TRUE(std::getline(results, line)) << "no result for network " << network.seed;
        compared += compare(network, nlohmann::json::parse(line));
    }
    RecordProperty("networks", static_cast<int>(networks.size()));
    RecordProperty("operator_outputs_compared", compared);
    std::printf("%zu networks, %d operator outputs compared; %d refused\n", networks.size(), compared, refused);
    EXPECT_GT(compared, count);
    EXPECT_LE(refused, count / 20);
}

}  // namespace
}  // namespace metamorph
