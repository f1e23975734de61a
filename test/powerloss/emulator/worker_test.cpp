// Emulators that die, hang or are none: the verdict stays the same, or a clear error says why there is none; and
// nothing of them stays behind.
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "powerloss/emulator/emulated_fixture.h"
#include "powerloss/run/run_fixture.h"
#include "util/interrupt.h"

namespace metamorph {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr const char* k_device = "cortex-m4-mapped";

struct Stat {
    std::string name;
    char state = 0;
    pid_t parent = 0;
    long ticks = 0;  // of processor time
};

std::optional<Stat> stat_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);  // nothing where the process ends meanwhile: a stream buffer would throw
    const std::size_t open = text.find('('), close = text.rfind(')');
    if (close == std::string::npos) {
        return std::nullopt;
    }
    Stat stat;
    stat.name = text.substr(open + 1, close - open - 1);
    std::istringstream rest(text.substr(close + 2));
    rest >> stat.state >> stat.parent;
    std::string skipped;
    for (int i = 0; i < 9; ++i) {
        rest >> skipped;
    }
    long user = 0, system = 0;
    rest >> user >> system;
    stat.ticks = user + system;
    return stat;
}

bool is_alive(pid_t pid) {
    const auto stat = stat_of(pid);
    return stat && stat->state != 'Z' && stat->state != 'X';
}

std::vector<pid_t> emulators_of(pid_t parent) {
    std::vector<pid_t> pids;
    DIR* folder = ::opendir("/proc");
    while (const dirent* entry = ::readdir(folder)) {
        const pid_t pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
        const auto stat = pid > 0 ? stat_of(pid) : std::nullopt;
        if (stat && stat->parent == parent && stat->name == "metamorph-emu" && is_alive(pid)) {
            pids.push_back(pid);
        }
    }
    ::closedir(folder);
    return pids;
}

// Kills one emulator of ours, as soon as one has worked for so many ticks (of 10 ms) of processor time.
class Killer {
public:
    explicit Killer(long ticks)
        : m_thread([this, ticks] {
              while (!m_is_over && m_killed == 0) {
                  for (const pid_t pid : emulators_of(::getpid())) {
                      const auto stat = stat_of(pid);
                      if (m_killed == 0 && stat && stat->ticks >= ticks && ::kill(pid, SIGKILL) == 0) {
                          ++m_killed;
                      }
                  }
                  std::this_thread::sleep_for(1ms);
              }
          }) {}
    ~Killer() { join(); }
    int join() {
        m_is_over = true;
        if (m_thread.joinable()) {
            m_thread.join();
        }
        return m_killed;
    }

private:
    std::atomic<bool> m_is_over = false;
    std::atomic<int> m_killed = 0;
    std::thread m_thread;
};

// For the life of the object METAMORPH_EMU is something else.
class OtherEmulator {
public:
    explicit OtherEmulator(const std::string& program) : m_before(std::getenv("METAMORPH_EMU")) {
        ::setenv("METAMORPH_EMU", program.c_str(), 1);
    }
    ~OtherEmulator() { ::setenv("METAMORPH_EMU", m_before.c_str(), 1); }

private:
    std::string m_before;
};

class Workers : public testing::Test {
protected:
    void SetUp() override {
        if (const auto missing = missing_compiler(k_device)) {
            GTEST_SKIP() << *missing;
        }
        m_project.emplace(k_device);
    }
    void TearDown() override { EXPECT_TRUE(emulators_of(::getpid()).empty()) << "an emulator stayed behind"; }

    static void expect_same(const report::VerifiedDevice& a, const report::VerifiedDevice& b) {
        EXPECT_EQ(a.is_right(), b.is_right());
        EXPECT_EQ(a.units, b.units);
        EXPECT_EQ(a.states, b.states);
        EXPECT_EQ(a.significant_units, b.significant_units);
        EXPECT_EQ(a.failures.size(), b.failures.size());
        EXPECT_EQ(a.is_equal_uninterrupted, b.is_equal_uninterrupted);
    }
    std::optional<FirmwareProject> m_project;
};

