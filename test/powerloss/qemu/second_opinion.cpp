#include "powerloss/qemu/second_opinion.h"

#include <algorithm>

#include <fmt/format.h>

#include "pipeline/crash_rules.h"
#include "pipeline/emulated_board.h"
#include "pipeline/inputs.h"
#include "pipeline/woven_folder.h"
#include "verify/firmware_build.h"
#include "verify/lives.h"

namespace metamorph {
namespace {

constexpr std::uint32_t k_halt_idle = 2, k_halt_no_progress = 3;  // 1 + mm_status_t
constexpr std::uint64_t k_plain_instructions_max = 1'000'000'000;
constexpr std::uint64_t k_boot_instructions_max = 20'000'000;

bool equal(const std::vector<emu::Output>& a, const std::vector<emu::Output>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const emu::Output& x, const emu::Output& y) {
        return x.sequence == y.sequence && x.index == y.index && x.bytes == y.bytes;
    });
}

std::string first_difference(const std::string& a, const std::string& b) {
    const auto at = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    return a.size() != b.size() ? "their sizes differ"
                                : fmt::format("byte {} is {} and {}", at, a[at] & 0xFF, b[at] & 0xFF);
}

// What a life of our emulator comes to, in the words of QemuLife.
QemuLife summary_of(const verify::Life& life) {
    QemuLife told;
    told.nvm = life.nvm;
    for (const verify::Segment& segment : life.segments) {
        for (const emu::Step& step : segment.steps) {
            told.writes += step.kind == emu::Step::Kind::write ? 1 : 0;
            told.first_boots += step.kind == emu::Step::Kind::first_boot ? 1 : 0;
            told.commits += step.kind == emu::Step::Kind::commit ? 1 : 0;
            if (step.kind == emu::Step::Kind::resume) {
                told.resumed_at.push_back(step.index);
            }
        }
        told.outputs.insert(told.outputs.end(), segment.outputs.begin(), segment.outputs.end());
    }
    switch (life.segments.back().halt.kind) {
        case verify::Halt::Kind::none:
            told.end = QemuLife::End::cut;
            break;
        case verify::Halt::Kind::endless:
            told.end = QemuLife::End::endless;
            break;
        case verify::Halt::Kind::idle:
            told.halt = k_halt_idle;
            break;
        case verify::Halt::Kind::no_progress:
            told.halt = k_halt_no_progress;
            break;
        default:
            told.halt = UINT32_MAX;  // it gave up, one way or another
    }
    return told;
}

std::string how_they_differ(const QemuLife& ours, const QemuLife& qemu) {
    if (ours.nvm != qemu.nvm) {
        return "NVM at the end: " + first_difference(ours.nvm, qemu.nvm);
    }
    if (!equal(ours.outputs, qemu.outputs)) {
        return fmt::format("the outputs ({} and {})", ours.outputs.size(), qemu.outputs.size());
    }
    // Power that is lost before the first write: one machine stops at reset, the other at that write.
    const bool is_unused = ours.end == QemuLife::End::cut && ours.writes == 0;
    if (!is_unused && (ours.first_boots != qemu.first_boots || ours.resumed_at != qemu.resumed_at)) {
        return fmt::format("where it goes on ({}, {} first boots; {}, {} first boots)",
                           ours.resumed_at.empty() ? -1 : ours.resumed_at.front(), ours.first_boots,
                           qemu.resumed_at.empty() ? -1 : qemu.resumed_at.front(), qemu.first_boots);
    }
    if (ours.commits != qemu.commits) {
        return fmt::format("commits ({} and {})", ours.commits, qemu.commits);
    }
    const bool is_good = qemu.end == QemuLife::End::halted && qemu.halt <= k_halt_no_progress;
    const std::uint32_t qemu_halt = is_good || qemu.end != QemuLife::End::halted ? qemu.halt : UINT32_MAX;
    if (ours.end != qemu.end || ours.halt != qemu_halt) {
        return fmt::format("how it ends ({} {:#x} and {} {:#x})", static_cast<int>(ours.end), ours.halt,
                           static_cast<int>(qemu.end), qemu.halt);
    }
    return "";
}

