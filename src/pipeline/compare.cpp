// The reference of a row is what the native generator makes of the row's own model; where that is no .tflite, of the
// first .tflite given; without any, the first row that has figures. All run on the same emulated device, so that what
// the device's compiler and floating point do is among the differences.
#include "pipeline/compare.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/framework.h"
#include "pipeline/ai8x.h"
#include "pipeline/inputs.h"
#include "pipeline/process_libraries.h"
#include "pipeline/real_values.h"
#include "pipeline/verify.h"
#include "pipeline/work_folder.h"
#include "verify/dataset.h"

namespace metamorph::pipeline {
namespace {

namespace fs = std::filesystem;
using report::ComparedGenerator;

constexpr const char* k_native = "native";

std::string ending_of(const fs::path& model) {
    const std::string extension = model.extension().string();
    return extension.empty() ? extension : extension.substr(1);
}

std::string one_line(const Error& error) {
    return error.message + (error.hint.empty() ? "" : fmt::format(" ({})", error.hint));
}

// Of a .tflite: what its int8 input and output mean.
struct Quantised {
    fs::path model;
    std::size_t inputs = 0, outputs = 0;  // values
    Int8Scale input, output;
};

Result<Quantised> read_quantised(const fs::path& path) {
    MM_TRY(const Model model, import_model(path));
    const graph::Graph& graph = model.graph;
    if (graph.inputs.size() != 1 || graph.outputs.size() != 1) {
        return fail(ErrorCode::options, path.string(),
                    "networks with one input and one output are compared; this one has {} and {}", graph.inputs.size(),
                    graph.outputs.size());
    }
    const graph::Tensor& in = graph.tensors[static_cast<std::size_t>(graph.inputs.front())];
    const graph::Tensor& out = graph.tensors[static_cast<std::size_t>(graph.outputs.front())];
    const auto input = int8_scale(in), output = int8_scale(out);
    if (!input || !output) {
        return fail(ErrorCode::options, path.string(), "'{}' and '{}' are not int8 with one scale", in.name, out.name);
    }
    return Quantised{path, static_cast<std::size_t>(in.elements()), static_cast<std::size_t>(out.elements()), *input,
                     *output};
}

class Comparing {
public:
    Comparing(const CompareRequest& request, const fs::path& work) : m_request(request), m_work(work) {}

    Result<report::Comparison> run() {
        report::Comparison comparison;
        MM_CHECK(read_models());
        MM_CHECK(read_frameworks());
        MM_CHECK(read_inputs(comparison.inputs));
        comparison.device = m_request.device.name;
        comparison.split = tasks::print(m_request.split);
        comparison.inferences = m_request.inferences;
        comparison.is_proof_wanted = m_request.proves;
        for (const CompareRequest::Candidate& candidate : m_request.candidates) {
            Measured measured = measure(candidate);
            MM_CHECK(relate(measured));
            if (measured.row.measured) {
                comparison.toolchain = measured.row.measured->toolchain;
            }
            comparison.rows.push_back(std::move(measured.row));
        }
        return comparison;
    }

private:
    struct Measured {
        ComparedGenerator row;
        fs::path model;
        Outputs outputs;
    };

    Status read_models() {
        for (const fs::path& model : m_request.models) {
            if (ending_of(model) != "tflite") {
                continue;
            }
            MM_TRY(Quantised quantised, read_quantised(model));
            if (!m_quantised.empty() && quantised.inputs != m_quantised.front().inputs) {
                return fail(ErrorCode::options, model.string(), "its input has {} values, that of {} has {}",
                            quantised.inputs, m_quantised.front().model.string(), m_quantised.front().inputs);
            }
            m_quantised.push_back(std::move(quantised));
        }
        return {};
    }

    Status read_frameworks() {
        for (const CompareRequest::Candidate& candidate : m_request.candidates) {
            if (candidate.generator == k_ai8x) {
                return fail_with_hint(ErrorCode::options, "--generators",
                                      "ai8x is not compared: its code works with an accelerator, which no emulated "
                                      "device has",
                                      "'metamorph run NETWORK.yaml --generator ai8x' runs it on this host");
            }
            if (candidate.generator != k_native) {
                MM_TRY(app::Framework framework, app::find_framework(candidate.generator, "--generators"));
                m_frameworks.emplace(candidate.generator, std::move(framework));
            }
        }
        return {};
    }

