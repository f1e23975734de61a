// Running other people's programs: the same surroundings every time, a log of all they say, and an error that shows its
// end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "util/process.h"
#include "util/result.h"
#include "util/text.h"

namespace metamorph::generate {

// A request with the variables that make programs repeat themselves: language, hash seed, no colours, no byte code.
ProcessRequest generator_process(std::vector<std::string> argv);

using metamorph::quoted;

// The last lines that hold something, printable, at most `count`.
std::vector<std::string> last_lines(const std::string& text, std::size_t count);

// Runs it; the log is rewritten: the command, then all that it printed. `what` names it in errors. Errors: toolchain
// (it failed, was killed, or took too long: its last lines, the command, the log's path), model (it ended with status 3
// and its last line begins with "metamorph: ": what is wrong with the model; so our own scripts speak), system.
Status run_logged(const std::string& what, ProcessRequest request, const std::filesystem::path& log);

}  // namespace metamorph::generate
