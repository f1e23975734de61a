// The files of a woven project, a function each. Internal to weave/.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "weave/weave.h"

namespace metamorph::weave {

std::string task_function(const WeaveInput& input, int task);  // "digits_task_01"
std::string task_name(const WeaveInput& input, int task);      // "conv2d_00_relu + dense_01", "take_input"
std::string sram_name(const WeaveInput& input, cfront::ObjectId object);
std::string macro_prefix(const WeaveInput& input);  // upper-case prefix
std::string banner(const WeaveInput& input, const std::string& what);

std::string write_app_header(const WeaveInput& input);
Result<std::string> write_tasks(const WeaveInput& input);
std::string write_tables(const WeaveInput& input, std::uint64_t build_id);
std::string write_host_description(const WeaveInput& input);
Result<std::string> write_plain_main(const WeaveInput& input);
std::string write_cmake(const WeaveInput& input);
std::string write_readme(const WeaveInput& input);

// For a device (input.device is one).
std::string write_board_description(const WeaveInput& input);
Result<std::string> write_board_plain_main(const WeaveInput& input);
std::string write_device_cmake(const WeaveInput& input);
std::map<std::string, std::string> device_files(const WeaveInput& input);  // device/: linker script, toolchains …

// Runtime files by their folder, "runtime/src", that are compiled: a list for CMake, a line each.
std::string runtime_sources(std::string_view folder);
// "\n  generated/a.c\n  generated/b.c".
std::string source_list(const std::vector<std::string>& sources);
// What code of the generator needs to be compiled, for a CMake target: include folders, and a line of definitions where
// there are any.
std::string include_list(const WeaveInput& input);
std::string plain_include_list(const WeaveInput& input);
std::string define_line(const WeaveInput& input, const std::string& target);
// What programs are linked with besides: archives of what is not C, the mathematical library.
std::vector<std::string> libraries(const WeaveInput& input);
bool has_own_oracle(const WeaveInput& input);  // whose sources are others than the application's
int plain_parameters(const WeaveInput& input);
const cfront::Object* object_of_parameter(const WeaveInput& input, int parameter);

std::string write_summary(const WeaveInput& input, std::uint64_t build_id);

}  // namespace metamorph::weave