    Status read_inputs(std::string& told) {
        if (m_request.dataset.empty()) {
            told = fmt::format("random, seed {}", m_request.seed);
            if (!m_quantised.empty()) {
                m_inputs = random_inputs(m_request.seed,
                                         m_quantised.front().inputs * static_cast<std::size_t>(m_request.inferences));
            }
            return {};
        }
        MM_TRY(m_dataset, verify::read_dataset(m_request.dataset));
        told = m_request.dataset.filename().string();
        if (m_quantised.empty()) {
            return fail_with_hint(ErrorCode::options, m_request.dataset.string(),
                                  "its images are quantised to the int8 input of a network",
                                  "give that network's .tflite, too: it says what the numbers mean");
        }
        if (m_dataset.image_bytes() != m_quantised.front().inputs || m_dataset.classes != m_quantised.front().outputs) {
            return fail(ErrorCode::options, m_request.dataset.string(),
                        "it has images of {} values and {} classes; {} takes {} and gives {}", m_dataset.image_bytes(),
                        m_dataset.classes, m_quantised.front().model.string(), m_quantised.front().inputs,
                        m_quantised.front().outputs);
        }
        if (static_cast<std::uint32_t>(m_request.inferences) > m_dataset.count) {
            return fail(ErrorCode::options, "--inferences", "the data set has {} images, {} inferences are asked for",
                        m_dataset.count, m_request.inferences);
        }
        m_inputs.assign(reinterpret_cast<const char*>(m_dataset.images.data()),
                        m_dataset.image_bytes() * static_cast<std::size_t>(m_request.inferences));
        return {};
    }

    // The same real values for every generator, in the format that its code takes.
    Result<std::string> inputs_for(const weave::WovenSummary& summary) const {
        const auto each = static_cast<std::size_t>(summary.input_bytes);
        const bool is_float = summary.input_floats.size() == 1 && summary.input_floats.front().first == 0 &&
                              summary.input_floats.front().second == summary.input_bytes;
        if (m_quantised.empty()) {
            return random_inferences(m_request.seed, m_request.inferences, each, summary.input_floats);
        }
        const std::size_t values = m_quantised.front().inputs;
        if (!is_float && each == values) {
            return m_inputs;
        }
        if (is_float && each == values * sizeof(float)) {
            return floats_of(m_inputs, m_quantised.front().input);
        }
        return fail(ErrorCode::options, "MODEL", "its code takes {} bytes{}, and the input of {} has {} values", each,
                    is_float ? " of float32" : "", m_quantised.front().model.filename().string(), values);
    }

    // Errors: what stands in the row.
    Result<Measured> measure_one(const CompareRequest::Candidate& candidate, const fs::path& model,
                                 const std::string& folder, bool proves) {
        Measured measured;
        measured.model = model;
        measured.row.name = candidate.generator;
        measured.row.model = model.filename().string();
        measured.row.generator = candidate.generator;
        VerifyRequest request;
        request.model = model;
        request.devices = {m_request.device};
        request.toolchain = m_request.toolchain;
        request.split = m_request.split;
        request.inferences = m_request.inferences;
        request.inputs_for = [this](const weave::WovenSummary& summary) { return inputs_for(summary); };
        request.cuts = proves;
        request.jobs = m_request.jobs;
        request.keep = m_work / folder;
        request.progress = [this, &candidate](const std::string& what, std::uint64_t done, std::uint64_t total) {
            show(candidate.generator + ": " + what, done, total);
        };
        generate::ForeignCode code;
        if (candidate.generator != k_native) {
            generate::DriverRequest driving;
            driving.model = model;
            driving.options = candidate.options;
            show(candidate.generator + ": generating");
            MM_TRY(code, generate_code(m_frameworks.at(candidate.generator), driving));
            request.foreign = &code;
            measured.row.generator = code.generator;
            measured.row.notes = code.notes;
        }
        MM_TRY(report::VerifyResult result, verify(request));
        measured.row.measured = std::move(result.devices.front());
        measured.outputs.bytes = measured.row.measured->outputs;
        measured.outputs.format = format_of(model, measured.outputs.bytes);
        return measured;
    }

    // int8 as the row's own model says, where it has so many values; else float32.
    OutputFormat format_of(const fs::path& model, const std::vector<std::string>& outputs) const {
        const std::size_t bytes = outputs.empty() ? 0 : outputs.front().size();
        for (const Quantised& quantised : m_quantised) {
            if (quantised.model == model && quantised.outputs == bytes) {
                return {bytes, quantised.output};
            }
        }
        return {bytes / sizeof(float), std::nullopt};
    }

