// argv → command → exit status.
#include <cstdio>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/command_line.h"
#include "util/interrupt.h"
#include "util/process.h"
#include "util/terminal.h"
#include "wiring.h"

namespace {

using namespace metamorph;

void print(FILE* file, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), file);
}

}  // namespace

int main(int argc, char** argv) {
    clean_up_on_interrupt();
    cli::Doors doors;
    doors.out = [](std::string_view text) { print(stdout, text); };
    doors.err = [](std::string_view text) { print(stderr, text); };
    doors.width = probe_terminal(STDOUT_FILENO).width;
    const int status =
        cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc), cli::real_commands(), doors);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        print(stderr, "error: standard output cannot be written\n");
        return static_cast<int>(ErrorCode::system);
    }
    return status;
}
