// A disk in memory that several actors share, each a thread, one of which runs at a time: which one is drawn from a
// seed at every call of the disk. An actor can be killed at any of its calls: all its later calls fail, and its locks
// are free. A power cut takes what was not made durable: contents of files, and renames.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/disk.h"

namespace metamorph::store {

class FakeWorld {
public:
    explicit FakeWorld(std::uint64_t seed = 1) : m_random(seed) {}

    // Runs actors 0, 1, … to their ends. Where it is not used, actor 0 is the calling thread.
    void run(const std::vector<std::function<void(Disk&)>>& actors);
    Disk& disk(int actor = 0);

    void kill_at(int actor, std::int64_t call) { m_kill[actor] = call; }
    void cut_power();      // what is not durable may be gone; all actors so far are dead, later ones are other numbers
    bool forgets = false;  // sync does nothing: a disk that lies
    std::int64_t calls(int actor) const;

    // Errors to give: called for each change of the disk, with its name ("write", "rename" …) and path.
    std::function<std::string(const std::string&, const std::string&)> fault;

    // The whole disk, for a test to look at or to damage.
    struct Node {
        bool is_folder = false, is_durable = false, is_read_only = false;
        std::string contents;
        std::int64_t stamp = 0;
    };
    std::map<std::string, Node> nodes;
    std::vector<std::string> below(const std::string& folder) const;  // files

private:
    friend class FakeDisk;
    friend class FakeLock;
    struct Held {
        int actor = 0;
        bool is_shared = false;
    };

    bool step(int actor);  // false: it is dead
    void pass_on(int actor);
    bool is_dead(int actor) const { return m_dead.contains(actor); }
    void release(const std::string& path, std::int64_t lock);

    std::mutex m_mutex;
    std::condition_variable m_turn;
    std::mt19937_64 m_random;
    std::vector<int> m_running;
    int m_current = 0;
    std::map<int, std::int64_t> m_calls, m_kill;
    std::set<int> m_dead;
    std::map<std::string, std::map<std::int64_t, Held>> m_locks;
    std::int64_t m_next_lock = 0;
    std::vector<std::pair<std::string, std::string>> m_renames;  // not durable yet, oldest first
    std::map<int, std::unique_ptr<Disk>> m_disks;
};

class FakeClock : public Clock {
public:
    std::int64_t seconds() override { return now += step; }
    std::int64_t now = 1'000'000, step = 1;
};

}  // namespace metamorph::store
