#include "matrix/change.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "matrix/rows.h"
#include "util/text.h"

namespace metamorph::matrix {
namespace {

using nlohmann::ordered_json;

std::string without_spaces(const std::string& text) {
    std::string result;
    std::copy_if(text.begin(), text.end(), std::back_inserter(result), [](char c) { return c != ' '; });
    return result;
}

tl::unexpected<Error> no_condition(const std::string& text, const std::string& why) {
    return fail_with_hint(ErrorCode::options, "--fail-if", fmt::format("'{}' {}", printable(text), why),
                          "as in 'instructions > +2%' or 'code > 100'");
}

bool is_met(const Condition& condition, double before, double after) {
    double change = after - before;
    if (condition.is_percent) {
        // From nothing to something is more than any percentage.
        change = before != 0  ? change / std::abs(before) * 100
                 : after == 0 ? 0
                 : after > 0  ? std::numeric_limits<double>::infinity()
                              : -std::numeric_limits<double>::infinity();
    }
    if (condition.is_inclusive && change == condition.limit) {
        return true;
    }
    return condition.is_greater ? change > condition.limit : change < condition.limit;
}

std::string percent_of(const Change& change) {
    return change.before == 0
               ? ""
               : fmt::format(" ({:+.2f} %)", (change.after - change.before) / std::abs(change.before) * 100);
}

std::string line_of(const std::vector<std::string>& runs, const std::string& title) {
    std::string text;
    for (const std::string& run : runs) {
        text += fmt::format("{}{}\n", title, run);
    }
    return text;
}

}  // namespace

Result<Condition> parse_condition(const std::string& text) {
    const std::string dense = without_spaces(text);
    const std::size_t at = dense.find_first_of("<>");
    if (at == std::string::npos || at == 0) {
        return no_condition(text, "compares nothing");
    }
    Condition condition;
    condition.text = text;
    condition.column = dense.substr(0, at);
    condition.is_greater = dense[at] == '>';
    std::string rest = dense.substr(at + 1);
    if (rest.starts_with("=")) {
        condition.is_inclusive = true;
        rest.erase(0, 1);
    }
    if (rest.ends_with("%")) {
        condition.is_percent = true;
        rest.pop_back();
    }
    if (rest.starts_with("+")) {
        rest.erase(0, 1);
    }
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), condition.limit);
    if (error != std::errc() || end != rest.data() + rest.size()) {
        return no_condition(text, "has no number behind the comparison");
    }
    const Column* column = column_named(condition.column);
    if (column == nullptr || !column->is_number) {
        std::vector<std::string> names;
        for (const Column& each : all_columns()) {
            if (each.is_number) {
                names.push_back(each.name);
            }
        }
        const std::string nearest = did_you_mean(condition.column, names);
        return fail_with_hint(ErrorCode::options, "--fail-if",
                              fmt::format("'{}' is no column of numbers", printable(condition.column)),
                              nearest.empty() ? "docs/matrix.md lists them" : nearest);
    }
    return condition;
}

Comparison compare(const std::vector<RunResult>& before, const std::vector<RunResult>& after,
                   const std::vector<std::string>& columns, const std::vector<Condition>& conditions) {
    Comparison result;
    std::vector<std::string> compared = columns;
    for (const Condition& condition : conditions) {
        if (std::find(compared.begin(), compared.end(), condition.column) == compared.end()) {
            compared.push_back(condition.column);
        }
    }
    std::map<std::string, const RunResult*> earlier;
    for (const RunResult& run : before) {
        earlier[run.name] = &run;
    }
    bool is_right_lost = false;
    for (const RunResult& run : after) {
        const auto found = earlier.find(run.name);
        if (found == earlier.end()) {
            result.added.push_back(run.name);
            continue;
        }
        const RunResult& old = *found->second;
        if (old.status != run.status) {
            const std::string told = fmt::format("{}: {} → {}", run.name, name_of(old.status), name_of(run.status));
            if (old.status == RunStatus::right) {
                result.worse.push_back(told);
                is_right_lost = true;
            } else if (run.status == RunStatus::right) {
                result.better.push_back(told);
            }
        }
        for (const std::string& name : compared) {
            const Column* column = column_named(name);
            const auto was = column == nullptr ? std::nullopt : cell_of(old, *column).number;
            const auto is = column == nullptr ? std::nullopt : cell_of(run, *column).number;
            if (!was || !is || *was == *is) {
                continue;
            }
            Change change{run.name, name, *was, *is, ""};
            for (const Condition& condition : conditions) {
                if (condition.column == name && change.failed.empty() && is_met(condition, *was, *is)) {
                    change.failed = condition.text;
                    result.is_failed = true;
                }
            }
            result.changes.push_back(std::move(change));
        }
        earlier.erase(found);
    }
    for (const RunResult& run : before) {
        if (earlier.contains(run.name)) {
            result.gone.push_back(run.name);
            is_right_lost = is_right_lost || run.status == RunStatus::right;
        }
    }
    result.is_failed = result.is_failed || (!conditions.empty() && is_right_lost);
    return result;
}

std::string text_of(const Comparison& comparison) {
    std::string text = line_of(comparison.worse, "worse: ") + line_of(comparison.better, "better: ") +
                       line_of(comparison.gone, "gone: ") + line_of(comparison.added, "new: ");
    for (const Change& change : comparison.changes) {
        text += fmt::format("{} {}: {} → {}{}{}\n", change.run, change.column, change.before, change.after,
                            percent_of(change), change.failed.empty() ? "" : fmt::format("  FAILS: {}", change.failed));
    }
    return text.empty() ? "nothing differs\n" : text;
}

ordered_json json_of(const Comparison& comparison) {
    ordered_json json{{"schema", "metamorph-report-compare-1"},
                      {"failed", comparison.is_failed},
                      {"worse", comparison.worse},
                      {"better", comparison.better},
                      {"gone", comparison.gone},
                      {"added", comparison.added},
                      {"changes", ordered_json::array()}};
    for (const Change& change : comparison.changes) {
        json["changes"].push_back({{"run", change.run},
                                   {"column", change.column},
                                   {"before", change.before},
                                   {"after", change.after},
                                   {"failed_condition", change.failed}});
    }
    return json;
}

}  // namespace metamorph::matrix
