// Runs the whole flow for power-loss tests.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "pipeline/run.h"
#include "report/run_result.h"

namespace metamorph {

struct Case {
    const char* split;
    tasks::NvmMode mode;
};
std::string name_of(const testing::TestParamInfo<Case>& info);

std::filesystem::path digits_model();
std::filesystem::path digits_dataset();

// A public model of the folder METAMORPH_MODEL_ZOO; nothing where that is not set.
std::optional<std::filesystem::path> zoo_model(const std::string& name);

pipeline::RunRequest request_for(const std::filesystem::path& model, const std::string& split, tasks::NvmMode mode);

// Every write unit was cut, nothing went wrong, and NVM was written for what crosses, and no more than 5 % above.
void expect_all_survived(const report::RunResult& result);

}  // namespace metamorph