TEST_F(Workers, AnEmulatorThatIsKilledBetweenBootsIsStartedAgain) {
    const report::VerifiedDevice undisturbed = m_project->verify();
    ASSERT_TRUE(undisturbed.is_right()) << print(undisturbed);
    EXPECT_EQ(undisturbed.emulator_restarts, 0);
    pipeline::VerifyRequest request = m_project->request();
    request.jobs = 2;
    int killed = 0;
    request.progress = [&](const std::string& what, std::uint64_t, std::uint64_t) {
        if (what.find(" boots") != std::string::npos && killed < 3) {
            for (const pid_t pid : emulators_of(::getpid())) {
                killed += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
                break;
            }
        }
    };
    const report::VerifyResult result = prove(request);
    ASSERT_EQ(result.devices.size(), 1U);
    EXPECT_GE(killed, 1);
    EXPECT_GE(result.devices[0].emulator_restarts, 1);
    EXPECT_LE(result.devices[0].emulator_restarts, killed);
    expect_same(result.devices[0], undisturbed);
}

TEST_F(Workers, AnEmulatorThatIsKilledWhileItRecordsIsStartedAgain) {
    constexpr int k_inferences = 30;  // else it has recorded before it is killed
    const auto firmware = EmulatedFirmware::build(k_device, [](FirmwareProject&) {}, k_inferences);
    ASSERT_NE(firmware, nullptr);
    const auto undisturbed = firmware->record();
    ASSERT_NE(undisturbed, nullptr);
    EXPECT_EQ(undisturbed->restarts(), 0);
    const auto& known = undisturbed->recording();
    Killer killer(4);
    auto machine = verify::EmulatedMachine::record(firmware->program(), firmware->board(), firmware->no_nvm(), 1);
    EXPECT_EQ(killer.join(), 1);
    ASSERT_TRUE(machine.has_value()) << describe(machine.error());
    const auto& again = (*machine)->recording();
    EXPECT_TRUE(again.images == known.images);
    EXPECT_EQ(again.bodies.size(), known.bodies.size());
    EXPECT_EQ(again.segments.size(), known.segments.size());
}

TEST_F(Workers, AnEmulatorThatIsKilledWhileItBootsIsStartedAgain) {
    const auto firmware = EmulatedFirmware::build(k_device);
    ASSERT_NE(firmware, nullptr);
    const auto machine = firmware->record();
    ASSERT_NE(machine, nullptr);
    // Records of no sense: each boot starts anew, and takes its time.
    const std::vector<verify::BootImage> images(4000, {0, {{0, std::string(128, '\x5A')}}, {}});
    const auto undisturbed = machine->boot(images);
    ASSERT_TRUE(undisturbed.has_value()) << describe(undisturbed.error());
    const auto pids = emulators_of(::getpid());
    ASSERT_EQ(pids.size(), 1U);
    Killer killer(stat_of(pids.front())->ticks + 3);
    const auto boots = machine->boot(images);
    EXPECT_EQ(killer.join(), 1);
    ASSERT_TRUE(boots.has_value()) << describe(boots.error());
    EXPECT_EQ(machine->restarts(), 1);
    ASSERT_EQ(boots->size(), undisturbed->size());
    for (std::size_t i = 0; i < boots->size(); ++i) {
        EXPECT_EQ((*boots)[i].future, (*undisturbed)[i].future) << i;
        EXPECT_EQ((*boots)[i].first->steps.size(), (*undisturbed)[i].first->steps.size()) << i;
    }
}

// A program that does something else before it is the emulator.
class Disguised {
public:
    explicit Disguised(const std::string& script)
        : m_scratch(ScratchFolder::make("metamorph-disguised").value()), m_path(m_scratch.path() / "emulator") {
        const std::string real = std::getenv("METAMORPH_EMU");
        std::ofstream(m_path) << "#!/bin/sh\nonce=\"" << (m_scratch.path() / "once").string() << "\"\nreal=\"" << real
                              << "\"\n"
                              << script;
        std::filesystem::permissions(m_path, std::filesystem::perms::owner_all);
        m_other.emplace(m_path.string());
    }

private:
    ScratchFolder m_scratch;
    std::filesystem::path m_path;
    std::optional<OtherEmulator> m_other;
};

