// A session for readers: JSON, the timeline, why a run came out as it did.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "matrix/rows.h"
#include "matrix/session.h"
#include "util/result.h"

namespace metamorph::matrix {

// Of all runs that have one, in the session's order; `missing`: names of the others.
struct Results {
    std::vector<RunResult> runs;
    std::vector<std::string> missing;
};
Results results_of(const Session& session);

// "12 runs: 9 Right, 1 DoesNotFit, 2 Skipped" and what is missing.
std::string summary_of(const Results& results);

nlohmann::ordered_json report_json(const Session& session, const Results& results,
                                   const Table& table);  // "metamorph-report-1"

// For Perfetto and chrome://tracing: a row a slot, a bar a stage; and how many slots are used.
nlohmann::ordered_json timeline_of(const Results& results);

// The run that `name` means: its whole name, or a part that only one has. Errors: options, with the nearest.
Result<const RunPlan*> find_run(const Session& session, const std::string& name);

struct Explanation {
    std::string text;
    nlohmann::ordered_json json;  // "metamorph-why-1"
};
Explanation explain(const Session& session, const RunPlan& plan);

}  // namespace metamorph::matrix