    Measured measure(const CompareRequest::Candidate& candidate) {
        Measured none;
        none.row.name = candidate.generator;
        const std::vector<std::string> formats = candidate.generator == k_native
                                                     ? std::vector<std::string>{"tflite"}
                                                     : m_frameworks.at(candidate.generator).formats;
        std::vector<fs::path> fitting;
        std::copy_if(m_request.models.begin(), m_request.models.end(), std::back_inserter(fitting), [&](const auto& m) {
            return std::find(formats.begin(), formats.end(), ending_of(m)) != formats.end();
        });
        if (fitting.empty()) {
            none.row.is_skipped = true;
            none.row.problem =
                fmt::format("it takes .{}; give the network in such a format, too", fmt::join(formats, ", ."));
            return none;
        }
        if (candidate.generator != k_native) {
            const auto ready = generate::need_installation(m_frameworks.at(candidate.generator));
            if (!ready) {
                none.row.is_skipped = ready.error().code == ErrorCode::toolchain;
                none.row.problem = one_line(ready.error());
                return none;
            }
        }
        for (const fs::path& model : fitting) {
            const std::string folder =
                fmt::format("{}-{}", fs::path(candidate.generator).stem().string(), model.stem().string());
            if (candidate.generator == k_native && m_references.contains(model) && !m_request.proves) {
                return m_references.at(model);
            }
            Result<Measured> measured = measure_one(candidate, model, folder, m_request.proves);
            if (measured) {
                if (candidate.generator == k_native) {
                    m_references.emplace(model, *measured);
                }
                return std::move(*measured);
            }
            if (none.row.problem.empty()) {
                none.row.model = model.filename().string();
                none.row.problem = one_line(measured.error());
            }
        }
        return none;
    }

    // Errors: as of the native generator.
    Status relate(Measured& measured) {
        if (!measured.row.measured) {
            return {};
        }
        if (!m_dataset.labels.empty()) {
            int right = 0;
            for (std::size_t i = 0; i < measured.outputs.bytes.size(); ++i) {
                const auto values = values_of(measured.outputs.bytes[i], measured.outputs.format);
                right += values && answer_of(*values) == m_dataset.labels[i] ? 1 : 0;
            }
            measured.row.right = right;
        }
        if (m_quantised.empty()) {
            if (!m_first) {
                m_first = std::make_unique<Measured>(measured);
                return {};
            }
            compare_with(measured, *m_first);
            return {};
        }
        const auto own = std::find_if(m_quantised.begin(), m_quantised.end(),
                                      [&](const Quantised& q) { return q.model == measured.model; });
        const bool is_own = own != m_quantised.end();
        const fs::path model = is_own ? own->model : m_quantised.front().model;
        if (is_own && measured.row.name == k_native) {
            return {};
        }
        if (!m_references.contains(model)) {
            MM_TRY(Measured native,
                   measure_one({k_native, {}}, model, fmt::format("reference-{}", model.stem().string()), false));
            m_references.emplace(model, std::move(native));
        }
        compare_with(measured, m_references.at(model));
        return {};
    }

    static void compare_with(Measured& measured, const Measured& reference) {
        measured.row.difference = difference_of(measured.outputs, reference.outputs);
        measured.row.difference->reference = fmt::format("{}, {}", reference.row.generator, reference.row.model);
    }

    void show(const std::string& what, std::uint64_t done = 0, std::uint64_t total = 0) const {
        if (m_request.progress) {
            m_request.progress(what, done, total);
        }
    }

    const CompareRequest& m_request;
    const fs::path& m_work;
    std::vector<Quantised> m_quantised;  // the .tflite models, in their order
    std::map<std::string, app::Framework> m_frameworks;
    verify::Dataset m_dataset;
    std::string m_inputs;                       // int8, of the first .tflite model's input; empty without one
    std::map<fs::path, Measured> m_references;  // what the native generator makes of a .tflite
    std::unique_ptr<Measured> m_first;
};

}  // namespace

Result<report::Comparison> compare(const CompareRequest& request) {
    return in_work_folder(request.keep, "metamorph-compare",
                          [&](const fs::path& work) { return Comparing(request, work).run(); });
}

}  // namespace metamorph::pipeline
