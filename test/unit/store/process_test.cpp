// The store with real processes, locks and kills.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "store/store.h"
#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph::store {
namespace {

namespace fs = std::filesystem;

class StoreProcesses : public testing::Test {
protected:
    void SetUp() override {
        auto made = ScratchFolder::make("store-test");
        ASSERT_TRUE(made);
        m_scratch.emplace(std::move(*made));
    }
    fs::path root() const { return m_scratch->path() / "store"; }
    std::vector<std::string> command(int libraries, int build_ms, const std::string& name) const {
        return {STORE_USER,
                root().string(),
                (m_scratch->path() / "log").string(),
                std::to_string(libraries),
                std::to_string(build_ms),
                name};
    }
    std::size_t builds() const {
        std::ifstream log(m_scratch->path() / "log");
        std::size_t lines = 0;
        for (std::string line; std::getline(log, line);) {
            ++lines;
        }
        return lines;
    }
    // Starts it in the background; the caller kills and waits.
    pid_t start(const std::vector<std::string>& argv) const {
        const pid_t pid = ::fork();
        if (pid == 0) {
            std::vector<char*> words;
            for (const std::string& word : argv) {
                words.push_back(const_cast<char*>(word.c_str()));
            }
            words.push_back(nullptr);
            ::execv(words[0], words.data());
            ::_exit(127);
        }
        return pid;
    }
    std::vector<std::string> files_left() const {
        std::vector<std::string> left;
        for (const auto& entry : fs::recursive_directory_iterator(root())) {
            if (!entry.is_directory()) {
                left.push_back(entry.path().lexically_relative(root()).string());
            }
        }
        return left;
    }

    std::optional<ScratchFolder> m_scratch;
};

TEST_F(StoreProcesses, ManyAtOnceBuildEachKeyOnce) {
    constexpr int k_processes = 12, k_libraries = 6;
    std::vector<std::jthread> threads;
    for (int i = 0; i < k_processes; ++i) {
        threads.emplace_back([this, i] {
            ProcessRequest request;
            request.argv = command(k_libraries, 8, std::to_string(i));
            const auto outcome = run_process(request);
            EXPECT_TRUE(outcome && outcome->succeeded()) << (outcome ? outcome->errors : outcome.error().message);
        });
    }
    threads.clear();
    EXPECT_EQ(builds(), static_cast<std::size_t>(k_libraries));
}

TEST_F(StoreProcesses, KilledAtRandomMoments) {
    const std::uint64_t seed = std::random_device{}();
    std::cout << "seed " << seed << "\n";
    std::mt19937_64 random(seed);
    constexpr int k_kills = 100, k_libraries = 3;
    const auto disk = make_real_disk();
    const auto clock = make_real_clock();
    int killed_building = 0;
    for (int kill = 0; kill < k_kills; ++kill) {
        const pid_t one = start(command(k_libraries, 4, "one")), two = start(command(k_libraries, 4, "two"));
        ::usleep(static_cast<useconds_t>(random() % 20'000));
        ::kill(one, SIGKILL);
        if (kill % 2 == 0) {
            ::kill(two, SIGKILL);
        }
        int status = 0;
        ::waitpid(one, &status, 0);
        killed_building += WIFSIGNALED(status) ? 1 : 0;
        ::waitpid(two, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "kill " << kill << ": " << WEXITSTATUS(status);
        if (kill % 10 == 9) {
            Store store(root(), *disk, *clock, "after");
            const auto check = store.check();
            ASSERT_TRUE(check) << check.error().message;
            EXPECT_TRUE(check->damages.empty());
            const auto collected = store.collect(0);
            ASSERT_TRUE(collected) << collected.error().message;
            const std::vector<std::string> left = files_left();
            EXPECT_EQ(left.size(), 2U) << left.front();  // the lock of all, and this run
        }
    }
    EXPECT_GT(killed_building, k_kills / 10);  // else the moments are not in its life
}

}  // namespace
}  // namespace metamorph::store
