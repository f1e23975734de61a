#include "unit/matrix/fake_commands.h"

namespace metamorph::matrix {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

std::string stage_of(const ProcessRequest& request) {
    return request.argv[0] == "cmake" ? request.argv[1] == "--build" ? "build" : "configure" : request.argv[1];
}

}  // namespace

ProcessOutcome exited(int status) {
    ProcessOutcome outcome;
    outcome.status = status;
    return outcome;
}

Result<ProcessOutcome> FakeRunner::run(const ProcessRequest& request) {
    const std::string stage = stage_of(request), run = request.directory.filename().string();
    ran.push_back(run + " " + stage);
    MM_CHECK(m_disk.write(request.error_file, ""));
    for (const auto& [key, end] : ends) {
        if (run.find(key.first) != std::string::npos && key.second == stage) {
            MM_CHECK(m_disk.write(request.output_file, end.text));
            return end.outcome;
        }
    }
    if (stage == "weave") {
        MM_CHECK(m_disk.write(request.directory / "woven/a.c", "int a;"));
        MM_CHECK(m_disk.write(request.output_file, R"({"app_target": "a_app", "libraries": [{"name": "tflm", "key":
            "3f9a81c2d4e5f6", "outcome": "hit", "seconds": 0.5, "nearest": "", "differences": []}]})"));
    } else if (stage == "build") {
        MM_TRY(const std::string c, m_disk.read(request.directory / "woven/a.c"));
        MM_CHECK(m_disk.write(request.directory / request.argv[2] / "a_app", c + " of " + run));
    } else if (stage == "verify") {
        MM_CHECK(m_disk.write(request.output_file, verify_json(true)));
    }
    return exited(0);
}

std::vector<NewRun> sample_runs(const std::vector<std::string>& splits) {
    std::vector<NewRun> runs;
    for (const std::string& split : splits) {
        NewRun run;
        run.plan.values = {"a", "native", "cortex-m4-spi", "gcc", split};
        run.plan.name = project::Point{run.plan.values, ""}.name();
        run.plan.model = "a.tflite";
        run.plan.generator = "native";
        run.sources = {"/p/a.tflite"};
        runs.push_back(std::move(run));
    }
    return runs;
}

std::string verify_json(bool is_right, const std::string& failure_kind) {
    ordered_json device{{"woven_each", ordered_json::object()}, {"plain_each", {{"instructions", 50}}}};
    for (const char* name : {"instructions", "loads", "stores", "cycles", "microseconds", "microjoules", "bus_bytes",
                             "nvm_bytes_written"}) {
        device["woven_each"][name] = 100;
    }
    device["woven_memory"] = {{"code", 10}, {"constants", 20}, {"variables", 30}, {"stack", 40}};
    for (const char* name : {"instruction_ratio", "write_ratio", "nvm_bytes", "states", "boots", "torn_states",
                             "write_units", "crossing_bytes_per_inference"}) {
        device[name] = 7;
    }
    device["task_names"] = {"t"};
    device["outputs"] = {"01ff"};
    device["failures"] = ordered_json::array();
    if (!failure_kind.empty()) {
        device["failures"].push_back({{"kind", failure_kind}, {"symptom", failure_kind}, {"id", "17"}, {"what", "x"}});
    }
    return ordered_json{{"right", is_right}, {"devices", {device}}}.dump();
}

ExecuteDoors doors_for(FakeRunner& runner, store::Disk& disk) {
    return {runner,
            disk,
            [] { return 0.0; },
            [&disk](const fs::path& from, const fs::path& to) -> Status {
                MM_TRY(const std::string text, disk.read(from));
                MM_CHECK(disk.make_folders(to.parent_path()));
                return disk.write(to, text);
            },
            {},
            "/bin/metamorph"};
}

}  // namespace metamorph::matrix
