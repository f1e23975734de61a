#include "wiring_matrix_plan.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/device.h"
#include "app/framework.h"
#include "generate/driver/environment.h"
#include "libraries/library_for.h"
#include "pipeline/process_libraries.h"
#include "util/process.h"

namespace metamorph::cli {
namespace {

namespace fs = std::filesystem;
using project::Axis;
using project::Point;

std::string ending_of(const fs::path& model) {
    std::error_code error;
    if (fs::is_directory(model, error)) {
        return "folder";
    }
    const std::string extension = model.extension().string();
    return extension.empty() ? extension : extension.substr(1);
}

class Planning {
public:
    explicit Planning(const project::Project& project) : m_project(project) {}

    Result<matrix::NewRun> plan(const Point& point) {
        matrix::NewRun run;
        run.plan.name = point.name();
        run.plan.values = point.values;
        run.plan.skipped = point.left_out;
        const project::ModelEntry& model = *m_project.model(point.at(Axis::model));
        const project::GeneratorEntry& generator = *m_project.generator(point.at(Axis::generator));
        run.plan.generator = generator.generator;
        run.plan.options = generator.options;
        run.plan.is_expected_float = model.is_expected_float;
        run.plan.tolerance = model.tolerance;
        MM_CHECK(choose_model(model, generator, run));
        for (const auto& [path, slot] :
             {std::pair{&model.inputs, &run.plan.inputs}, {&model.expected, &run.plan.expected}}) {
            if (!path->empty()) {
                *slot = path->filename().string();
                run.sources.push_back(*path);
            }
        }
        MM_CHECK(check_device(point, run.plan.skipped));
        return run;
    }

    // What its generator's code links, in this machine's trial of it and on the device. A run that cannot have it is
    // skipped.
    Result<std::vector<NeededLibrary>> libraries_of(const Point& point, matrix::RunPlan& plan) {
        MM_TRY(const Known* known, this->known(plan.generator));
        std::vector<NeededLibrary> needed;
        if (!plan.skipped.empty() || !known->framework || !known->framework->opaque ||
            known->framework->opaque->library.empty()) {
            return needed;
        }
        libraries::LibraryWish wish = wish_of(*known->framework, plan);
        if (!known->framework->libraries.empty()) {
            MM_TRY(wish.instead, app::find_libraries(&*known->framework));
        }
        for (const std::string& name : {std::string("host"), point.at(Axis::device)}) {
            const std::string id = fmt::format("{} {} {}", plan.generator, fmt::join(wish.features, ","), name);
            if (!m_libraries.contains(id)) {
                MM_TRY(pipeline::OpenLibraries * open, pipeline::OpenLibraries::of_process());
                MM_TRY(const app::Device device, app::find_device(name));
                const auto why_not = open->libraries().why_not(device, wish);
                m_libraries.emplace(id, Library{why_not ? why_not->message : "", {}});
                if (!why_not) {
                    m_libraries.at(id).planned = open->libraries().plan(device, wish);
                }
            }
            const auto& [why_not, planned] = m_libraries.at(id);
            if (!why_not.empty()) {
                plan.skipped = why_not;
                return std::vector<NeededLibrary>{};
            }
            if (!planned) {  // its compiler refuses: the run tells that as its result
                needed.push_back({wish.names.front(), fs::path(name).stem().string(), "", false, name, wish});
                continue;
            }
            for (const libraries::Libraries::Planned& one : *planned) {
                const bool is_there =
                    std::any_of(needed.begin(), needed.end(), [&](const NeededLibrary& n) { return n.key == one.key; });
                if (!is_there) {
                    needed.push_back({one.name, fs::path(name).stem().string(), one.key, one.is_stored, name, wish});
                }
            }
        }
        for (const NeededLibrary& one : needed) {
            plan.libraries.push_back(one.name + ":" + one.key);
        }
        return needed;
    }

private:
    struct Known {
        std::vector<std::string> formats{"tflite"};
        std::string problem;  // why it cannot be used; empty: it can
        std::string version;  // of the run's plan
        std::optional<app::Framework> framework;
    };

    Result<const Known*> known(const std::string& generator) {
        if (const auto found = m_generators.find(generator); found != m_generators.end()) {
            return &found->second;
        }
        Known known;
        known.version = "metamorph " METAMORPH_VERSION;
        if (generator != "native") {
            MM_TRY(const app::Framework framework, app::find_framework(generator));
            known.formats = framework.formats;
            known.framework = framework;
            known.version = framework.name;
            MM_TRY(const generate::Installation installation, generate::find_installation(framework));
            if (!installation.version.empty()) {
                known.version += " " + installation.version;
            }
            if (!installation.is_ready()) {
                known.problem =
                    fmt::format("{} is not installed{}{}: {}", framework.name, installation.problem.empty() ? "" : ", ",
                                installation.problem, generate::how_to_install(framework));
            }
        }
        return &m_generators.emplace(generator, std::move(known)).first->second;
    }

