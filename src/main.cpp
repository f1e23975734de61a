// argv → command → exit status.
#include <cstdio>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/command_line.h"
#include "util/process.h"
#include "util/terminal.h"

namespace {

using namespace metamorph;

void print(FILE* file, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), file);
}

template <typename Options>
Result<int> not_wired(const Options&) {
    return fail(ErrorCode::internal, "src/main.cpp", "this command is not wired yet");
}

cli::Commands commands() {
    cli::Commands commands;
    commands.inspect = not_wired<cli::InspectOptions>;
    commands.generate = not_wired<cli::GenerateOptions>;
    commands.weave = not_wired<cli::WeaveOptions>;
    commands.run = not_wired<cli::RunOptions>;
    commands.doctor = not_wired<cli::DoctorOptions>;
    return commands;
}

}  // namespace

int main(int argc, char** argv) {
    kill_children_on_interrupt();
    cli::Doors doors;
    doors.out = [](std::string_view text) { print(stdout, text); };
    doors.err = [](std::string_view text) { print(stderr, text); };
    doors.width = probe_terminal(STDOUT_FILENO).width;
    return cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc), commands(), doors);
}
