// store_user ROOT LOG LIBRARIES BUILD_MS NAME: gets so many libraries from a store. A line of LOG is a build that
// began.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "store/store.h"

using namespace metamorph;

int main(int count, char** arguments) {
    if (count != 6) {
        return 2;
    }
    const std::string root = arguments[1], log = arguments[2];
    const int libraries = std::atoi(arguments[3]), build_ms = std::atoi(arguments[4]);
    const auto disk = store::make_real_disk();
    const auto clock = store::make_real_clock();
    store::Store store(root, *disk, *clock, arguments[5]);
    for (int i = 0; i < libraries; ++i) {
        store::Manifest manifest;
        manifest.add("library", "library " + std::to_string(i));
        const auto build = [&](const std::filesystem::path& folder) -> Status {
            const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
            const std::string line = std::to_string(i) + "\n";
            if (::write(file, line.data(), line.size()) < 0) {
                return fail(ErrorCode::system, log, "no log");
            }
            ::close(file);
            for (int part = 0; part < 4; ++part) {
                MM_CHECK(disk->write(folder / ("part" + std::to_string(part)), std::string(5000, 'a')));
                std::this_thread::sleep_for(std::chrono::milliseconds(build_ms) / 4);
            }
            return {};
        };
        const auto got = store.get({manifest, build, [&] { return Result<store::Manifest>(manifest); }});
        if (!got) {
            std::fputs((describe(got.error()) + "\n").c_str(), stderr);
            return 1;
        }
        if (!std::filesystem::exists(got->files / "part3")) {
            return 3;
        }
    }
    return 0;
}
