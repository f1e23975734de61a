// Looking, building, publishing. The order of steps is what makes a crash harmless; each comment of "before" or "after"
// below has a test that breaks it.
#include "store/store.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "store/contents.h"
#include "util/hash.h"

namespace metamorph::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_where_hint =
    "METAMORPH_STORE names another folder for the store; it must be on one file system, and writable";

}  // namespace

const char* name_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::hit:
            return "hit";
        case Outcome::built:
            return "built";
        case Outcome::waited:
            return "waited";
    }
    return "hit";
}

Store::Store(fs::path root, Disk& disk, Clock& clock, std::string name, std::int64_t bytes_max)
    : m_root(std::move(root)), m_disk(disk), m_clock(clock), m_bytes_max(bytes_max), m_name(std::move(name)) {}

Store::~Store() = default;  // the lock of live/NAME removes that file

fs::path Store::folder_of(const std::string& key) const {
    return m_root / "objects" / key.substr(0, 2) / key;
}

// `manifest`: the text that must stand there, where it is known.
Store::Look Store::look(const std::string& key, const std::string* manifest) {
    {
        const std::lock_guard guard(m_mutex);
        if (const auto found = m_verified.find(key); found != m_verified.end()) {
            return {State::whole, found->second, {}};
        }
    }
    const fs::path folder = folder_of(key);
    if (!m_disk.exists(folder)) {
        return {};
    }
    const auto damaged = [](std::string what) { return Look{State::damaged, {}, std::move(what)}; };
    const auto text = m_disk.read(folder / "manifest");
    if (!text || sha256_hex(*text) != key || (manifest != nullptr && *manifest != *text)) {
        return damaged("its manifest is not the one of its key");
    }
    const auto listed = m_disk.read(folder / "contents");
    const auto found = describe_contents(m_disk, folder / "files");
    if (!listed || !found) {
        return damaged(!listed ? listed.error().message : found.error().message);
    }
    if (print_contents(*found) != *listed) {
        return damaged("its files are not those that were stored");
    }
    Look whole{State::whole, {key, folder / "files", sha256_hex(*listed), Outcome::hit, {}}, {}};
    const std::lock_guard guard(m_mutex);
    m_verified[key] = whole.object;
    return whole;
}

// Processes of other containers may have our number: then another name is free.
Status Store::enter() {
    const std::lock_guard guard(m_mutex);
    if (m_live) {
        return {};
    }
    MM_CHECK(m_disk.make_folders(m_root / "live"));
    const std::string name = m_name;
    for (int other = 1; !m_live; ++other) {
        MM_TRY(m_live, m_disk.lock(m_root / "live" / m_name, {.waits = false, .removes_file = true}));
        if (!m_live) {
            m_name = fmt::format("{}-{}", name, other);
        }
    }
    return m_disk.write(m_root / "live" / m_name, "");  // of a dead run of this name
}

// A run says first that it uses a key, and looks then: collect() reads that under the same lock, exclusively, and so
// never takes away what a run is about to find.
Status Store::hold(const std::string& key) {
    MM_CHECK(enter());
    const std::lock_guard guard(m_mutex);
    if (m_held.contains(key)) {
        return {};
    }
    MM_TRY(const std::unique_ptr<Lock> all, lock_all(true));
    MM_CHECK(m_disk.append(m_root / "live" / m_name, key + "\n"));
    m_held.insert(key);
    return {};
}

Result<std::unique_ptr<Lock>> Store::lock_all(bool is_shared) {
    MM_CHECK(m_disk.make_folders(m_root / "locks"));
    return m_disk.lock(m_root / "locks" / "all", {.is_shared = is_shared});
}

void Store::mark_used(const std::string& key) {
    // Only the order of removal depends on it.
    if (m_disk.make_folders(m_root / "used")) {
        (void)m_disk.set_stamp(m_root / "used" / key, m_clock.seconds());
    }
}

Result<fs::path> Store::to_trash(const fs::path& path) {
    MM_CHECK(m_disk.make_folders(m_root / "trash"));
    fs::path trash;
    do {  // a dead run may have had our name
        const std::lock_guard guard(m_mutex);
        trash = m_root / "trash" / fmt::format("{}.{}", m_name, m_discarded++);
    } while (m_disk.exists(trash));
    MM_CHECK(m_disk.rename(path, trash));
    return trash;
}

Status Store::discard(const fs::path& path) {
    if (!m_disk.exists(path)) {
        return {};
    }
    MM_TRY(const fs::path trash, to_trash(path));
    return m_disk.remove(trash);
}

std::optional<std::string> Store::hint(const std::string& name) {
    const fs::path file = m_root / "hints" / name;
    const auto text = m_disk.exists(file) ? m_disk.read(file) : Result<std::string>(std::string());
    if (!text || text->empty()) {
        return std::nullopt;
    }
    (void)m_disk.set_stamp(file, m_clock.seconds());
    return *text;
}

void Store::set_hint(const std::string& name, const std::string& text) {
    if (m_disk.make_folders(m_root / "hints")) {
        (void)m_disk.write(m_root / "hints" / name, text);
        (void)m_disk.set_stamp(m_root / "hints" / name, m_clock.seconds());
    }
}

Result<std::optional<Object>> Store::find(const Manifest& manifest) {
    const std::string key = manifest.key(), text = manifest.text();
    const Status held = hold(key);  // in a store that cannot be written nobody collects, and looking goes on
    Look found = look(key, &text);
    if (found.state != State::whole) {
        return std::optional<Object>();
    }
    if (held) {
        mark_used(key);
    }
    return std::optional<Object>(std::move(found.object));
}

