// What a woven program must keep to, whatever power does: from its tables, its weave.json and the oracle's outputs.
#pragma once

#include <vector>

#include "emu/trace.h"
#include "verify/crash_graph.h"
#include "verify/firmware_tables.h"
#include "weave/weave.h"

namespace metamorph::pipeline {

// `depth`: as of CrashRules.
verify::CrashRules crash_rules(const weave::WovenSummary& summary, const verify::FirmwareTables& tables,
                               const verify::Recording& recording, const std::vector<emu::Output>& expected, int depth);

}  // namespace metamorph::pipeline