// What is wrong with lives that followed one another in QEMU. Written anew, not shared with our emulator's (lives.cpp):
// an error there must not be one here.
std::set<std::string> kinds_of(const std::vector<QemuLife>& lives, const std::vector<emu::Output>& expected) {
    std::set<std::string> kinds;
    int commits = 0;
    std::size_t delivered = 0;
    for (const QemuLife& life : lives) {
        if (life.first_boots > 0 && commits > 0) {
            kinds.insert("lost-progress");
        }
        for (const int resumed : life.resumed_at) {
            const int before = life.first_boots > 0 ? 0 : commits;
            if (resumed < before) {
                kinds.insert("lost-progress");
            } else if (resumed > before + 1) {  // one that was complete but could not say so is none too many
                kinds.insert("resumed-too-far");
            }
            commits = resumed;
        }
        commits += life.commits;
        for (const emu::Output& output : life.outputs) {
            const bool is_new = delivered < expected.size() && expected[delivered].sequence == output.sequence;
            const bool is_again = delivered > 0 && expected[delivered - 1].sequence == output.sequence;
            if (!is_new && !is_again) {
                kinds.insert("output-out-of-order");
            } else if (expected[is_new ? delivered : delivered - 1].bytes != output.bytes) {
                kinds.insert(is_new ? "wrong-output" : "output-differs-when-repeated");
            }
            delivered += is_new ? 1 : 0;
        }
    }
    const QemuLife& last = lives.back();
    if (last.end == QemuLife::End::endless || (last.end == QemuLife::End::halted && last.halt == k_halt_no_progress)) {
        kinds.insert("no-progress");
    } else if (last.end == QemuLife::End::halted && last.halt != k_halt_idle) {
        kinds.insert("fatal");
    } else if (last.halt == k_halt_idle && delivered != expected.size()) {
        kinds.insert("missing-output");
    }
    return kinds;
}

}  // namespace

Result<std::unique_ptr<SecondOpinion>> SecondOpinion::make(const std::string& device, FirmwareProject& project,
                                                           int inferences) {
    std::unique_ptr<SecondOpinion> made(new SecondOpinion);
    MM_CHECK(made->build(device, project, inferences));
    return made;
}

Status SecondOpinion::build(const std::string& name, FirmwareProject& project, int inferences) {
    MM_TRY(const app::Device device, app::find_device(name));
    MM_TRY(const pipeline::WovenFolder woven, pipeline::read_woven_folder(project.folder()));
    const app::Compiler& compiler = device.compilers.front();
    const auto built_in = [&](const char* folder) {
        return verify::build_firmware(project.folder(), project.folder().parent_path() / folder,
                                      woven.summary.app_target, woven.summary.plain_target,
                                      {compiler.name, compiler.program, compiler.packages}, 2);
    };
    MM_TRY(const verify::FirmwareBuild build, built_in("build"));
    std::filesystem::path qemu_elf = build.app;
    m_board = pipeline::board_of(device);
    if (!m_board.is_mapped) {
        project.edit("CMakeLists.txt", "(for QEMU)\" OFF)", "(for QEMU)\" ON)");
        MM_TRY(const verify::FirmwareBuild with_model, built_in("build-with-model"));
        qemu_elf = with_model.app;
    }
    const auto nvm_at = static_cast<std::uint32_t>(m_board.is_mapped ? m_board.nvm : device.board.spi_memory);
    m_board.inferences = static_cast<std::uint32_t>(inferences);
    m_board.input_bytes = pipeline::random_inputs(
        1, static_cast<std::size_t>(inferences) * static_cast<std::size_t>(woven.summary.input_bytes));
    MM_CHECK(run_plain(build.plain, nvm_at));

    MM_TRY(emu::Program app, emu::Program::read(build.app, m_board.core));
    MM_TRY(emu::Program qemu_app, emu::Program::read(qemu_elf, m_board.core));
    m_app = std::make_unique<emu::Program>(std::move(app));
    m_qemu_app = std::make_unique<emu::Program>(std::move(qemu_app));
    MM_TRY(m_tables, verify::read_tables(*m_app));
    MM_TRY(m_qemu_tables, verify::read_tables(*m_qemu_app));
    m_board.load = m_app->load();
    m_board.entry = m_app->entry();
    m_board.stack_limit = m_tables.stack_limit;
    m_board.used_bytes = m_tables.nvm_bytes;
    m_board.event_function = m_tables.event_function;
    m_board.inference_at = m_tables.inference_at;
    m_board.task_functions = m_tables.task_functions;
    m_board.instructions_max = k_boot_instructions_max;
    MM_TRY(m_machine, verify::EmulatedMachine::record(*m_app, m_board, std::string(m_board.used_bytes, '\0'), 1));
    m_rules = pipeline::crash_rules(woven.summary, m_tables, m_machine->recording(), m_expected, 0);
    MM_TRY(const verify::Replay whole, verify::replay(*m_machine, m_rules, {}));
    m_writes = summary_of(whole.lives.front()).writes;
    MM_TRY(m_qemu, QemuBoard::start(m_board, nvm_at, qemu_elf, &m_qemu_tables));
    return {};
}

