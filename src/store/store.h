// A content-addressed store of what is expensive to build and cheap to share: runtime libraries, built once for each
// distinct manifest, used by any number of processes and projects.
//
//   objects/ab/abcd…/manifest   what it was built from; its SHA-256 is the key
//   objects/ab/abcd…/contents   a line a file: SHA-256, bytes, path
//   objects/ab/abcd…/files/     what was built; read-only
//   building/KEY                half-made: whoever holds the lock of the key owns it
//   locks/KEY                   flock; freed by the kernel when its holder dies
//   used/KEY                    its time is that of the last use
//   live/NAME                   a run: keys that it uses, locked while the run lives
//   hints/NAME                  what saves time, and decides nothing
//   trash/                      moved there to be removed
//
// Getting: look without a lock; on a miss lock the key, look again, build in building/KEY, describe the inputs once
// more, make everything durable, publish by one rename. So at any moment an object is there and whole, or not there,
// and who is killed leaves at most files that the next holder of the lock, or collect(), takes away. What fails is
// never stored.
//
// Rejected: one lock for the whole store (a slow build would stop all), a database (a file to be damaged, and it cannot
// be looked at with cat), time stamps instead of hashes (they say nothing after a checkout).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/disk.h"
#include "store/manifest.h"
#include "util/result.h"

namespace metamorph::store {

enum class Outcome {
    hit,
    built,
    waited  // another process built it meanwhile
};
const char* name_of(Outcome outcome);

struct Object {
    std::string key;
    std::filesystem::path files;  // the folder; what is in it must not be changed
    std::string contents;         // SHA-256 of the list of files
    Outcome outcome = Outcome::hit;
    std::string replaced;  // why an object that was there had to be built anew; empty: none was
};

struct BuildRequest {
    Manifest manifest;
    // Puts what is built into `folder`, which is empty. What it returns on failure is what get() returns.
    std::function<Status(const std::filesystem::path& folder)> build;
    // The manifest of the inputs as they are after the build.
    std::function<Result<Manifest>()> describe;
};

struct Entry {
    std::string key;
    Manifest manifest;
    std::int64_t bytes = 0, used = 0;  // seconds since 1970
    bool is_live = false;              // a run that is not over uses it
};

struct Damage {
    std::filesystem::path where;
    std::string what;
};

struct Check {
    std::int64_t objects = 0, files = 0, bytes = 0;
    std::vector<Damage> damages;
};

struct Collected {
    std::vector<Entry> removed;      // oldest first
    std::vector<std::string> stale;  // leftovers of runs that were killed, as paths below the store
    std::int64_t bytes_left = 0, objects_left = 0;
};

struct Nearest {
    Entry entry;
    std::vector<Difference> differences;  // left: what was asked for; right: the stored one
};

inline constexpr std::int64_t k_default_bytes_max = std::int64_t{4} << 30;

// A run's view of a store. May be used from several threads. While it lives, what it got is not collected.
class Store {
public:
    // `name`: of this run in file names; the process' number, say. Nothing is read or made yet.
    Store(std::filesystem::path root, Disk& disk, Clock& clock, std::string name,
          std::int64_t bytes_max = k_default_bytes_max);
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    ~Store();

    // What is stored and whole (all of it is hashed, once a run), or nothing.
    Result<std::optional<Object>> find(const Manifest& manifest);

    // Errors: those of the build; system (the store cannot be written, the disk is full, the build's result cannot be
    // moved, a damaged object cannot be removed); toolchain (the inputs changed meanwhile).
    Result<Object> get(const BuildRequest& request);

    // Remembered under a name, until nothing that is stored is older: where to look first, never what is so. It may be
    // gone, old, or half a text.
    std::optional<std::string> hint(const std::string& name);
    void set_hint(const std::string& name, const std::string& text);

    // All that is stored, by key; what cannot be read is left out: check() tells of it.
    Result<std::vector<Entry>> entries();

    // Hashes everything.
    Result<Check> check();

    // Removes the least recently used until at most `bytes_max` bytes are left, but nothing that a live run uses; and
    // leftovers. Objects whose manifest cannot be read go in any case.
    Result<Collected> collect(std::int64_t bytes_max);

    // The stored objects with the same value of the field `same`, and among them the one that differs in the fewest
    // fields; of equals the most recently used.
    Result<std::optional<Nearest>> nearest(const Manifest& manifest, const std::string& same);

    // The stored key that begins with `start`. Errors: options (none, or several).
    Result<std::string> resolve(const std::string& start, const std::string& option);

    const std::filesystem::path& root() const { return m_root; }
    std::filesystem::path folder_of(const std::string& key) const;

private:
    enum class State { absent, whole, damaged };
    struct Look {
        State state = State::absent;
        Object object;
        std::string damage;
    };
    Look look(const std::string& key, const std::string* manifest);
    Result<Object> build(const BuildRequest& request, const std::string& key, const std::string& damage);
    Status make_and_describe(const BuildRequest& request, const std::filesystem::path& folder);
    Status publish(const std::filesystem::path& folder, const std::string& key);
    Status enter();                       // makes this run known
    Status hold(const std::string& key);  // by this run
    void mark_used(const std::string& key);
    Result<std::filesystem::path> to_trash(const std::filesystem::path& path);  // the new path
    Status discard(const std::filesystem::path& path);                          // to the trash, and from there
    Result<std::unique_ptr<Lock>> lock_all(bool is_shared);
    Result<std::set<std::string>> live_keys(Collected* stale);
    Status collect_leftovers(Collected& collected);
    Status collect_hints(std::int64_t oldest_use);
    Status collect_objects(Collected& collected, std::int64_t bytes_max, const std::set<std::string>& live);
    Result<std::optional<Entry>> entry_of(const std::string& key);
    Result<std::vector<std::string>> keys();

    const std::filesystem::path m_root;
    Disk& m_disk;
    Clock& m_clock;
    const std::int64_t m_bytes_max;
    std::mutex m_mutex;  // of what follows
    std::string m_name;
    std::unique_ptr<Lock> m_live;              // of live/NAME
    std::set<std::string> m_held;              // keys
    std::map<std::string, Object> m_verified;  // hashed by this run
    int m_discarded = 0;
};

// METAMORPH_STORE is "off": everything is built in place, nothing is kept.
bool is_off();

// METAMORPH_STORE, else metamorph/store in XDG_CACHE_HOME or ~/.cache. Errors: system (none of them is set, or the path
// is not absolute).
Result<std::filesystem::path> default_root();

// METAMORPH_STORE_BYTES, else k_default_bytes_max. Errors: options (not a number).
Result<std::int64_t> default_bytes_max();

}  // namespace metamorph::store
