// From a project's axes to single runs. Pure: whether a run is possible on this machine is asked elsewhere.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "project/project.h"
#include "util/result.h"

namespace metamorph::project {

struct Point {
    PerAxis values;        // a device by its name, or the absolute path of its description
    std::string left_out;  // by which exclusion; empty: it is run

    const std::string& at(Axis axis) const { return values[static_cast<std::size_t>(axis)]; }
    std::string device_name() const;  // without folders
    std::string name() const;         // "digits.native.cortex-m4-mapped.gcc.layer": of its folder
};

// What the command line changes.
struct Selection {
    std::map<Axis, std::vector<std::string>> values;  // instead of the project's; checked by `complaint_of`
    std::string group;                                // only points that match it; empty: all
};

// Makes the selection's values known to the project: a model that is a file's path, a generator that is a framework's
// name, a device's description. Relative paths are from the folder that we work in. Errors: options.
Status adopt_selection(Project& project, Selection& selection);

// The points of all axes, then those of includes that are not among them; model first, tasks last. On the host there is
// one toolchain, clang, whatever the axis says. Errors: options (no such group; two points with one name; nothing
// left).
Result<std::vector<Point>> expand(const Project& project, const Selection& selection);

}  // namespace metamorph::project
