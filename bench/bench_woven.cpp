// What it costs the digits network to be woven, and what it costs to cut its power.
//
// Being woven: the woven program, uninterrupted, over the plain one, both on many inputs, less what they need for one
// input (their start). Programs take turns, and the least of the rounds counts: load only ever adds. Where instructions
// cannot be counted, user time stands in (child_cost.h).
// A cut: what the cut driver needs for all of them with one process, a cut with its second cut, over one inference of
// the plain program (both elapsed time).
//
// Rejected: timing `metamorph run` as a whole, most of which is the C compiler.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "child_cost.h"
#include "must.h"
#include "pipeline/inputs.h"
#include "pipeline/pipeline.h"
#include "pipeline/project_folder.h"
#include "util/interrupt.h"
#include "verify/cut_run.h"
#include "verify/host_build.h"
#include "weave/weave.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;
using tasks::NvmMode;
using verify::StoreTracing;

constexpr int k_inferences = 4000;
constexpr int k_rounds = 5;

std::string g_lines;  // printed at the end, below Google Benchmark's table

const char* name_of(NvmMode mode) {
    return mode == NvmMode::mapped ? "mapped" : "bus";
}

// The digits network, woven and built in a folder of its own.
class Built {
public:
    Built(const std::string& split, NvmMode mode, StoreTracing tracing)
        : m_scratch(must(ScratchFolder::make("metamorph-bench"))) {
        const fs::path model = fs::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite";
        const pipeline::Woven woven =
            must(pipeline::weave_model({model, "", tasks::parse_split(split).value(), mode, {}}));
        must(pipeline::write_project(m_scratch.path() / "app", woven.project.files));
        m_summary = must(weave::read_summary(woven.project.files.at("weave.json")));
        m_build = must(verify::build_for_host(m_scratch.path() / "app", m_scratch.path() / "build",
                                              m_summary.app_target, m_summary.plain_target, tracing, 2));
    }

    std::string inputs(int inferences) const {
        return pipeline::random_inputs(1, static_cast<std::size_t>(m_summary.input_bytes * inferences));
    }
    std::string plain(int inferences) const {
        return must(verify::run_plain(m_build, inputs(inferences),
                                      static_cast<std::size_t>(m_summary.output_bytes * inferences)));
    }
    std::string woven(int inferences) const {
        return must(verify::run_woven(m_build, m_scratch.path(), inputs(inferences), inferences));
    }
    nlohmann::ordered_json cut_every() const {
        verify::CutRequest request;
        request.inputs = inputs(1);
        request.expected = plain(1);
        request.second_max = 1;
        return must(verify::cut_everywhere(m_build, m_scratch.path(), request));
    }

private:
    ScratchFolder m_scratch;
    weave::WovenSummary m_summary;
    verify::HostBuild m_build;
};

void being_woven(benchmark::State& state, const std::string& split, NvmMode mode, const bench::ChildCost& cost) {
    const Built built(split, mode, StoreTracing::off);
    if (built.plain(k_inferences) != built.woven(k_inferences)) {
        give_up("the woven program differs from the plain one");
    }
    constexpr double k_never = std::numeric_limits<double>::max();
    double plain = k_never, plain_start = k_never, woven = k_never, woven_start = k_never;
    for (auto _ : state) {
        plain = std::min(plain, cost.of([&] { built.plain(k_inferences); }));
        woven = std::min(woven, cost.of([&] { built.woven(k_inferences); }));
        plain_start = std::min(plain_start, cost.of([&] { built.plain(1); }));
        woven_start = std::min(woven_start, cost.of([&] { built.woven(1); }));
    }
    const double ratio = (woven - woven_start) / (plain - plain_start);
    state.counters["woven/plain"] = ratio;
    g_lines += fmt::format("being woven   {:6} {:6} {:.3f} x the plain program ({})\n", split, name_of(mode), ratio,
                           cost.unit());
}

double milliseconds_of_inference(const Built& built) {
    double least = std::numeric_limits<double>::max();
    for (int round = 0; round < k_rounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        built.plain(k_inferences);
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
        least = std::min(least, elapsed.count() / k_inferences);
    }
    return least;
}

void cutting(benchmark::State& state, const std::string& split, NvmMode mode) {
    const Built built(split, mode, mode == NvmMode::mapped ? StoreTracing::on : StoreTracing::off);
    for (auto _ : state) {
        const nlohmann::ordered_json report = built.cut_every();
        if (report.at("wrong_count") != 0) {
            give_up("a cut was not survived");
        }
        const auto cuts = report.at("cuts_tried").get<double>();
        const auto seconds = report.at("seconds").get<double>();
        const double inference = milliseconds_of_inference(built);
        const double cut = seconds * 1e3 / cuts;
        state.SetIterationTime(seconds);
        state.counters["cuts"] = cuts;
        state.counters["ms/cut"] = cut;
        state.counters["cut/inference"] = cut / inference;
        g_lines += fmt::format(
            "cutting power {:6} {:6} {:.2f} ms a cut with its second = {:.1f} x one inference ({:.3f} ms), {} cuts\n",
            split, name_of(mode), cut, cut / inference, inference, cuts);
    }
}

void add_all(const bench::ChildCost& cost) {
    for (const char* split : {"whole", "3,3", "layer"}) {
        for (const NvmMode mode : {NvmMode::mapped, NvmMode::bus}) {
            const std::string name = fmt::format("being_woven/{}/{}", split, name_of(mode));
            benchmark::RegisterBenchmark(name.c_str(),
                                         [=, &cost](benchmark::State& state) { being_woven(state, split, mode, cost); })
                ->Iterations(k_rounds)
                ->Unit(benchmark::kMillisecond);
        }
    }
    for (const NvmMode mode : {NvmMode::mapped, NvmMode::bus}) {
        benchmark::RegisterBenchmark(fmt::format("cutting/3,3/{}", name_of(mode)).c_str(),
                                     [=](benchmark::State& state) { cutting(state, "3,3", mode); })
            ->Iterations(1)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
    }
}

}  // namespace
}  // namespace metamorph

int main(int count, char** options) {
    const metamorph::bench::ChildCost cost;
    benchmark::Initialize(&count, options);
    metamorph::add_all(cost);
    benchmark::RunSpecifiedBenchmarks();
    fmt::print("\n{}", metamorph::g_lines);
    return 0;
}
