// What a proof costs: digits (and, with METAMORPH_MODEL_ZOO, four public models) on the emulated devices, with one
// emulator, against one uninterrupted emulated inference of the plain program, in the same run. The time of a row is
// recording and search; building is not in it. A program that is not proven ends the run with status 1.
//
// Rejected: instruction counts alone; most of a proof's time is not spent in instructions of the firmware.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "app/device.h"
#include "must.h"
#include "pipeline/verify.h"

namespace metamorph {
namespace {

namespace fs = std::filesystem;

struct Subject {
    std::string name;
    fs::path model;
    std::string split;
    std::string slice;  // as of --slice; empty: none
};

void prove(benchmark::State& state, const Subject& subject, const std::string& device) {
    pipeline::VerifyRequest request;
    request.model = subject.model;
    request.split = must(tasks::parse_split(subject.split));
    if (!subject.slice.empty()) {
        request.slices.push_back(must(tasks::parse_slice(subject.slice)));
    }
    request.devices.push_back(must(app::find_device(device)));
    for (auto _ : state) {
        const report::VerifyResult result = must(pipeline::verify(request));
        if (!result.is_right()) {
            give_up(report::text_of(result));
        }
        const report::VerifiedDevice& d = result.devices.front();
        const double seconds = d.recording_seconds + d.search_seconds;
        state.SetIterationTime(seconds);
        state.counters["inferences"] = seconds / d.plain.seconds;
        state.counters["tasks"] = static_cast<double>(d.tasks.size());
        state.counters["writes"] = static_cast<double>(d.units);
        state.counters["states"] = static_cast<double>(d.states);
        state.counters["boots"] = static_cast<double>(d.boots);
        state.counters["boot_Minstr"] = static_cast<double>(d.boot_instructions) / 1e6;
        state.counters["woven"] = d.instruction_ratio();
        state.counters["each_task"] = static_cast<double>(d.woven_each.instructions - d.plain_each.instructions) /
                                      static_cast<double>(d.tasks.size());
        state.counters["Minstr_per_s"] = static_cast<double>(d.plain.instructions) / d.plain.seconds / 1e6;
    }
}

std::vector<Subject> subjects() {
    const fs::path digits = fs::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite";
    std::vector<Subject> all{{"digits/whole", digits, "whole", ""},
                             {"digits/3,3", digits, "3,3", ""},
                             {"digits/layer", digits, "layer", ""},
                             {"digits/layer/sliced", digits, "layer", "auto:400B"}};
    if (const char* zoo = std::getenv("METAMORPH_MODEL_ZOO")) {
        for (const char* name : {"hello_world_int8", "ad01_int8", "kws_ref_model", "pretrainedResnet_quant"}) {
            all.push_back({fmt::format("{}/layer", name), fs::path(zoo) / fmt::format("{}.tflite", name), "layer", ""});
        }
    }
    return all;
}

}  // namespace
}  // namespace metamorph

int main(int count, char** options) {
    benchmark::Initialize(&count, options);
    for (const metamorph::Subject& subject : metamorph::subjects()) {
        for (const std::string& device : metamorph::app::device_names()) {
            if (device != "host") {
                benchmark::RegisterBenchmark(fmt::format("proof/{}/{}", subject.name, device).c_str(),
                                             [=](benchmark::State& state) { metamorph::prove(state, subject, device); })
                    ->Iterations(1)
                    ->UseManualTime()
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