Result<Object> Store::get(const BuildRequest& request) {
    MM_TRY(std::optional<Object> found, find(request.manifest));
    if (found) {
        return *found;
    }
    const std::string key = request.manifest.key(), text = request.manifest.text();
    const auto explained = [&](Error error) {
        error.context.insert(error.context.begin(), fmt::format("while storing {}", key.substr(0, 12)));
        if (error.code == ErrorCode::system && error.hint.empty()) {
            error.hint = k_where_hint;
        }
        return tl::unexpected<Error>(std::move(error));
    };
    if (const Status held = hold(key); !held) {
        return explained(held.error());
    }
    if (const Status made = m_disk.make_folders(m_root / "locks"); !made) {
        return explained(made.error());
    }
    const fs::path lock_file = m_root / "locks" / key;
    auto lock = m_disk.lock(lock_file, {.waits = false, .removes_file = true});
    const bool waits = lock && *lock == nullptr;
    if (waits) {
        lock = m_disk.lock(lock_file, {.removes_file = true});
    }
    if (!lock) {
        return explained(lock.error());
    }
    Look again = look(key, &text);
    if (again.state == State::whole) {
        again.object.outcome = waits ? Outcome::waited : Outcome::hit;
        mark_used(key);
        return again.object;
    }
    auto built = build(request, key, again.damage);
    lock->reset();
    if (!built) {
        return built.error().code == ErrorCode::system ? explained(built.error())
                                                       : tl::unexpected<Error>(built.error());
    }
    mark_used(key);
    (void)collect(m_bytes_max);  // what does not succeed now will the next time
    return built;
}

// The key is locked.
Result<Object> Store::build(const BuildRequest& request, const std::string& key, const std::string& damage) {
    const fs::path folder = m_root / "building" / key;
    MM_CHECK(discard(folder));
    MM_CHECK(discard(folder_of(key)));  // only what is damaged can be there
    const auto finish = [&]() -> Result<Object> {
        MM_CHECK(make_and_describe(request, folder));
        MM_CHECK(publish(folder, key));
        const std::string text = request.manifest.text();
        Look look_at = look(key, &text);
        if (look_at.state != State::whole) {
            return fail(ErrorCode::system, folder_of(key).string(), "what was stored reads differently: {}",
                        look_at.damage);
        }
        look_at.object.outcome = Outcome::built;
        look_at.object.replaced = damage;
        return look_at.object;
    };
    Result<Object> object = finish();
    if (!object) {
        (void)discard(folder);  // the first error is the one to tell
    }
    return object;
}

Status Store::make_and_describe(const BuildRequest& request, const fs::path& folder) {
    MM_CHECK(m_disk.make_folders(folder / "files"));
    MM_CHECK(request.build(folder / "files"));
    MM_TRY(const Manifest after, request.describe());
    if (after != request.manifest) {
        return fail_with_hint(ErrorCode::toolchain, "",
                              fmt::format("the inputs changed while they were built:\n{}",
                                          print(differences(request.manifest, after), "  ")),
                              "nothing was stored; run it again when they are at rest");
    }
    MM_TRY(const std::vector<ContentFile> files, describe_contents(m_disk, folder / "files"));
    MM_CHECK(m_disk.write(folder / "manifest", request.manifest.text()));
    return m_disk.write(folder / "contents", print_contents(files));
}

// All is durable before the rename, and the rename before anyone is told.
Status Store::publish(const fs::path& folder, const std::string& key) {
    MM_CHECK(m_disk.make_read_only(folder));
    MM_CHECK(m_disk.sync_tree(folder));
    const fs::path target = folder_of(key);
    MM_CHECK(m_disk.make_folders(target.parent_path()));
    MM_CHECK(m_disk.rename(folder, target));
    MM_CHECK(m_disk.sync_folder(target.parent_path()));
    return m_disk.sync_folder(target.parent_path().parent_path());
}

bool is_off() {
    const char* value = std::getenv("METAMORPH_STORE");
    return value != nullptr && std::string_view(value) == "off";
}

Result<fs::path> default_root() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return value == nullptr ? std::string() : std::string(value);
    };
    for (const auto& [name, below] : {std::pair{"METAMORPH_STORE", ""}, std::pair{"XDG_CACHE_HOME", "metamorph/store"},
                                      std::pair{"HOME", ".cache/metamorph/store"}}) {
        const std::string value = variable(name);
        if (value.empty()) {
            continue;
        }
        if (!fs::path(value).is_absolute()) {
            return fail_with_hint(ErrorCode::system, name, fmt::format("'{}' is no absolute path", value),
                                  "processes in other folders are to find the same store");
        }
        return *below == '\0' ? fs::path(value) : fs::path(value) / below;
    }
    return fail_with_hint(ErrorCode::system, "METAMORPH_STORE", "there is no place for the store: HOME is not set",
                          "set METAMORPH_STORE to a folder");
}

Result<std::int64_t> default_bytes_max() {
    const char* text = std::getenv("METAMORPH_STORE_BYTES");
    if (text == nullptr || *text == '\0') {
        return k_default_bytes_max;
    }
    const std::string_view value = text;
    std::int64_t bytes = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), bytes);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size() || bytes < 0) {
        return fail_with_hint(ErrorCode::options, "METAMORPH_STORE_BYTES", fmt::format("'{}' is no number", value),
                              "how many bytes the store may keep: 4294967296");
    }
    return bytes;
}

}  // namespace metamorph::store
