// What is stored, whether it is whole, and what may go. An object is removed by a rename to the trash, under the lock
// that a run needs to say what it uses, and under the lock of its key: nobody finds half of it.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/contents.h"
#include "store/store.h"
#include "util/text.h"

namespace metamorph::store {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t k_stamp_slack = 600;  // seconds

}  // namespace

Result<std::vector<std::string>> Store::keys() {
    std::vector<std::string> keys;
    MM_TRY(const std::vector<std::string> starts, m_disk.list(m_root / "objects"));
    for (const std::string& start : starts) {
        MM_TRY(std::vector<std::string> names, m_disk.list(m_root / "objects" / start));
        keys.insert(keys.end(), names.begin(), names.end());
    }
    return keys;
}

Result<std::optional<Entry>> Store::entry_of(const std::string& key) {
    const fs::path folder = folder_of(key);
    const auto text = m_disk.read(folder / "manifest");
    const auto listed = m_disk.read(folder / "contents");
    if (!text || !listed) {
        return std::optional<Entry>();
    }
    auto manifest = Manifest::parse(*text, folder / "manifest");
    const auto files = parse_contents(*listed, folder / "contents");
    if (!manifest || !files || manifest->key() != key) {
        return std::optional<Entry>();
    }
    Entry entry{key, std::move(*manifest), static_cast<std::int64_t>(text->size() + listed->size()), 0, false};
    for (const ContentFile& file : *files) {
        entry.bytes += file.bytes;
    }
    entry.used = m_disk.stamp(m_root / "used" / key).value_or(0);
    return std::optional<Entry>(std::move(entry));
}

Result<std::vector<Entry>> Store::entries() {
    MM_TRY(const std::set<std::string> live, live_keys(nullptr));
    MM_TRY(const std::vector<std::string> stored, keys());
    std::vector<Entry> entries;
    for (const std::string& key : stored) {
        MM_TRY(std::optional<Entry> entry, entry_of(key));
        if (entry) {
            entry->is_live = live.contains(key);
            entries.push_back(std::move(*entry));
        }
    }
    return entries;
}

Result<Check> Store::check() {
    Check check;
    MM_TRY(const std::vector<std::string> stored, keys());
    for (const std::string& key : stored) {
        {
            const std::lock_guard guard(m_mutex);
            m_verified.erase(key);
        }
        const Look found = look(key, nullptr);
        if (found.state == State::absent) {
            continue;  // it was collected meanwhile
        }
        ++check.objects;
        if (found.state == State::damaged) {
            check.damages.push_back({folder_of(key), found.damage});
            continue;
        }
        MM_TRY(const std::vector<FileEntry> files, m_disk.files_below(folder_of(key)));
        check.files += static_cast<std::int64_t>(files.size());
        for (const FileEntry& file : files) {
            check.bytes += file.bytes;
        }
    }
    return check;
}

// Keys that runs use which are not over. With `stale`, what dead runs left is removed.
Result<std::set<std::string>> Store::live_keys(Collected* stale) {
    std::set<std::string> live;
    MM_TRY(const std::vector<std::string> runs, m_disk.list(m_root / "live"));
    for (const std::string& run : runs) {
        const fs::path file = m_root / "live" / run;
        const auto text = m_disk.read(file);
        if (run != m_name) {
            const auto lock = m_disk.lock(file, {.waits = false, .removes_file = stale != nullptr});
            if (lock && *lock != nullptr) {
                if (stale != nullptr && text && !text->empty()) {
                    stale->stale.push_back("live/" + run);
                }
                continue;  // nobody holds it: that run is over
            }
        }
        for (std::size_t at = 0, end = 0; text && (end = text->find('\n', at)) != std::string::npos; at = end + 1) {
            live.insert(text->substr(at, end - at));
        }
    }
    return live;
}

// Half-made objects and lock files that nobody holds.
Status Store::collect_leftovers(Collected& collected) {
    MM_TRY(const std::vector<std::string> building, m_disk.list(m_root / "building"));
    MM_TRY(const std::vector<std::string> locks, m_disk.list(m_root / "locks"));
    std::set<std::string> keys(building.begin(), building.end());
    keys.insert(locks.begin(), locks.end());
    keys.erase("all");
    for (const std::string& key : keys) {
        MM_TRY(const auto lock, m_disk.lock(m_root / "locks" / key, {.waits = false, .removes_file = true}));
        if (lock != nullptr && m_disk.exists(m_root / "building" / key)) {
            MM_CHECK(to_trash(m_root / "building" / key));
            collected.stale.push_back("building/" + key);
        }
    }
    return {};
}

