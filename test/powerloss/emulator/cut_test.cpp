// A cut leaves exactly what was written before it: whole write units, bytes of a torn one, outputs. And what the search
// for crash states is told by boots that join the recorded run is what really happens.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "app/device.h"
#include "powerloss/emulator/emulated_fixture.h"

namespace metamorph {
namespace {

using emu::CutSpec;
using emu::HaltKind;

constexpr unsigned k_all_bytes = 0xF;
constexpr const char* k_tasks = "app/net_tasks.c";

std::vector<std::string> printed(const std::vector<emu::NvmWrite>& writes) {
    std::vector<std::string> texts;
    for (const emu::NvmWrite& write : writes) {
        texts.push_back(print(write));
    }
    return texts;
}

// Steps of segments as text, with bodies of the recording spelled out.
class Story {
public:
    explicit Story(const verify::Recording& recording) : m_recording(recording) {}

    void tell(const std::vector<emu::Step>& steps, const std::vector<emu::Output>& outputs) {
        for (const emu::Step& step : steps) {
            tell(step, outputs);
        }
    }
    void tell(const verify::Halt& halt) {
        if (halt.kind != verify::Halt::Kind::none) {
            m_lines.push_back("halt: " + halt.what);
        }
    }
    const std::vector<std::string>& lines() const { return m_lines; }

private:
    void tell(const emu::Step& step, const std::vector<emu::Output>& outputs) {
        switch (step.kind) {
            case emu::Step::Kind::write:
                m_lines.push_back(print(step.write));
                break;
            case emu::Step::Kind::body: {
                const verify::Body& body = m_recording.bodies[static_cast<std::size_t>(step.index)];
                tell(body.steps, body.outputs);
                break;
            }
            case emu::Step::Kind::output: {
                const emu::Output& output = outputs[static_cast<std::size_t>(step.index)];
                m_lines.push_back("output " + std::to_string(output.sequence) + "/" + std::to_string(output.index) +
                                  ": " + output.bytes);
                break;
            }
            case emu::Step::Kind::first_boot:
                m_lines.emplace_back("first boot");
                break;
            case emu::Step::Kind::resume:
                m_lines.push_back("resume after " + std::to_string(step.index));
                break;
            case emu::Step::Kind::commit:
                m_lines.emplace_back("commit");
                break;
        }
    }
    const verify::Recording& m_recording;
    std::vector<std::string> m_lines;
};

std::vector<std::string> story_of(const verify::EmulatedMachine& machine, const emu::CutRun& run) {
    Story story(machine.recording());
    for (const emu::RawSegment& raw : run.segments) {
        const verify::Segment segment = machine.told(raw);
        story.tell(segment.steps, segment.outputs);
        story.tell(segment.halt);
    }
    return story.lines();
}

std::vector<std::string> story_of(const verify::EmulatedMachine& machine, const verify::BootResult& boot) {
    Story story(machine.recording());
    std::vector<std::shared_ptr<const verify::Segment>> segments{boot.first};
    if (boot.future >= 0) {
        const auto& rest = machine.future(boot.future).segments;
        segments.insert(segments.end(), rest.begin(), rest.end());
    }
    for (const auto& segment : segments) {
        story.tell(segment->steps, segment->outputs);
        story.tell(segment->halt);
    }
    return story.lines();
}

// Boots from images, as the search is told of them, against lives that are really run from there.
void expect_joining_changes_nothing(verify::EmulatedMachine& machine, const std::vector<std::string>& contents) {
    std::vector<verify::BootImage> images;
    for (const std::string& nvm : contents) {
        const auto boundary = static_cast<int>(images.size() % machine.recording().images.size());
        images.push_back({boundary, {{0, nvm}}, {}});
    }
    const auto boots = machine.boot(images);
    ASSERT_TRUE(boots.has_value()) << describe(boots.error());
    ASSERT_EQ(boots->size(), images.size());
    std::size_t joined = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const verify::BootResult& boot = (*boots)[i];
        ASSERT_FALSE(boot.needs_unknown);
        const auto& steps = boot.first->steps;
        joined += static_cast<std::size_t>(std::count_if(
            steps.begin(), steps.end(), [](const emu::Step& step) { return step.kind == emu::Step::Kind::body; }));
        joined += boot.future >= 0 ? 1 : 0;
        ASSERT_EQ(story_of(machine, boot), story_of(machine, run_with_cut(machine, contents[i], {}))) << "image " << i;
    }
    EXPECT_GT(joined, images.size()) << "else nothing was joined, and this shows nothing";
}

// One test a device, since building it is what takes time.
class Cuts : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (const auto missing = missing_compiler(GetParam())) {
            GTEST_SKIP() << *missing;
        }
        m_firmware = EmulatedFirmware::build(GetParam());
        ASSERT_NE(m_firmware, nullptr);
        m_machine = m_firmware->record();
        ASSERT_NE(m_machine, nullptr);
        m_whole = run_with_cut(*m_machine, m_firmware->no_nvm(), {});
        m_writes = writes_of(m_whole);
        ASSERT_GT(m_writes.size(), 1000U);
    }
    // Some cuts, among them all of the first and last writes, where records are.
    std::vector<std::size_t> sample() const {
        std::set<std::size_t> ks;
        for (std::size_t i = 0; i < 40; ++i) {
            ks.insert({i, m_writes.size() - i, i * m_writes.size() / 40});
        }
        return {ks.begin(), ks.end()};
    }
    std::string after(std::size_t k) const {
        std::string nvm = m_firmware->no_nvm();
        for (std::size_t i = 0; i < k; ++i) {
            nvm = apply(m_writes[i], k_all_bytes, std::move(nvm));
        }
        return nvm;
    }

    void leave_exactly_the_first_writes();
    void without_one_the_program_ends_by_itself();
    void a_torn_byte_is_there_or_not();
    void two_runs_are_one();
    void an_output_is_handed_over_before_or_after();
    void the_recording_is_what_happens();
    void joining_changes_nothing();
    void no_poison_changes_anything();

    std::unique_ptr<EmulatedFirmware> m_firmware;
    std::unique_ptr<verify::EmulatedMachine> m_machine;
    emu::CutRun m_whole;
    std::vector<emu::NvmWrite> m_writes;
};

