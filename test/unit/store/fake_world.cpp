#include "unit/store/fake_world.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <thread>

namespace metamorph::store {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t k_calls_max = 2'000'000;

tl::unexpected<Error> failed(const std::string& path, const std::string& why) {
    return fail(ErrorCode::system, path, "{}", why);
}

bool is_below(const std::string& path, const std::string& folder) {
    return path.starts_with(folder + "/");
}

}  // namespace

class FakeLock : public Lock {
public:
    FakeLock(FakeWorld& world, std::string path, std::int64_t number, int actor, bool removes)
        : m_world(world), m_path(std::move(path)), m_number(number), m_actor(actor), m_removes(removes) {}
    ~FakeLock() override {
        const std::lock_guard guard(m_world.m_mutex);
        if (m_removes && !m_world.is_dead(m_actor)) {
            m_world.nodes.erase(m_path);
        }
        m_world.release(m_path, m_number);
    }

private:
    FakeWorld& m_world;
    std::string m_path;
    std::int64_t m_number;
    int m_actor;
    bool m_removes;
};

class FakeDisk : public Disk {
public:
    FakeDisk(FakeWorld& world, int actor) : m_world(world), m_actor(actor) {}

    bool exists(const fs::path& path) override {
        return m_world.step(m_actor) && m_world.nodes.contains(path.string());
    }

    Result<std::vector<std::string>> list(const fs::path& folder) override {
        MM_CHECK(look(folder));
        std::vector<std::string> names;
        for (const auto& [path, node] : m_world.nodes) {
            if (fs::path(path).parent_path() == folder) {
                names.push_back(fs::path(path).filename().string());
            }
        }
        return names;
    }

    Result<std::vector<FileEntry>> files_below(const fs::path& folder) override {
        MM_CHECK(look(folder));
        std::vector<FileEntry> files;
        for (const std::string& path : m_world.below(folder.string())) {
            files.push_back({fs::path(path).lexically_relative(folder),
                             static_cast<std::int64_t>(m_world.nodes[path].contents.size())});
        }
        return files;
    }

    Result<std::string> read(const fs::path& path) override {
        MM_CHECK(look(path));
        const auto found = m_world.nodes.find(path.string());
        return found == m_world.nodes.end() ? Result<std::string>(failed(path.string(), "no such file"))
                                            : found->second.contents;
    }

    Status make_folders(const fs::path& path) override {
        if (m_world.step(m_actor) && m_world.nodes.contains(path.string())) {
            return {};
        }
        MM_CHECK(change("make folder", path));
        for (fs::path at = path; at.has_relative_path(); at = at.parent_path()) {
            m_world.nodes[at.string()].is_folder = true;
        }
        return {};
    }

    Status write(const fs::path& path, std::string_view contents) override {
        MM_CHECK(change("write", path));
        m_world.nodes[path.string()] = {false, false, false, std::string(contents), 0};
        return {};
    }

    Status append(const fs::path& path, std::string_view contents) override {
        MM_CHECK(change("write", path));
        m_world.nodes[path.string()].contents += contents;
        return {};
    }

    Status sync_tree(const fs::path& path) override {
        MM_CHECK(change("sync", path));
        for (auto& [name, node] : m_world.nodes) {
            node.is_durable = node.is_durable || (!m_world.forgets && is_below(name, path.string()));
        }
        return {};
    }

    Status sync_folder(const fs::path& path) override {
        MM_CHECK(change("sync", path));
        std::erase_if(m_world.m_renames, [&](const auto& rename) {
            return !m_world.forgets && fs::path(rename.second).parent_path() == path;
        });
        return {};
    }

    Status make_read_only(const fs::path& path) override {
        MM_CHECK(change("make read-only", path));
        for (auto& [name, node] : m_world.nodes) {
            node.is_read_only = node.is_read_only || is_below(name, path.string());
        }
        return {};
    }

    Status rename(const fs::path& from, const fs::path& to) override {
        MM_CHECK(change("rename", from));
        if (!m_world.nodes.contains(from.string()) || m_world.nodes.contains(to.string())) {
            return failed(from.string(), "cannot be moved to " + to.string());
        }
        move(from.string(), to.string());
        m_world.m_renames.emplace_back(from.string(), to.string());
        return {};
    }

    Status remove(const fs::path& path) override {
        MM_CHECK(change("remove", path));
        std::erase_if(m_world.nodes, [&](const auto& entry) {
            return entry.first == path.string() || is_below(entry.first, path.string());
        });
        return {};
    }

    std::optional<std::int64_t> stamp(const fs::path& path) override {
        if (!m_world.step(m_actor)) {
            return std::nullopt;
        }
        const auto found = m_world.nodes.find(path.string());  // behind the step: others change the map during it
        return found == m_world.nodes.end() ? std::nullopt : std::optional(found->second.stamp);
    }

