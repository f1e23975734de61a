#include "project/points.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/framework.h"
#include "project/names.h"
#include "util/text.h"

namespace metamorph::project {
namespace {

namespace fs = std::filesystem;
using AxisValues = std::map<Axis, std::vector<std::string>>;

constexpr std::size_t k_points_max = 100'000;

std::string option_of(Axis axis) {
    return "--" + axis_names()[static_cast<std::size_t>(axis)];
}

bool matches(const Rule& rule, const Point& point) {
    return std::all_of(rule.values.begin(), rule.values.end(), [&](const auto& named) {
        const auto& [axis, values] = named;
        return std::find(values.begin(), values.end(), point.at(axis)) != values.end();
    });
}

std::string told(const Rule& rule) {
    std::vector<std::string> parts;
    for (const auto& [axis, values] : rule.values) {
        parts.push_back(fmt::format("{} {}", axis_names()[static_cast<std::size_t>(axis)], fmt::join(values, ", ")));
    }
    return fmt::format("excluded: {}{}{}", fmt::join(parts, "; "), rule.why.empty() ? "" : ": ", rule.why);
}

std::vector<Point> product(const AxisValues& axes) {
    std::vector<Point> points(1);
    for (const auto& [axis, values] : axes) {
        std::vector<Point> longer;
        for (const Point& point : points) {
            for (const std::string& value : values) {
                longer.push_back(point);
                longer.back().values[static_cast<std::size_t>(axis)] = value;
            }
        }
        points = std::move(longer);
    }
    return points;
}

std::size_t size_of(const AxisValues& axes) {
    std::size_t size = 1;
    for (const auto& [axis, values] : axes) {
        size = std::min(size * std::max<std::size_t>(values.size(), 1), k_points_max + 1);
    }
    return size;
}

// Of an include: its own values, of the other axes all; never what the command line has ruled out.
AxisValues axes_of(const Rule& rule, const AxisValues& axes, const Selection& selection) {
    AxisValues result = axes;
    for (const auto& [axis, values] : rule.values) {
        result[axis] = values;
        if (const auto chosen = selection.values.find(axis); chosen != selection.values.end()) {
            std::erase_if(result[axis], [&](const std::string& value) {
                return std::find(chosen->second.begin(), chosen->second.end(), value) == chosen->second.end();
            });
        }
    }
    return result;
}

class Collection {
public:
    void add(Point point) {
        if (point.at(Axis::device) == "host") {
            point.values[static_cast<std::size_t>(Axis::toolchain)] = "clang";
        }
        if (m_seen.insert(point.values).second) {
            points.push_back(std::move(point));
        }
    }
    std::vector<Point> points;

private:
    std::set<PerAxis> m_seen;
};

Status adopt_model(Project& project, std::string& value) {
    if (project.model(value) != nullptr) {
        return {};
    }
    std::error_code error;
    if (!fs::exists(value, error)) {
        std::vector<std::string> names;
        for (const ModelEntry& model : project.models) {
            names.push_back(model.name);
        }
        const std::string nearest = did_you_mean(value, names);
        return fail_with_hint(ErrorCode::options, "--model",
                              fmt::format("there is no model '{}' in the project, and no such file", printable(value)),
                              nearest.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : nearest);
    }
    const fs::path path = fs::absolute(value, error).lexically_normal();
    const std::string name = c_identifier(path.stem().string());
    if (project.model(name) != nullptr) {
        return fail_with_hint(ErrorCode::options, "--model",
                              fmt::format("'{}' would be called {}, as a model of the project is", value, name),
                              "name the project's, or add the file to the project");
    }
    project.models.push_back({name, {path}, {}, {}, false, 0});
    value = name;
    return {};
}

Status adopt_generator(Project& project, const std::string& value) {
    if (project.generator(value) != nullptr) {
        return {};
    }
    const std::vector<std::string> known = app::framework_names();
    if (value != "native" && std::find(known.begin(), known.end(), value) == known.end()) {
        std::vector<std::string> names{"native"};
        names.insert(names.end(), known.begin(), known.end());
        for (const GeneratorEntry& generator : project.generators) {
            names.push_back(generator.name);
        }
        const std::string nearest = did_you_mean(value, names);
        return fail_with_hint(
            ErrorCode::options, "--generator",
            fmt::format("there is no generator '{}' in the project, and none of that name", printable(value)),
            nearest.empty() ? "'metamorph frameworks' lists them" : nearest);
    }
    project.generators.push_back({value, value, {}});
    return {};
}

Status adopt_value(Project& project, Axis axis, std::string& value) {
    if (axis == Axis::model) {
        return adopt_model(project, value);
    }
    if (axis == Axis::generator) {
        return adopt_generator(project, value);
    }
    if (const Complaint complaint = complaint_of(axis, value, {}); !complaint.message.empty()) {
        return fail_with_hint(ErrorCode::options, option_of(axis), complaint.message, complaint.hint);
    }
    std::error_code error;
    if (axis == Axis::device && (value.ends_with(".toml") || value.find('/') != std::string::npos)) {
        value = fs::absolute(value, error).lexically_normal().string();
    }
    return {};
}

}  // namespace

std::string Point::device_name() const {
    const fs::path device(at(Axis::device));
    return device.has_parent_path() || device.extension() == ".toml" ? device.stem().string() : device.string();
}

std::string Point::name() const {
    return fmt::format("{}.{}.{}.{}.{}", at(Axis::model), at(Axis::generator), device_name(), at(Axis::toolchain),
                       at(Axis::tasks));
}

Status adopt_selection(Project& project, Selection& selection) {
    for (auto& [axis, values] : selection.values) {
        std::set<std::string> seen;
        for (std::string& value : values) {
            MM_CHECK(adopt_value(project, axis, value));
            if (!seen.insert(value).second) {
                return fail_with_hint(ErrorCode::options, option_of(axis),
                                      fmt::format("'{}' is named twice", printable(value)), "name it once");
            }
        }
    }
    return {};
}

Result<std::vector<Point>> expand(const Project& project, const Selection& selection) {
    AxisValues axes = project.axes;
    for (const auto& [axis, values] : selection.values) {
        axes[axis] = values;
    }
    const Rule* group = nullptr;
    if (!selection.group.empty()) {
        const auto found = project.groups.find(selection.group);
        if (found == project.groups.end()) {
            std::vector<std::string> names;
            for (const auto& [name, rule] : project.groups) {
                names.push_back(name);
            }
            const std::string nearest = did_you_mean(selection.group, names);
            return fail_with_hint(ErrorCode::options, "GROUP",
                                  fmt::format("there is no group '{}' in the project", printable(selection.group)),
                                  nearest.empty()
                                      ? fmt::format("a group is a table [group.NAME] of {}", project.file.string())
                                      : nearest);
        }
        group = &found->second;
    }
    std::vector<AxisValues> all{axes};
    std::size_t size = size_of(axes);
    for (const Rule& include : project.includes) {
        all.push_back(axes_of(include, axes, selection));
        size += size_of(all.back());
    }
    if (size > k_points_max) {
        return fail_with_hint(ErrorCode::options, project.file.string(),
                              fmt::format("the axes have more than {} points", k_points_max), "leave values out");
    }
    Collection collection;
    for (const AxisValues& values : all) {
        for (Point& point : product(values)) {
            if (group == nullptr || matches(*group, point)) {
                collection.add(std::move(point));
            }
        }
    }
    std::set<std::string> names;
    for (Point& point : collection.points) {
        for (const Rule& exclude : project.excludes) {
            if (matches(exclude, point)) {
                point.left_out = told(exclude);
                break;
            }
        }
        if (!names.insert(point.name()).second) {
            return fail_with_hint(ErrorCode::options, project.file.string(),
                                  fmt::format("two runs would be called {}", point.name()),
                                  "give models, generators or descriptions of devices other names");
        }
    }
    if (collection.points.empty()) {
        return fail_with_hint(ErrorCode::options, project.file.string(), "nothing is left to run",
                              "the group and the options leave no point of the axes");
    }
    return std::move(collection.points);
}

}  // namespace metamorph::project