void Cuts::leave_exactly_the_first_writes() {
    for (const std::size_t k : sample()) {
        CutSpec cut;
        cut.units = k;
        const emu::CutRun run = run_with_cut(*m_machine, m_firmware->no_nvm(), cut);
        const auto writes = writes_of(run);
        ASSERT_EQ(writes.size(), k) << "stopped at another write";
        ASSERT_TRUE(run.nvm == after(k)) << "after write " << k;
        ASSERT_EQ(run.segments.back().halt.kind, HaltKind::cut) << k;
        ASSERT_TRUE(std::equal(writes.begin(), writes.end(), m_writes.begin(), [](const auto& a, const auto& b) {
            return print(a) == print(b);
        })) << k;
    }
}

void Cuts::without_one_the_program_ends_by_itself() {
    EXPECT_EQ(m_whole.segments.back().halt.kind, HaltKind::idle);
    EXPECT_TRUE(m_whole.nvm == after(m_writes.size()));
    CutSpec late;
    late.units = m_writes.size() + 1;
    const emu::CutRun run = run_with_cut(*m_machine, m_firmware->no_nvm(), late);
    EXPECT_EQ(run.segments.back().halt.kind, HaltKind::idle) << "there is no such write to cut after";
    EXPECT_TRUE(run.nvm == m_whole.nvm);
}

void Cuts::a_torn_byte_is_there_or_not() {
    for (const std::size_t k : {std::size_t{5}, m_writes.size() / 2, m_writes.size() - 2}) {
        for (const unsigned mask : {1U, 2U}) {
            CutSpec cut;
            cut.units = k;
            cut.mask = mask;
            const emu::CutRun run = run_with_cut(*m_machine, m_firmware->no_nvm(), cut);
            EXPECT_EQ(writes_of(run).size(), k) << "a torn write is none";
            EXPECT_TRUE(run.nvm == apply(m_writes[k], mask, after(k))) << k << "~" << mask;
        }
    }
}

