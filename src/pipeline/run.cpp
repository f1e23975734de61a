#include "pipeline/run.h"

#include <algorithm>

#include <fmt/format.h>

#include "pipeline/inputs.h"
#include "pipeline/project_folder.h"
#include "pipeline/work_folder.h"
#include "pipeline/woven_folder.h"
#include "verify/cut_run.h"
#include "verify/dataset.h"

namespace metamorph::pipeline {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

using Project = WovenFolder;

Result<std::vector<Project>> make_projects(const RunRequest& request, const fs::path& work) {
    std::vector<Project> projects;
    if (request.is_woven) {
        MM_TRY(Project project, read_woven_folder(request.model));
        if (project.device) {
            return fail_with_hint(ErrorCode::options, project.folder.string(),
                                  fmt::format("this project is woven for {}, not for this host", project.device->name),
                                  "'metamorph verify DIR' runs it in the emulator");
        }
        projects.push_back(std::move(project));
        return projects;
    }
    for (tasks::NvmMode mode : request.modes) {
        WeaveRequest weaving{request.model, request.prefix, request.split, mode,
                             projects.empty() ? request.dump : Dump{}};
        weaving.slices = request.slices;
        weaving.generator_options = request.generator_options;
        MM_TRY(const Woven woven, request.parts != nullptr     ? weave_parts(*request.parts, weaving)
                                  : request.foreign != nullptr ? weave_foreign(*request.foreign, weaving)
                                                               : weave_model(weaving));
        const fs::path folder = work / (mode == tasks::NvmMode::mapped ? "mapped" : "bus");
        MM_CHECK(write_project(folder, woven.project.files));
        MM_TRY(Project project, read_woven_folder(folder));
        project.explanation = woven.explanation;
        projects.push_back(std::move(project));
    }
    return projects;
}

struct Inputs {
    std::string bytes, source;
    std::optional<verify::Dataset> dataset;
};

Result<Inputs> make_inputs(const RunRequest& request, const weave::WovenSummary& summary) {
    const auto each = static_cast<std::size_t>(summary.input_bytes);
    const std::size_t wanted = each * static_cast<std::size_t>(request.inferences);
    if (!request.inputs.empty()) {
        MM_TRY(std::string bytes, file_inputs(request.inputs, request.inferences, each));
        return Inputs{std::move(bytes), request.inputs.filename().string(), {}};
    }
    if (request.dataset.empty()) {
        return Inputs{random_inferences(request.seed, request.inferences, each, summary.input_floats),
                      fmt::format("random, seed {}", request.seed),
                      {}};
    }
    MM_TRY(verify::Dataset dataset, verify::read_dataset(request.dataset));
    if (dataset.image_bytes() != each || dataset.classes != static_cast<std::size_t>(summary.output_bytes)) {
        return fail(ErrorCode::options, request.dataset.string(),
                    "the data set has images of {} bytes and {} classes; the network takes {} bytes and gives {}",
                    dataset.image_bytes(), dataset.classes, each, summary.output_bytes);
    }
    if (static_cast<std::uint32_t>(request.inferences) > dataset.count) {
        return fail(ErrorCode::options, "--inferences", "the data set has {} images, {} inferences are asked for",
                    dataset.count, request.inferences);
    }
    std::string bytes(reinterpret_cast<const char*>(dataset.images.data()), wanted);
    return Inputs{std::move(bytes), request.dataset.filename().string(), std::move(dataset)};
}

int answer_at(const std::string& outputs, std::size_t index, std::size_t classes) {
    const auto* scores = reinterpret_cast<const std::int8_t*>(outputs.data()) + index * classes;
    return static_cast<int>(std::max_element(scores, scores + classes) - scores);
}

// The generated C itself answers every image of the data set.
Result<report::Accuracy> measure_accuracy(const verify::HostBuild& build, const verify::Dataset& dataset) {
    const std::string images(reinterpret_cast<const char*>(dataset.images.data()), dataset.images.size());
    MM_TRY(const std::string outputs, verify::run_plain(build, images, std::size_t{dataset.count} * dataset.classes));
    report::Accuracy accuracy;
    accuracy.images = dataset.count;
    for (std::uint32_t i = 0; i < dataset.count; ++i) {
        accuracy.right += answer_at(outputs, i, dataset.classes) == dataset.labels[i] ? 1 : 0;
    }
    accuracy.drawing = verify::draw_image(dataset, 0);
    accuracy.shown_label = dataset.labels[0];
    accuracy.shown_answer = answer_at(outputs, 0, dataset.classes);
    return accuracy;
}

// Of data and commit records, in the uninterrupted life, by the inference that wrote most.
std::int64_t bytes_per_inference(const ordered_json& driver) {
    std::int64_t most = 0;
    for (const auto& inference : driver.at("nvm_bytes_written").at("per_inference")) {
        most = std::max(most, inference.at("data").get<std::int64_t>() + inference.at("record").get<std::int64_t>());
    }
    return most;
}

report::CutSummary read_cuts(const ordered_json& driver) {
    report::CutSummary cuts;
    cuts.units_total = driver.at("units_total");
    cuts.cuts_planned = driver.at("cuts_planned");
    cuts.cuts_first = driver.at("cuts_first");
    cuts.cuts_tried = driver.at("cuts_tried");
    cuts.second_cuts_tried = driver.at("second_cuts_tried");
    cuts.wrong_count = driver.at("wrong_count");
    cuts.reboots = driver.at("reboots");
    cuts.tasks_run_again = driver.at("tasks_run_again");
    cuts.recoveries_ended_early = driver.at("recoveries_ended_early");
    cuts.seconds = driver.at("seconds");
    for (const auto& wrong : driver.at("wrong")) {
        cuts.failures.push_back({wrong.at("id"), wrong.at("kind"), wrong.at("task"), wrong.at("detail")});
    }
    return cuts;
}

class OneProject {
public:
    OneProject(const RunRequest& request, const Project& project, const Inputs& inputs)
        : m_request(request), m_project(project), m_inputs(inputs) {}

