#include "pipeline/woven_folder.h"

#include "util/file.h"

namespace metamorph::pipeline {

namespace fs = std::filesystem;

Result<WovenFolder> read_woven_folder(const fs::path& folder) {
    constexpr std::int64_t k_bytes_max = 64 << 20;
    const auto text_of = [](const std::vector<std::byte>& bytes) {
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    auto bytes = read_file(folder / "weave.json", k_bytes_max);
    if (!bytes) {
        return fail_with_hint(ErrorCode::options, folder.string(),
                              "this folder is no woven project: it has no weave.json",
                              "make one with 'metamorph weave MODEL -o DIR'");
    }
    MM_TRY(weave::WovenSummary summary, weave::read_summary(text_of(*bytes)));
    WovenFolder woven;
    woven.folder = fs::absolute(folder);
    woven.summary = std::move(summary);
    const fs::path description = folder / "device" / "device.toml";
    std::error_code error;
    if (fs::exists(description, error)) {
        MM_TRY(const std::vector<std::byte> toml, read_file(description, k_bytes_max));
        MM_TRY(woven.device, app::read_device(text_of(toml), description));
    }
    return woven;
}

}  // namespace metamorph::pipeline