TEST_F(Workers, AnEmulatorThatIsKilledBeforeItHasLoadedIsStartedAgain) {
    const auto firmware = EmulatedFirmware::build(k_device);
    ASSERT_NE(firmware, nullptr);
    const Disguised killed("[ -e \"$once\" ] || { : > \"$once\"; kill -9 $$; }\nexec \"$real\"\n");
    const auto machine = firmware->record();
    ASSERT_NE(machine, nullptr);
    EXPECT_EQ(machine->restarts(), 1);
    EXPECT_GT(machine->recording().segments.size(), 1U);
}

TEST_F(Workers, AnEmulatorOfAnotherBuildIsRefused) {
    // The real one is asked to load by a request whose id is empty.
    const Disguised other("printf '\\004\\000\\000\\000\\000\\000\\000\\000\\000' | \"$real\"\ncat > /dev/null\n");
    const auto result = pipeline::verify(m_project->request());
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::toolchain) << describe(result.error());
    EXPECT_NE(result.error().message.find("this emulator belongs to another build of metamorph"), std::string::npos)
        << describe(result.error());
    EXPECT_NE(result.error().message.find("the request is of another build"), std::string::npos)
        << describe(result.error());
}

class NoEmulator : public Workers, public testing::WithParamInterface<const char*> {};

TEST_P(NoEmulator, IsToldAndDoesNotKillUs) {
    const OtherEmulator other(GetParam());
    const auto result = pipeline::verify(m_project->request());
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::system);
    EXPECT_NE(describe(result.error()).find(GetParam()), std::string::npos) << describe(result.error());
    EXPECT_NE(result.error().message.find("the emulator"), std::string::npos) << result.error().message;
}

INSTANTIATE_TEST_SUITE_P(Programs, NoEmulator, testing::Values("/bin/true", "/bin/false"),
                         [](const auto& program) { return std::string(program.param).substr(5); });

TEST_F(Workers, AnEmulatorThatIsNotThereIsATool) {
    const OtherEmulator other("/nowhere/metamorph-emu");
    const auto result = pipeline::verify(m_project->request());
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::toolchain);
    EXPECT_EQ(result.error().where, "METAMORPH_EMU");
    EXPECT_NE(result.error().message.find("/nowhere/metamorph-emu"), std::string::npos);
}

class Killed : public Workers, public testing::WithParamInterface<int> {};

TEST_P(Killed, VerifyLeavesNoEmulator) {
    const auto scratch = ScratchFolder::make("metamorph-killed");
    ASSERT_TRUE(scratch.has_value());
    const std::string model = digits_model().string(), temporary = scratch->path().string();
    const pid_t verify = ::fork();
    if (verify == 0) {
        ::setenv("TMPDIR", temporary.c_str(), 1);
        ::freopen("/dev/null", "w", stdout);
        ::freopen("/dev/null", "w", stderr);
        ::execl(METAMORPH_PROGRAM, METAMORPH_PROGRAM, "verify", model.c_str(), "--device", k_device, "--no-merge",
                static_cast<char*>(nullptr));
        ::_exit(127);
    }
    ASSERT_GT(verify, 0);
    std::vector<pid_t> emulators;
    for (const auto end = Clock::now() + 60s; emulators.empty() && Clock::now() < end && is_alive(verify);) {
        emulators = emulators_of(verify);
        std::this_thread::sleep_for(2ms);
    }
    EXPECT_FALSE(emulators.empty()) << "it never started one";
    ::kill(verify, GetParam());
    int status = 0;
    ASSERT_EQ(::waitpid(verify, &status, 0), verify);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam());
    const auto any_alive = [&] { return std::any_of(emulators.begin(), emulators.end(), is_alive); };
    for (const auto end = Clock::now() + 2s; any_alive() && Clock::now() < end;) {
        std::this_thread::sleep_for(10ms);
    }
    EXPECT_FALSE(any_alive()) << "an emulator outlives the program that started it";
}

INSTANTIATE_TEST_SUITE_P(Signals, Killed, testing::Values(SIGKILL, SIGINT, SIGTERM),
                         [](const auto& number) { return "Signal" + std::to_string(number.param); });

}  // namespace
}  // namespace metamorph
