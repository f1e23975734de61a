// Woven firmware on an emulated board, as the search for crash states sees it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emu/program.h"
#include "emu/worker.h"
#include "verify/machine.h"

namespace metamorph::verify {

class EmulatedMachine : public Machine {
public:
    // Records the uninterrupted run from `start` (all of NVM that the program uses) in `workers` emulators at once.
    // `program` must outlive the object. Errors: as of the worker.
    static Result<std::unique_ptr<EmulatedMachine>> record(const emu::Program& program, const emu::Firmware& firmware,
                                                           const std::string& start, int workers);

    const Recording& recording() const override { return m_recording; }
    const Future& future(int index) const override { return m_futures[static_cast<std::size_t>(index)]; }
    Result<std::vector<BootResult>> boot(const std::vector<BootImage>& images) override;
    Result<std::vector<IntervalSet>> needed_after_clean_stops() override;
    std::string save() const override;
    Status restore(const std::string& state) override;
    std::string place(std::uint32_t pc) const override { return m_program.place(pc); }

    // A life of its own, from contents of NVM to a cut or to where the program stops. Nothing is joined.
    Result<emu::CutRun> run_with_cut(const std::string& nvm, const emu::CutSpec& cut);
    Segment told(const emu::RawSegment& segment) const;
    int restarts() const;  // of emulators that were gone

private:
    EmulatedMachine(const emu::Program& program, const emu::Firmware& firmware)
        : m_program(program), m_firmware(firmware) {}
    template <typename T, typename Request>
    Result<std::vector<T>> ask_workers(std::size_t workers, Request request);
    Body body_of(const emu::RawSegment& raw, const emu::RawSegment::Part& part, int boundary, std::string& nvm) const;
    void take_recording(const std::vector<emu::RawSegment>& segments, const std::string& start);
    Result<std::vector<emu::RawBoot>> boot_raw(const std::vector<BootImage>& images, bool wants_needed);
    std::size_t workers_for(std::size_t images) const;
    std::size_t worker_of(std::size_t image, std::size_t images) const;
    BootResult told(const emu::RawBoot& boot, std::size_t worker);
    int future_of(const emu::RawBoot& boot, std::size_t worker);
    int future_of_its_own(const emu::RawBoot& boot);
    Halt told(const emu::RawHalt& halt) const;
    Fault told(const emu::RawFault& fault) const;

    const emu::Program& m_program;
    const emu::Firmware m_firmware;
    std::vector<emu::Worker> m_workers;
    Recording m_recording;
    std::vector<Future> m_futures;                         // [b] for b < boundaries: the recording from b on
    std::map<std::string, int> m_other_futures;            // by their own segments
    std::map<std::pair<std::size_t, int>, int> m_watched;  // worker, RawBoot::watched → future
};

}  // namespace metamorph::verify