    static libraries::LibraryWish wish_of(const app::Framework& framework, const matrix::RunPlan& plan) {
        libraries::LibraryWish wish;
        wish.names = {framework.opaque->library};
        wish.toolchain = "gcc";
        for (const auto& [name, value] : plan.options) {
            const auto option = std::find_if(framework.options.begin(), framework.options.end(),
                                             [&, key = name](const auto& one) { return one.name == key; });
            if (option != framework.options.end() && option->is_library_feature && value != option->default_value) {
                wish.features.push_back(value);
            }
            if (framework.source && framework.source->option == name) {
                wish.trees[framework.opaque->library] = value;
            }
        }
        return wish;
    }

    // The first file that the generator takes.
    Status choose_model(const project::ModelEntry& model, const project::GeneratorEntry& generator,
                        matrix::NewRun& run) {
        MM_TRY(const Known* known, this->known(generator.generator));
        const auto found = std::find_if(model.files.begin(), model.files.end(), [&](const fs::path& file) {
            return std::find(known->formats.begin(), known->formats.end(), ending_of(file)) != known->formats.end();
        });
        const fs::path& file = found == model.files.end() ? model.files.front() : *found;
        run.plan.model = file.filename().string();
        run.plan.generator_version = known->version;
        run.sources.push_back(file);
        if (!run.plan.skipped.empty()) {
            return {};
        }
        if (!known->problem.empty()) {
            run.plan.skipped = known->problem;
        } else if (found == model.files.end()) {
            run.plan.skipped = fmt::format("{} takes {}, and {} has no such file", generator.name,
                                           fmt::join(known->formats, ", "), model.name);
        }
        return {};
    }

    Status check_device(const Point& point, std::string& skipped) {
        const std::string& name = point.at(Axis::device);
        if (!m_devices.contains(name)) {
            MM_TRY(app::Device device, app::find_device(name));
            m_devices.emplace(name, std::move(device));
        }
        const app::Device& device = m_devices.at(name);
        if (device.is_host() || !skipped.empty()) {
            return {};
        }
        const app::Compiler* compiler = device.compiler(point.at(Axis::toolchain));
        if (compiler == nullptr) {
            skipped = fmt::format("{} has no toolchain {}", device.name, point.at(Axis::toolchain));
        } else if (!find_program(compiler->program)) {
            skipped = fmt::format("{} is not installed: apt-get install {}", compiler->program,
                                  fmt::join(compiler->packages, " "));
        }
        return {};
    }

    const project::Project& m_project;
    std::map<std::string, Known> m_generators;
    std::map<std::string, app::Device> m_devices;
    struct Library {
        std::string why_not;
        Result<std::vector<libraries::Libraries::Planned>> planned;
    };
    std::map<std::string, Library> m_libraries;
};

}  // namespace

Result<PlannedMatrix> plan_matrix(const MatrixOptions& options) {
    PlannedMatrix planned;
    std::error_code error;
    const fs::path beside = fs::absolute(options.project, error).lexically_normal().parent_path() / "frameworks";
    ::setenv("METAMORPH_FRAMEWORKS", beside.c_str(), 0);
    const fs::path folder = fs::absolute(std::getenv("METAMORPH_FRAMEWORKS"), error).lexically_normal();
    planned.frameworks = fs::is_directory(folder, error) ? folder.string() : "";
    MM_TRY(planned.project, project::load_project(options.project));
    project::Selection selection;
    selection.group = options.group;
    for (const auto& [axis, values] : {std::pair{Axis::model, &options.models},
                                       {Axis::generator, &options.generators},
                                       {Axis::device, &options.devices},
                                       {Axis::toolchain, &options.toolchains},
                                       {Axis::tasks, &options.tasks}}) {
        if (!values->empty()) {
            selection.values[axis] = *values;
        }
    }
    MM_CHECK(project::adopt_selection(planned.project, selection));
    MM_TRY(planned.points, project::expand(planned.project, selection));
    Planning planning(planned.project);
    for (const Point& point : planned.points) {
        MM_TRY(matrix::NewRun run, planning.plan(point));
        MM_TRY(std::vector<NeededLibrary> needed, planning.libraries_of(point, run.plan));
        planned.libraries.push_back(std::move(needed));
        planned.runs.push_back(std::move(run));
    }
    return planned;
}

}  // namespace metamorph::cli
