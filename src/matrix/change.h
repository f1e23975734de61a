// Two sessions side by side: what has changed from one to the other, and whether that is acceptable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "matrix/run_result.h"
#include "util/result.h"

namespace metamorph::matrix {

// "instructions > +2%", "code > +100", "cycles >= 5 %", "seconds < -1": a run fails if its change is so.
struct Condition {
    std::string text, column;
    bool is_greater = true, is_inclusive = false, is_percent = false;
    double limit = 0;
};
// Errors: options (no such column, no number in it; not of this form).
Result<Condition> parse_condition(const std::string& text);

struct Change {
    std::string run, column;
    double before = 0, after = 0;
    std::string failed;  // the condition that it meets; empty: none
};

struct Comparison {
    std::vector<Change> changes;             // cells that differ, of runs that both have
    std::vector<std::string> worse, better;  // "RUN: Right → Diverged"; only where one of both is Right
    std::vector<std::string> gone, added;    // runs that only one has
    bool is_failed = false;                  // with conditions: one is met, or a run that was right is worse or gone
};

// `columns`: those that are compared; where conditions name others, those as well.
Comparison compare(const std::vector<RunResult>& before, const std::vector<RunResult>& after,
                   const std::vector<std::string>& columns, const std::vector<Condition>& conditions);

std::string text_of(const Comparison& comparison);
nlohmann::ordered_json json_of(const Comparison& comparison);  // "metamorph-report-compare-1"

}  // namespace metamorph::matrix
