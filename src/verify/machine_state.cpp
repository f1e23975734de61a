// What boots have taught an emulated machine, for another process.
#include "verify/emulated_machine.h"
#include "verify/search_state.h"

namespace metamorph::verify {

// The recorded run's own futures come with the recording; those behind are saved with what they were told apart by.
std::string EmulatedMachine::save() const {
    emu::Writer wire;
    const std::size_t recorded = m_recording.segments.size();
    wire(static_cast<std::uint64_t>(m_futures.size() - recorded));
    for (std::size_t i = recorded; i < m_futures.size(); ++i) {
        wire(static_cast<std::uint64_t>(m_futures[i].segments.size()));
        for (const auto& segment : m_futures[i].segments) {
            wire(*segment);
        }
    }
    wire(std::vector<std::pair<std::string, int>>(m_other_futures.begin(), m_other_futures.end()));
    return wire.take();
}

Status EmulatedMachine::restore(const std::string& state) {
    try {
        emu::Reader wire(state);
        std::uint64_t futures = 0;
        wire(futures);
        for (std::uint64_t i = 0; i < futures; ++i) {
            Future future;
            std::uint64_t segments = 0;
            wire(segments);
            for (std::uint64_t s = 0; s < segments; ++s) {
                Segment segment;
                wire(segment);
                future.segments.push_back(std::make_shared<const Segment>(std::move(segment)));
            }
            m_futures.push_back(std::move(future));
        }
        std::vector<std::pair<std::string, int>> known;
        wire(known);
        wire.end();
        m_other_futures = {known.begin(), known.end()};
    } catch (const emu::WireError& damaged) {
        return fail(ErrorCode::options, "--resume", "the state is damaged: {}", damaged.what());
    }
    return {};
}

}  // namespace metamorph::verify
