// What the tests of the store build: an "archive" whose contents follow from the manifest.
#pragma once

#include <string>

#include "store/store.h"

namespace metamorph::store {

inline Manifest manifest_of(const std::string& library, const std::string& flag = "-O2") {
    Manifest manifest;
    manifest.add("library", library);
    manifest.add("flag", flag);
    return manifest;
}

inline std::string archive_of(const Manifest& manifest) {
    return "!<arch> " + manifest.value("library") + " with " + manifest.value("flag");
}

// Builds with `disk`, and counts.
inline BuildRequest request_for(const Manifest& manifest, Disk& disk, int& builds) {
    return {manifest,
            [manifest, &disk, &builds](const std::filesystem::path& folder) -> Status {
                ++builds;
                MM_CHECK(disk.make_folders(folder / "include"));
                MM_CHECK(disk.write(folder / "lib.a", archive_of(manifest)));
                return disk.write(folder / "include/lib.h", "#pragma once\n");
            },
            [manifest]() -> Result<Manifest> { return manifest; }};
}

}  // namespace metamorph::store