Status Store::collect_objects(Collected& collected, std::int64_t bytes_max, const std::set<std::string>& live) {
    MM_TRY(const std::vector<std::string> stored, keys());
    const std::int64_t now = m_clock.seconds();
    std::vector<Entry> entries;
    std::vector<std::string> damaged;
    for (const std::string& key : stored) {
        MM_TRY(std::optional<Entry> entry, entry_of(key));
        if (!entry) {
            damaged.push_back(key);
            continue;
        }
        if (entry->used > now) {  // the clock was ahead once: what it stamped would stay for good
            entry->used = now;
            MM_CHECK(m_disk.set_stamp(m_root / "used" / key, now));
        }
        collected.bytes_left += entry->bytes;
        entries.push_back(std::move(*entry));
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    const auto remove = [&](const std::string& key) -> Result<bool> {
        MM_TRY(const auto lock, m_disk.lock(m_root / "locks" / key, {.waits = false, .removes_file = true}));
        if (lock == nullptr) {
            return false;
        }
        {
            const std::lock_guard guard(m_mutex);
            m_verified.erase(key);
        }
        if (m_disk.exists(folder_of(key))) {
            MM_CHECK(to_trash(folder_of(key)));
        }
        MM_CHECK(m_disk.remove(m_root / "used" / key));
        return true;
    };
    for (const std::string& key : damaged) {
        MM_TRY(const bool is_removed, remove(key));
        if (is_removed) {
            collected.stale.push_back("objects/" + key);
        }
    }
    collected.objects_left = static_cast<std::int64_t>(entries.size());
    std::int64_t oldest_use = now + 2 * k_stamp_slack;
    for (Entry& entry : entries) {
        const bool is_wanted = collected.bytes_left <= bytes_max || live.contains(entry.key);
        MM_TRY(const bool is_removed, is_wanted ? Result<bool>(false) : remove(entry.key));
        oldest_use = is_removed ? oldest_use : std::min(oldest_use, entry.used);
        if (is_removed) {
            collected.bytes_left -= entry.bytes;
            --collected.objects_left;
            collected.removed.push_back(std::move(entry));
        }
    }
    return collect_hints(oldest_use);
}

// A hint that was not used since anything that is left was serves nothing that is left. It is stamped before the
// object.
Status Store::collect_hints(std::int64_t oldest_use) {
    MM_TRY(const std::vector<std::string> names, m_disk.list(m_root / "hints"));
    for (const std::string& name : names) {
        if (m_disk.stamp(m_root / "hints" / name).value_or(0) < oldest_use - k_stamp_slack) {
            MM_CHECK(m_disk.remove(m_root / "hints" / name));
        }
    }
    return {};
}

Result<Collected> Store::collect(std::int64_t bytes_max) {
    Collected collected;
    MM_CHECK(enter());
    MM_TRY(std::unique_ptr<Lock> all, lock_all(false));
    MM_TRY(const std::vector<std::string> old_trash, m_disk.list(m_root / "trash"));
    for (const std::string& name : old_trash) {
        collected.stale.push_back("trash/" + name);
    }
    MM_TRY(const std::set<std::string> live, live_keys(&collected));
    MM_CHECK(collect_leftovers(collected));
    MM_CHECK(collect_objects(collected, bytes_max, live));
    all.reset();  // removing takes time
    MM_TRY(const std::vector<std::string> trash, m_disk.list(m_root / "trash"));
    for (const std::string& name : trash) {
        MM_CHECK(m_disk.remove(m_root / "trash" / name));
    }
    return collected;
}

Result<std::optional<Nearest>> Store::nearest(const Manifest& manifest, const std::string& same) {
    MM_TRY(std::vector<Entry> stored, entries());
    std::optional<Nearest> best;
    for (Entry& entry : stored) {
        if (entry.manifest.value(same) != manifest.value(same) || entry.key == manifest.key()) {
            continue;
        }
        std::vector<Difference> found = differences(manifest, entry.manifest);
        if (!best || found.size() < best->differences.size() ||
            (found.size() == best->differences.size() && entry.used > best->entry.used)) {
            best = Nearest{std::move(entry), std::move(found)};
        }
    }
    return best;
}

Result<std::string> Store::resolve(const std::string& start, const std::string& option) {
    MM_TRY(const std::vector<std::string> stored, keys());
    std::vector<std::string> found;
    std::copy_if(stored.begin(), stored.end(), std::back_inserter(found),
                 [&](const std::string& key) { return !start.empty() && key.starts_with(start); });
    if (found.size() == 1) {
        return found.front();
    }
    return fail_with_hint(
        ErrorCode::options, option,
        fmt::format("{} key begins with '{}'", found.empty() ? "no stored" : "more than one", printable(start)),
        found.empty() ? "metamorph libs list shows the keys" : "write more digits of it");
}

}  // namespace metamorph::store