void Cuts::two_runs_are_one() {
    const auto machine = m_firmware->record();  // another process
    ASSERT_NE(machine, nullptr);
    const emu::CutRun run = run_with_cut(*machine, m_firmware->no_nvm(), {});
    EXPECT_EQ(story_of(*machine, run), story_of(*m_machine, m_whole));
    EXPECT_EQ(run.registers, m_whole.registers);
    EXPECT_TRUE(run.sram == m_whole.sram);
    ASSERT_EQ(run.segments.size(), m_whole.segments.size());
    for (std::size_t i = 0; i < run.segments.size(); ++i) {
        EXPECT_EQ(run.segments[i].instructions, m_whole.segments[i].instructions) << i;
    }
}

void Cuts::an_output_is_handed_over_before_or_after() {
    CutSpec after_output;
    after_output.units = 0;
    after_output.outputs = 1;
    const emu::CutRun run = run_with_cut(*m_machine, m_firmware->no_nvm(), after_output);
    ASSERT_FALSE(run.segments.back().outputs.empty());
    EXPECT_EQ(run.segments.back().steps.back().kind, emu::Step::Kind::output);
    CutSpec before;
    before.units = writes_of(run).size();
    const emu::CutRun earlier = run_with_cut(*m_machine, m_firmware->no_nvm(), before);
    EXPECT_TRUE(earlier.segments.back().outputs.empty()) << "the same write units, but not the output";
    EXPECT_TRUE(earlier.nvm == run.nvm);
}

void Cuts::the_recording_is_what_happens() {
    Story recorded(m_machine->recording());
    for (const auto& segment : m_machine->recording().segments) {
        recorded.tell(segment->steps, segment->outputs);
        recorded.tell(segment->halt);
    }
    EXPECT_EQ(recorded.lines(), story_of(*m_machine, m_whole));
    EXPECT_GE(m_machine->recording().bodies.size(), 3U);
}

void Cuts::joining_changes_nothing() {
    std::vector<std::string> contents;
    for (const std::size_t k : sample()) {
        contents.push_back(after(k));
    }
    expect_joining_changes_nothing(*m_machine, contents);
}

// From each boundary, with SRAM and registers poisoned in another way.
void Cuts::no_poison_changes_anything() {
    for (const std::string& image : m_machine->recording().images) {
        std::vector<std::string> first;
        std::set<std::string> left;
        for (std::uint32_t pattern = 0; pattern < 4; ++pattern) {
            CutSpec whole;
            whole.pattern = pattern;
            const emu::CutRun run = run_with_cut(*m_machine, image, whole);
            const std::vector<std::string> story = story_of(*m_machine, run);
            first = pattern == 0 ? story : first;
            EXPECT_EQ(story, first) << "pattern " << pattern;
            left.insert(run.sram.front());
        }
        EXPECT_EQ(left.size(), 4U) << "else they were no patterns";
    }
}

TEST_P(Cuts, AreExact) {
    leave_exactly_the_first_writes();
    without_one_the_program_ends_by_itself();
    a_torn_byte_is_there_or_not();
    an_output_is_handed_over_before_or_after();
    two_runs_are_one();
}

TEST_P(Cuts, AreSeenAsTheyAreByTheSearch) {
    the_recording_is_what_happens();
    no_poison_changes_anything();
    joining_changes_nothing();
}