    Result<report::WovenResult> run(const fs::path& work, std::optional<report::Accuracy>& accuracy) {
        const weave::WovenSummary& s = m_project.summary;
        const bool is_mapped = s.mode == "mapped";
        MM_TRY(
            const verify::HostBuild build,
            verify::build_for_host(m_project.folder, work / "build", s.app_target, s.plain_target,
                                   is_mapped ? verify::StoreTracing::on : verify::StoreTracing::off, m_request.jobs));
        const auto output_bytes =
            static_cast<std::size_t>(s.output_bytes) * static_cast<std::size_t>(m_request.inferences);
        MM_TRY(const std::string expected, verify::run_plain(build, m_inputs.bytes, output_bytes));
        if (m_inputs.dataset && !accuracy) {
            MM_TRY(accuracy, measure_accuracy(build, *m_inputs.dataset));
        }
        report::WovenResult result;
        result.mode = s.mode;
        result.split = s.split;
        result.slices = s.slices;
        result.tasks = s.task_names;
        result.nvm_bytes = s.nvm_bytes;
        result.crossing_bytes = s.crossing_bytes;
        result.commit_record_bytes = s.commit_record_bytes;
        MM_TRY(const std::string outputs, verify::run_woven(build, work, m_inputs.bytes, m_request.inferences));
        result.is_equal_uninterrupted = outputs == expected;
        MM_CHECK(cut(build, work, expected, result));
        return result;
    }

private:
    // Without cuts the driver only counts the writes of the uninterrupted life.
    Status cut(const verify::HostBuild& build, const fs::path& work, const std::string& expected,
               report::WovenResult& result) {
        verify::CutRequest cutting;
        cutting.inputs = m_inputs.bytes;
        cutting.expected = expected;
        cutting.inferences = m_request.inferences;
        cutting.cuts_max = m_request.cuts ? m_request.cuts_max : 0;
        cutting.budget_seconds = m_request.budget_seconds;
        cutting.second_max = m_request.second_max;
        cutting.replay = m_request.replay;
        cutting.jobs = m_request.jobs;
        if (m_request.progress && m_request.cuts) {
            cutting.progress = [&](std::uint64_t done, std::uint64_t total) {
                m_request.progress(fmt::format("cutting the power, {} NVM", m_project.summary.mode), done, total);
            };
        }
        MM_TRY(const ordered_json driver, verify::cut_everywhere(build, work, cutting));
        try {
            const report::CutSummary cuts = read_cuts(driver);
            if (m_request.cuts) {
                result.cuts = cuts;
            } else {
                result.is_equal_uninterrupted = result.is_equal_uninterrupted && cuts.wrong_count == 0;
            }
            result.nvm_bytes_written_per_inference = bytes_per_inference(driver);
        } catch (const nlohmann::json::exception& missing) {
            return fail(ErrorCode::internal, (work / "report.json").string(),
                        "the cut driver's report is not as expected: {}", missing.what());
        }
        return {};
    }

    const RunRequest& m_request;
    const Project& m_project;
    const Inputs& m_inputs;
};

Result<report::RunResult> run_in(const fs::path& work, const RunRequest& request) {
    MM_TRY(const std::vector<Project> projects, make_projects(request, work));
    MM_TRY(const Inputs inputs, make_inputs(request, projects.front().summary));
    report::RunResult result;
    result.model_file = projects.front().summary.model_file;
    result.model_sha256 = projects.front().summary.model_sha256;
    result.inferences = request.inferences;
    result.seed = request.seed;
    result.inputs = inputs.source;
    result.notes = projects.front().summary.notes;
    result.generator_notes = request.foreign != nullptr ? request.foreign->notes : std::vector<std::string>{};
    for (const Project& project : projects) {
        MM_TRY(report::WovenResult woven,
               OneProject(request, project, inputs).run(work / (project.summary.mode + "-work"), result.accuracy));
        result.woven.push_back(std::move(woven));
        if (request.explain) {
            result.explanation += fmt::format("{} NVM\n{}\n", project.summary.mode, project.explanation);
        }
    }
    return result;
}

}  // namespace

Result<report::RunResult> run(const RunRequest& request) {
    return in_work_folder(request.keep, "metamorph-run", [&](const fs::path& work) { return run_in(work, request); });
}

}  // namespace metamorph::pipeline
