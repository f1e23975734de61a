// Why a failure happened, where what was seen shows it. The search tells symptoms; here the lives that lead to one are
// run again, and compared with the recorded run: which write the cut came in, which record was gone on from, what a
// task found when it began. The first thing on the way that is not as it must be is the cause.
#pragma once

#include <string>
#include <vector>

#include "emu/program.h"
#include "verify/crash_graph.h"
#include "verify/emulated_machine.h"
#include "verify/firmware_tables.h"

namespace metamorph::verify {

// Kinds, and what shows them:
//   commit-before-data        the record of a commit was gone on from whose data was yet to be written
//   torn-record               a record was gone on from that was only written in part
//   stale-slot                an older record was gone on from, although the newest was whole
//   active-slot-overwritten   the cut came while the record to go on from was itself being written
//   record-of-another-build   what another build left was gone on from
//   counter-before-boot-flag  a first boot began with counts that it had read from NVM
//   missing-write-back        a task fetched a home that no task before it had written
//   missing-fetch             a task found nothing in SRAM where an earlier one commits from, and its own list has no
//   fetch variable-only-in-sram     a task found another value in SRAM than an earlier one had left: no home keeps it
//   uninitialised-sram-read   SRAM is read that nothing has ever written, power cut or not
//   write-after-read          a task found changed what it reads: it had written there itself before the cut
//   write-after-read-in-arena likewise, where the task also reads what it wrote: a buffer inside the task
//   slice-not-idempotent      likewise, in a slice of a layer
//   output-not-repeatable     a task hands over other bytes although its SRAM and all its homes are as recorded
//   tally-not-cleared         no progress is reported: the count of boots is older than the record
//   task-never-fits           a boot that is not cut never comes to the end of a task
// and, with nothing to be added, the symptoms of faults that the emulator sees happen: spi-write-without-enable.
struct Diagnosis {
    std::string kind;      // of these; empty: what was seen does not decide
    std::string evidence;  // a sentence
};

// What the emulated program was woven as.
struct DiagnosisPlan {
    const FirmwareTables& tables;
    std::vector<bool> is_slice;  // by task
};

// Errors: as of the machine.
Result<Diagnosis> diagnose(EmulatedMachine& machine, const CrashRules& rules, const DiagnosisPlan& plan,
                           const emu::Program& program, const CrashFailure& failure);

}  // namespace metamorph::verify