// A loop whose head is a task's first instruction: the task is entered once, however often that is executed.
TEST(LoopToTheEntry, OfATaskIsPartOfIt) {
    if (const auto missing = missing_compiler("cortex-m4-mapped")) {
        GTEST_SKIP() << *missing;
    }
    const auto firmware = EmulatedFirmware::build("cortex-m4-mapped", [](FirmwareProject& project) {
        project.edit(k_tasks, "mm_task_id_t net_task_02(void)\n{\n",
                     R"(mm_task_id_t net_rest_of_task_02(void);
volatile uint8_t net_rounds;
__attribute__((naked)) mm_task_id_t net_task_02(void)
{
    __asm volatile("ldr r3, =net_rounds\n ldrb r2, [r3]\n adds r2, #1\n strb r2, [r3]\n"
                   "ldr r1, =mm_nvm + 1440\n strb r2, [r1, r2]\n cmp r2, #4\n bne net_task_02\n"
                   "movs r2, #0\n strb r2, [r3]\n b net_rest_of_task_02\n .ltorg");
}
mm_task_id_t net_rest_of_task_02(void)
{
)");
    });
    ASSERT_NE(firmware, nullptr);
    const auto machine = firmware->record();
    ASSERT_NE(machine, nullptr);
    const std::vector<std::string>& images = machine->recording().images;
    ASSERT_GE(images.size(), 3U);
    const verify::Body& body = machine->recording().bodies[2];
    EXPECT_EQ(body.task, 2);
    EXPECT_TRUE(body.written.contains(1441, 1445)) << body.written.print();
    expect_joining_changes_nothing(*machine, {images[0], images[1], images[2]});
}

INSTANTIATE_TEST_SUITE_P(Devices, Cuts, testing::ValuesIn(emulated_devices()), [](const auto& device) {
    std::string name = device.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

// A word, a half word and a byte that a task writes into NVM in place.
class WideWrites : public testing::TestWithParam<std::string> {};

TEST_P(WideWrites, EveryTornMaskLeavesExactlyItsBytes) {
    if (const auto missing = missing_compiler(GetParam())) {
        GTEST_SKIP() << *missing;
    }
    const std::uint64_t nvm = app::find_device(GetParam()).value().memory(app::MemoryKind::nvm).address;
    const auto firmware = EmulatedFirmware::build(GetParam(), [&](FirmwareProject& project) {
        project.edit(k_tasks, "mm_task_id_t net_task_02(void)\n{\n",
                     fmt::format("mm_task_id_t net_task_02(void)\n{{\n    *(volatile uint32_t *){}u = 0x44332211u;\n"
                                 "    *(volatile uint16_t *){}u = 0x6655u;\n    *(volatile uint8_t *){}u = 0x77u;\n",
                                 nvm + 1440, nvm + 1446, nvm + 1450));
    });
    ASSERT_NE(firmware, nullptr);
    const auto machine = firmware->record();
    ASSERT_NE(machine, nullptr);
    const auto writes = writes_of(run_with_cut(*machine, firmware->no_nvm(), {}));
    const auto wide = std::find_if(writes.begin(), writes.end(),
                                   [](const auto& write) { return write.bytes == 4 && write.value == 0x44332211U; });
    ASSERT_NE(wide, writes.end());
    const auto first = static_cast<std::size_t>(wide - writes.begin());
    ASSERT_LT(first + 2, writes.size());
    EXPECT_EQ((wide + 1)->bytes, 2);
    EXPECT_EQ((wide + 1)->value, 0x6655U);
    EXPECT_EQ((wide + 2)->bytes, 1);
    for (std::size_t k = first; k < first + 3; ++k) {
        CutSpec before;
        before.units = k;
        const std::string base = run_with_cut(*machine, firmware->no_nvm(), before).nvm;
        std::set<std::string> images;
        for (unsigned mask = 1; mask < 1U << writes[k].bytes; ++mask) {
            CutSpec torn;
            torn.units = k;
            torn.mask = mask;
            const emu::CutRun run = run_with_cut(*machine, firmware->no_nvm(), torn);
            ASSERT_TRUE(run.nvm == apply(writes[k], mask, base)) << print(writes[k]) << ", torn " << mask;
            ASSERT_EQ(printed(writes_of(run)), printed({writes.begin(), writes.begin() + static_cast<long>(k)}));
            ASSERT_EQ(run.segments.back().halt.kind, HaltKind::cut);
            images.insert(run.nvm);
        }
        EXPECT_EQ(images.size(), (1U << writes[k].bytes) - 1) << "every mask leaves another image";
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, WideWrites, testing::Values("cortex-m4-mapped", "rv32imc-mapped"),
                         [](const auto& device) { return device.param.substr(0, device.param.find('-')); });

}  // namespace
}  // namespace metamorph
