// How long each stage of the flow takes, a model: import, generate, front end, and plan with weave. Of the last, the
// clock starts when the front end has ended, which the flow itself tells (--dump-after's door).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "must.h"
#include "pipeline/pipeline.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

void count_layers(benchmark::State& state, const pipeline::Model& model) {
    const auto layers = static_cast<double>(model.graph.operators.size());
    state.counters["layers"] = layers;
    state.counters["layers/s"] = benchmark::Counter(layers, benchmark::Counter::kIsIterationInvariantRate);
}

// One stage, whose result is not looked at.
template <typename Stage>
void repeat(benchmark::State& state, const pipeline::Model& model, const Stage& stage) {
    for (auto _ : state) {
        must(stage());
    }
    count_layers(state, model);
}

void plan_and_weave(benchmark::State& state, const fs::path& path, const pipeline::Model& model, tasks::NvmMode mode) {
    Clock::time_point read;
    pipeline::WeaveRequest request{path, "", tasks::parse_split("layer").value(), mode, {}};
    request.dump = [&](pipeline::Stage stage, const std::string&) {
        if (stage == pipeline::Stage::cfront) {
            read = Clock::now();
        }
    };
    for (auto _ : state) {
        const pipeline::Woven woven = must(pipeline::weave_model(request));
        state.SetIterationTime(seconds_between(read, Clock::now()));
    }
    count_layers(state, model);
}

void add_model(const fs::path& path) {
    const pipeline::Model model = must(pipeline::import_model(path));
    const generate::GeneratedCode code = must(pipeline::generate_code(model, ""));
    const std::string name = path.stem().string();
    const auto add = [&](const std::string& stage, const std::function<void(benchmark::State&)>& run) {
        return benchmark::RegisterBenchmark((stage + "/" + name).c_str(), run)->Unit(benchmark::kMillisecond);
    };
    add("import", [=](benchmark::State& state) {
        repeat(state, model, [&] { return pipeline::import_model(path); });
    })->MinTime(0.2);
    add("generate", [=](benchmark::State& state) {
        repeat(state, model, [&] { return pipeline::generate_code(model, ""); });
    })->MinTime(0.2);
    add("front_end", [=](benchmark::State& state) {
        repeat(state, model, [&] { return pipeline::read_code(code); });
    })->MinTime(0.5);
    for (const auto& [nvm, mode] : {std::pair{"mapped", tasks::NvmMode::mapped}, {"bus", tasks::NvmMode::bus}}) {
        add(std::string("plan_weave_") + nvm,
            [=, mode = mode](benchmark::State& state) { plan_and_weave(state, path, model, mode); })
            ->UseManualTime()
            ->Iterations(3);
    }
}

}  // namespace
}  // namespace metamorph

int main(int count, char** options) {
    namespace fs = std::filesystem;
    benchmark::Initialize(&count, options);
    metamorph::add_model(fs::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite");
    const char* zoo = std::getenv("METAMORPH_MODEL_ZOO");
    for (const char* name : {"hello_world_int8", "kws_ref_model", "pretrainedResnet_quant", "ad01_int8"}) {
        const fs::path path = fs::path(zoo == nullptr ? "" : zoo) / (std::string(name) + ".tflite");
        if (zoo != nullptr && fs::exists(path)) {
            metamorph::add_model(path);
        }
    }
    if (zoo == nullptr) {
        std::fprintf(stderr, "METAMORPH_MODEL_ZOO is not set: digits only\n");
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
