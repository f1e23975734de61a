#include "wiring_compare.h"

#include <nlohmann/json.hpp>

#include "pipeline/compare.h"
#include "wiring_output.h"

namespace metamorph::cli {

Result<int> run_compare(const CompareOptions& options) {
    pipeline::CompareRequest request;
    MM_TRY(request.split, tasks::parse_split(options.tasks));
    MM_TRY(request.device, app::find_device(options.device));
    if (request.device.is_host()) {
        return fail_with_hint(ErrorCode::options, "--device", "this machine is none that the emulator stands for",
                              "'metamorph devices' lists those that it does");
    }
    for (const CompareOptions::Candidate& candidate : options.candidates) {
        request.candidates.push_back({candidate.generator, candidate.options});
    }
    request.models = options.models;
    request.toolchain = options.toolchain;
    request.inferences = options.inferences;
    request.dataset = options.dataset;
    request.seed = options.seed.value_or(k_default_seed);
    request.proves = options.proves;
    request.jobs = options.jobs;
    request.keep = options.keep;
    Shown shown(!options.quiet && !options.json);
    request.progress = shown.door();
    MM_TRY(const report::Comparison comparison, pipeline::compare(request));
    shown.finish();
    options.json ? print(report::json_of(comparison)) : print(report::text_of(comparison));
    return comparison.is_right() ? 0 : static_cast<int>(ErrorCode::check_failed);
}

}  // namespace metamorph::cli