Status SecondOpinion::run_plain(const std::filesystem::path& elf, std::uint32_t nvm_at) {
    MM_TRY(const emu::Program plain, emu::Program::read(elf, m_board.core));
    emu::Firmware board = m_board;
    board.load = plain.load();
    board.entry = plain.entry();
    board.instructions_max = k_plain_instructions_max;
    MM_TRY(const std::filesystem::path path, emu::find_worker());
    MM_TRY(emu::Worker worker, emu::Worker::start(path, board));
    MM_TRY(const emu::PlainRun ours, worker.run_plain());
    MM_TRY(const std::unique_ptr<QemuBoard> qemu, QemuBoard::start(board, nvm_at, elf, nullptr));
    MM_TRY(const QemuLife theirs, qemu->live(""));
    if (theirs.end != QemuLife::End::halted || theirs.halt != k_halt_idle || !equal(ours.outputs, theirs.outputs) ||
        theirs.outputs.size() != m_board.inferences) {
        return fail(ErrorCode::check_failed, elf.string(),
                    "the plain program gives {} outputs here and {} in QEMU, "
                    "where it ends with {:#x}",
                    ours.outputs.size(), theirs.outputs.size(), theirs.halt);
    }
    m_expected = theirs.outputs;
    return {};
}

Result<std::vector<QemuCut>> SecondOpinion::cut_in_qemu(std::uint64_t count) {
    std::set<std::uint64_t> chosen;
    std::uint32_t x = 5;
    for (std::uint64_t i = 0; i < count; ++i) {  // one of each share, so that no period of the program is met always
        x = x * 1664525U + 1013904223U;
        const std::uint64_t begin = i * (m_writes + 1) / count, end = (i + 1) * (m_writes + 1) / count;
        chosen.insert(begin + (x >> 8) % std::max<std::uint64_t>(end - begin, 1));
    }
    std::vector<QemuCut> cuts;
    std::size_t outputs = 0;
    const auto look = [&](const QemuLife& life) -> Result<bool> {
        if (life.outputs.size() > outputs || chosen.count(life.writes) > 0) {
            cuts.push_back({{life.writes, 0, static_cast<std::uint32_t>(life.outputs.size())}, life});
            outputs = life.outputs.size();
            cuts.back().before.end = QemuLife::End::cut;
            MM_TRY(cuts.back().before.nvm, m_qemu->read_nvm());
        }
        return false;
    };
    MM_TRY(const QemuLife whole, m_qemu->live(std::string(m_board.used_bytes, '\0'), look));
    if (whole.writes != m_writes) {
        return fail(ErrorCode::check_failed, "QEMU", "it sees {} writes to NVM, our emulator {}", whole.writes,
                    m_writes);
    }
    return cuts;
}

Result<SecondOpinion::Verdicts> SecondOpinion::judge(const QemuCut& cut) {
    MM_TRY(QemuLife after, m_qemu->live(cut.before.nvm));
    return compare({cut.at}, {cut.before, std::move(after)});
}

Result<SecondOpinion::Verdicts> SecondOpinion::judge_twice(const QemuCut& cut, std::uint64_t second) {
    MM_TRY(QemuLife between,
           m_qemu->live(cut.before.nvm, [&](const QemuLife& life) -> Result<bool> { return life.writes >= second; }));
    if (between.end != QemuLife::End::cut) {
        return compare({cut.at}, {cut.before, std::move(between)});
    }
    const verify::CutPoint at{between.writes, 0, static_cast<std::uint32_t>(between.outputs.size())};
    MM_TRY(QemuLife after, m_qemu->live(between.nvm));
    return compare({cut.at, at}, {cut.before, std::move(between), std::move(after)});
}

Result<SecondOpinion::Verdicts> SecondOpinion::compare(const std::vector<verify::CutPoint>& cuts,
                                                       const std::vector<QemuLife>& lives) {
    MM_TRY(const verify::Replay ours, verify::replay(*m_machine, m_rules, {"", cuts}));
    Verdicts verdicts;
    for (const verify::CrashFailure& failure : ours.failures) {
        verdicts.ours.insert(failure.symptom == "crash" ? "fatal" : failure.symptom);
    }
    verdicts.qemu = kinds_of(lives, m_expected);
    for (std::size_t i = 0; i < lives.size() && verdicts.differs.empty(); ++i) {
        verdicts.differs = how_they_differ(summary_of(ours.lives[i]), lives[i]);
        if (!verdicts.differs.empty()) {
            verdicts.differs = fmt::format("power cycle {}: {}", i + 1, verdicts.differs);
        }
    }
    return verdicts;
}

}  // namespace metamorph