    Status set_stamp(const fs::path& path, std::int64_t seconds) override {
        MM_CHECK(change("stamp", path));
        m_world.nodes[path.string()].stamp = seconds;
        return {};
    }

    Result<std::unique_ptr<Lock>> lock(const fs::path& path, const LockRequest& request) override {
        while (true) {
            MM_CHECK(change("lock", path));
            auto& held = m_world.m_locks[path.string()];
            const bool is_free = std::all_of(held.begin(), held.end(), [&](const auto& other) {
                return request.is_shared && other.second.is_shared;
            });
            if (is_free) {
                m_world.nodes[path.string()];
                const std::int64_t number = m_world.m_next_lock++;
                held[number] = {m_actor, request.is_shared};
                return std::unique_ptr<Lock>(
                    std::make_unique<FakeLock>(m_world, path.string(), number, m_actor, request.removes_file));
            }
            if (!request.waits) {
                return std::unique_ptr<Lock>();
            }
        }
    }

private:
    Status look(const fs::path& path) { return m_world.step(m_actor) ? Status{} : failed(path.string(), "killed"); }
    Status change(const std::string& what, const fs::path& path) {
        MM_CHECK(look(path));
        const std::string why = m_world.fault ? m_world.fault(what, path.string()) : "";
        return why.empty() ? Status{} : failed(path.string(), why);
    }
    void move(const std::string& from, const std::string& to) {
        std::map<std::string, FakeWorld::Node> moved;
        for (auto& [name, node] : m_world.nodes) {
            const bool moves = name == from || is_below(name, from);
            moved[moves ? to + name.substr(from.size()) : name] = std::move(node);
        }
        m_world.nodes = std::move(moved);
    }

    friend class FakeWorld;
    FakeWorld& m_world;
    const int m_actor;
};

std::vector<std::string> FakeWorld::below(const std::string& folder) const {
    std::vector<std::string> files;
    for (const auto& [path, node] : nodes) {
        if (!node.is_folder && is_below(path, folder)) {
            files.push_back(path);
        }
    }
    return files;
}

Disk& FakeWorld::disk(int actor) {
    std::unique_ptr<Disk>& disk = m_disks[actor];
    if (!disk) {
        disk = std::make_unique<FakeDisk>(*this, actor);
    }
    return *disk;
}

std::int64_t FakeWorld::calls(int actor) const {
    const auto found = m_calls.find(actor);
    return found == m_calls.end() ? 0 : found->second;
}

void FakeWorld::release(const std::string& path, std::int64_t lock) {
    m_locks[path].erase(lock);
}

// With m_mutex held: whose turn is next.
void FakeWorld::pass_on(int actor) {
    if (m_running.empty()) {
        return;
    }
    m_current = m_running[m_random() % m_running.size()];
    if (m_current != actor) {
        m_turn.notify_all();
    }
}

bool FakeWorld::step(int actor) {
    std::unique_lock guard(m_mutex);
    if (std::find(m_running.begin(), m_running.end(), actor) != m_running.end()) {
        pass_on(actor);
        m_turn.wait(guard, [&] { return m_current == actor; });
    }
    const std::int64_t call = ++m_calls[actor];
    if (call > k_calls_max) {
        std::cerr << "the actors wait for each other\n";
        std::abort();
    }
    if (const auto kill = m_kill.find(actor); kill != m_kill.end() && call >= kill->second) {
        m_dead.insert(actor);
        for (auto& [path, held] : m_locks) {
            std::erase_if(held, [&](const auto& lock) { return lock.second.actor == actor; });
        }
    }
    return !is_dead(actor);
}

void FakeWorld::run(const std::vector<std::function<void(Disk&)>>& actors) {
    for (std::size_t i = 0; i < actors.size(); ++i) {
        m_running.push_back(static_cast<int>(i));
        disk(static_cast<int>(i));
    }
    m_current = 0;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < actors.size(); ++i) {
        threads.emplace_back([this, i, &actors] {
            const int actor = static_cast<int>(i);
            {
                std::unique_lock guard(m_mutex);
                m_turn.wait(guard, [&] { return m_current == actor; });
            }
            actors[i](disk(actor));
            const std::lock_guard guard(m_mutex);
            std::erase(m_running, actor);
            pass_on(actor);
        });
    }
}

void FakeWorld::cut_power() {
    for (auto rename = m_renames.rbegin(); rename != m_renames.rend(); ++rename) {
        const bool is_there = nodes.contains(rename->second) && !nodes.contains(rename->first);
        if (is_there && m_random() % 2 == 0) {
            FakeDisk(*this, -1).move(rename->second, rename->first);
        }
    }
    m_renames.clear();
    for (auto& [path, node] : nodes) {
        if (!node.is_folder && !node.is_durable && m_random() % 2 == 0) {
            node.contents.resize(node.contents.empty() ? 0 : m_random() % node.contents.size());
        }
    }
    m_locks.clear();
}

}  // namespace metamorph::store
