// The folder device/ of a project for a device: linker script, a CMake toolchain file a compiler, what the SPI driver
// must know of the chip, the description itself, and the script that prints sizes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weave/writers.h"

namespace metamorph::weave {
namespace {

using app::Device;
using app::MemoryKind;

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
    }
}

std::string linker_script(const Device& device) {
    // An NVM behind a bus has no addresses here: its sections are empty, at a place that is nobody else's.
    const bool is_mapped = device.attachment == app::Attachment::mapped;
    const app::Memory& nvm = device.memory(MemoryKind::nvm);
    const app::Memory& flash = device.memory(MemoryKind::flash);
    const app::Memory& sram = device.memory(MemoryKind::sram);
    const auto hex = [](std::uint64_t value) { return fmt::format("{:#010x}", value); };
    std::string text = device.linker_script;
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
             {"@FLASH_ADDRESS@", hex(flash.address)},
             {"@FLASH_BYTES@", hex(flash.bytes)},
             {"@SRAM_ADDRESS@", hex(sram.address)},
             {"@SRAM_BYTES@", hex(sram.bytes)},
             {"@NVM_ADDRESS@", hex(is_mapped ? nvm.address : device.board.spi_memory)},
             {"@NVM_BYTES@", hex(is_mapped ? nvm.bytes : 0)},
             {"@STACK_BYTES@", hex(device.stack_bytes)},
             {"@BOARD_IO@", hex(device.board.io)},
             {"@BOARD_INPUTS@", hex(device.board.inputs)},
             {"@BOARD_SPI@", hex(device.board.spi)},
             {"@BOARD_SPI_MEMORY@", hex(device.board.spi_memory)}}) {
        replace_all(text, name, value);
    }
    return text;
}

std::string processor(const Device& device) {
    return device.core == app::Core::cortex_m4f ? "arm" : "riscv32";
}

std::string gcc_toolchain(const Device& device, const app::Compiler& gcc) {
    const std::string prefix = gcc.program.substr(0, gcc.program.rfind("gcc"));
    return fmt::format(R"cmake(# {compiler} for {device}.  cmake -B build -DCMAKE_TOOLCHAIN_FILE=device/gcc.cmake
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR {processor})
set(CMAKE_C_COMPILER {compiler})
set(CMAKE_C_FLAGS_INIT "{flags}")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(MM_LINK_OPTIONS -nostartfiles)
set(MM_HAS_C_LIBRARY ON)
set(MM_SIZE_PROGRAMS {prefix}size)
)cmake",
                       fmt::arg("compiler", gcc.program), fmt::arg("device", device.name),
                       fmt::arg("processor", processor(device)), fmt::arg("flags", fmt::join(gcc.flags, " ")),
                       fmt::arg("prefix", prefix));
}

std::string clang_toolchain(const Device& device, const app::Compiler& clang) {
    std::string text =
        fmt::format(R"cmake(# {compiler} and lld for {device}.  cmake -B build -DCMAKE_TOOLCHAIN_FILE=device/clang.cmake
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR {processor})
set(CMAKE_C_COMPILER {compiler})
set(CMAKE_C_FLAGS_INIT "{flags} -ffreestanding")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(MM_LINK_OPTIONS -nostdlib -fuse-ld=lld)
set(MM_HAS_C_LIBRARY OFF) # runtime/ports/start/mm_memory.c has what the compiler may call
set(MM_SIZE_PROGRAMS llvm-size-19 llvm-size)
)cmake",
                    fmt::arg("compiler", clang.program), fmt::arg("device", device.name),
                    fmt::arg("processor", processor(device)), fmt::arg("flags", fmt::join(clang.flags, " ")));
    if (const app::Compiler* gcc = device.compiler("gcc")) {
        text += fmt::format(R"cmake(
# Arithmetic that the processor lacks (64-bit division, say), where gcc is there, too; most programs need none of it.
find_program(MM_GCC {0})
if(MM_GCC)
  execute_process(COMMAND ${{MM_GCC}} {1} -print-libgcc-file-name OUTPUT_VARIABLE MM_LIBGCC OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(MM_LIBRARIES ${{MM_LIBGCC}})
endif()
)cmake",
                            gcc->program, fmt::join(gcc->flags, " "));
    }
    return text;
}

std::string chip_constants(const WeaveInput& input) {
    const app::Spi& spi = *input.device->spi;
    std::string id;
    for (std::uint64_t byte : spi.id) {
        id += fmt::format("{}0x{:02X}u", id.empty() ? "" : ", ", byte);
    }
    return banner(input, fmt::format("The memory chip of {}.", input.device->name)) +
           fmt::format(
               "#include \"mm_spi.h\"\n\nconst mm_spi_chip_t mm_spi_chip = {{\n    .bytes = {}u,\n"
               "    .burst_bytes = {}u,\n    .address_bytes = {}u,\n    .id_bytes = {}u,\n    .id = {{{}}},\n}};\n",
               input.device->memory(MemoryKind::nvm).bytes, spi.burst_bytes, spi.address_bytes, spi.id.size(),
               id.empty() ? "0u" : id);
}

constexpr const char* k_report =
    R"cmake(# cmake -DSIZE=size-program "-DELFS=a;b" "-DOBJECTS=c.o;d.o" -P report.cmake: prints what the programs and the runtime
# take. The stack is the deepest chain of calls below mm_run inside the runtime, as gcc's call graph gives it (.ci files
# beside the objects; Clang writes none); tasks and the port come on top.
function(mm_sum_of SECTIONS OUT)
  set(sum 0)
  foreach(name ${SECTIONS})
    if(table MATCHES "\n${name} +([0-9]+)")
      math(EXPR sum "${sum} + ${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(${OUT} ${sum} PARENT_SCOPE)
endfunction()

foreach(elf ${ELFS})
  execute_process(COMMAND ${SIZE} -A ${elf} OUTPUT_VARIABLE table)
  mm_sum_of(".text;.data" flash)
  mm_sum_of(".data;.bss;.mm_sram" sram)
  mm_sum_of(".mm_nvm" nvm)
  get_filename_component(name ${elf} NAME)
  message("${name}: flash ${flash} B, SRAM ${sram} B without stack, mapped NVM ${nvm} B")
endforeach()

execute_process(COMMAND ${SIZE} ${OBJECTS} OUTPUT_VARIABLE table)
set(code 0)
set(ram 0)
string(REGEX MATCHALL "\n +[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+" rows "${table}")
foreach(row ${rows})
  string(REGEX MATCH "([0-9]+)[ \t]+([0-9]+)[ \t]+([0-9]+)" row "${row}")
  math(EXPR code "${code} + ${CMAKE_MATCH_1}")
  math(EXPR ram "${ram} + ${CMAKE_MATCH_2} + ${CMAKE_MATCH_3}")
endforeach()

set(functions "")
foreach(object ${OBJECTS})
  string(REGEX REPLACE "\\.(o|obj)$" ".ci" graph ${object})
  if(EXISTS ${graph})
    file(STRINGS ${graph} lines)
    foreach(line ${lines})
      if(line MATCHES "^node: .*title: \"([^\"]*)\".*[^0-9]([0-9]+) bytes")
        set(bytes ${CMAKE_MATCH_2})
        string(REGEX REPLACE ".*:" "" name "${CMAKE_MATCH_1}")
        set(own_${name} ${bytes})
        list(APPEND functions ${name})
      elseif(line MATCHES "^edge: .*sourcename: \"([^\"]*)\".*targetname: \"([^\"]*)\"")
        set(to "${CMAKE_MATCH_2}")
        string(REGEX REPLACE ".*:" "" from "${CMAKE_MATCH_1}")
        string(REGEX REPLACE ".*:" "" to "${to}")
        list(APPEND calls_${from} ${to})
      endif()
    endforeach()
  endif()
endforeach()
foreach(name ${functions})
  set(deep_${name} ${own_${name}})
endforeach()
# No recursion in the runtime: as many rounds as functions are more than enough.
set(changed TRUE)
foreach(round ${functions})
  if(changed)
    set(changed FALSE)
    foreach(name ${functions})
      foreach(callee ${calls_${name}})
        if(DEFINED deep_${callee})
          math(EXPR depth "${own_${name}} + ${deep_${callee}}")
          if(depth GREATER deep_${name})
            set(deep_${name} ${depth})
            set(changed TRUE)
          endif()
        endif()
      endforeach()
    endforeach()
  endif()
endforeach()
if(DEFINED deep_mm_run)
  set(stack "worst stack ${deep_mm_run} B")
else()
  set(stack "worst stack not known: gcc tells it")
endif()
message("runtime: code ${code} B, RAM ${ram} B, ${stack}")
)cmake";

// Clang's projects have no C library, and so no mathematical one.
std::string firmware_libraries(const WeaveInput& input) {
    std::string list;
    for (const std::string& library : libraries(input)) {
        list += library == "m" ? "$<$<BOOL:${MM_HAS_C_LIBRARY}>:m> " : library + " ";
    }
    return list;
}

std::string needs_c_library(const WeaveInput& input) {
    return input.archives.empty() ? ""
                                  : fmt::format(R"cmake(if(NOT MM_HAS_C_LIBRARY)
  message(FATAL_ERROR "{} needs a C library, which this toolchain has not: use device/gcc.cmake")
endif()
)cmake",
                                                fmt::join(input.archives, ", "));
}

}  // namespace

std::map<std::string, std::string> device_files(const WeaveInput& input) {
    const Device& device = *input.device;
    std::map<std::string, std::string> files;
    files["device/device.toml"] = device.text;
    files["device/link.ld"] = linker_script(device);
    files["device/report.cmake"] = k_report;
    if (const app::Compiler* gcc = device.compiler("gcc")) {
        files["device/gcc.cmake"] = gcc_toolchain(device, *gcc);
    }
    if (const app::Compiler* clang = device.compiler("clang")) {
        files["device/clang.cmake"] = clang_toolchain(device, *clang);
    }
    if (device.attachment == app::Attachment::bus) {
        files["device/mm_spi_chip.c"] = chip_constants(input);
    }
    return files;
}

std::string write_device_cmake(const WeaveInput& input) {
    const Device& device = *input.device;
    const bool is_mapped = device.attachment == app::Attachment::mapped;
    // The oracle of code that was adopted is made of other files.
    const std::string oracle_target = input.prefix + (has_own_oracle(input) ? "_oracle" : "_model");
    const std::string oracle = has_own_oracle(input)
                                   ? fmt::format(
                                         "add_library({0} OBJECT{1})\ntarget_include_directories({0} PUBLIC {2})\n{3}"
                                         "target_compile_options({0} PRIVATE -fno-builtin)\n",
                                         oracle_target, source_list(input.plain_sources), plain_include_list(input),
                                         define_line(input, oracle_target))
                                   : "";
    const auto objects = [](const std::string& target) { return fmt::format(" $<TARGET_OBJECTS:{}>", target); };
    const std::string app_objects = objects(input.prefix + "_model");
    const std::string nvm =
        is_mapped
            ? R"cmake(set(nvm_files runtime/ports/mapped/mm_mapped.c)
set(nvm_folder runtime/ports/mapped)
)cmake"
            : R"cmake(option(MM_BOARD_SPI_MODEL "The memory chip is a model in C behind the five SPI functions (for QEMU)" OFF)
set(nvm_files runtime/ports/spi/mm_spi.c device/mm_spi_chip.c)
set(nvm_folder runtime/ports/spi)
if(MM_BOARD_SPI_MODEL)
  list(APPEND nvm_files runtime/ports/board/mm_board_spi_model.c runtime/ports/board/mm_fram_model.c)
else()
  list(APPEND nvm_files runtime/ports/board/mm_board_spi.c)
endif()
)cmake";
    return fmt::format(
        R"cmake(# Woven by Metamorph {version} for {device}. Builds alone:
#   cmake -B build -DCMAKE_TOOLCHAIN_FILE=device/gcc.cmake && cmake --build build
#   {prefix}_app    the application that survives power cuts
#   {prefix}_plain  the generated code as it is: the oracle
cmake_minimum_required(VERSION 3.16)
project({prefix}_app C)

if(NOT CMAKE_CROSSCOMPILING)
  message(FATAL_ERROR "This project is for {device}: add -DCMAKE_TOOLCHAIN_FILE=device/gcc.cmake (see the folder device)")
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # inline assembly
set(CMAKE_EXECUTABLE_SUFFIX "")
# The same bytes in whatever folder: paths in debug information begin at the project and at the build folder.
add_compile_options(-g -Wall -Wextra -ffunction-sections -fdata-sections
  -ffile-prefix-map=${{CMAKE_SOURCE_DIR}}/= -ffile-prefix-map=${{CMAKE_BINARY_DIR}}=.)

add_library({prefix}_model OBJECT{generated})
target_include_directories({prefix}_model PUBLIC {include_dirs})
{model_defines}# Loops stay loops: a library function that copies would hide its stores.
target_compile_options({prefix}_model PRIVATE -fno-builtin)
{oracle}
add_library(metamorph_runtime OBJECT{runtime})
target_include_directories(metamorph_runtime PUBLIC runtime/include PRIVATE runtime/src)
# What runs at each commit is to be fast, where that keeps within 2 KiB and no bus is slower anyway; what runs once small.
set_source_files_properties(runtime/src/mm_table.c PROPERTIES COMPILE_OPTIONS -Os)
target_compile_options(metamorph_runtime PRIVATE {speed} -fno-builtin
  $<$<C_COMPILER_ID:GNU>:-fcallgraph-info=su>)

{nvm}{needs_library}
set(start_files runtime/ports/start/{start} runtime/ports/start/mm_start.c runtime/ports/board/mm_board_io.c)
if(NOT MM_HAS_C_LIBRARY)
  list(APPEND start_files runtime/ports/start/mm_memory.c)
endif()
set_source_files_properties(${{start_files}} PROPERTIES COMPILE_OPTIONS "-Os;-fno-builtin")
set_source_files_properties(${{nvm_files}} PROPERTIES COMPILE_OPTIONS "{nvm_speed};-fno-builtin")

function(mm_firmware NAME)
  add_executable(${{NAME}} ${{ARGN}} ${{start_files}}{both})
  target_include_directories(${{NAME}} PRIVATE app {include_dirs} runtime/include runtime/ports/board
    runtime/ports/start ${{nvm_folder}})
  target_compile_options(${{NAME}} PRIVATE -fno-builtin)
  target_link_options(${{NAME}} PRIVATE ${{MM_LINK_OPTIONS}} -T${{CMAKE_SOURCE_DIR}}/device/link.ld -Wl,--gc-sections)
  target_link_libraries(${{NAME}} PRIVATE {libraries}${{MM_LIBRARIES}})
  set_target_properties(${{NAME}} PROPERTIES LINK_DEPENDS ${{CMAKE_SOURCE_DIR}}/device/link.ld)
endfunction()

mm_firmware({prefix}_plain app/{prefix}_plain.c{plain_objects})
mm_firmware({prefix}_app{app_objects} app/{prefix}_tasks.c app/{prefix}_tables.c app/{prefix}_board.c
  runtime/ports/board/mm_board_port.c ${{nvm_files}} $<TARGET_OBJECTS:metamorph_runtime>)

find_program(MM_SIZE NAMES ${{MM_SIZE_PROGRAMS}})
if(MM_SIZE)
  add_custom_target({prefix}_sizes ALL DEPENDS {prefix}_app {prefix}_plain
    COMMAND ${{CMAKE_COMMAND}} -DSIZE=${{MM_SIZE}} "-DELFS=$<TARGET_FILE:{prefix}_app>$<SEMICOLON>$<TARGET_FILE:{prefix}_plain>"
      "-DOBJECTS=$<TARGET_OBJECTS:metamorph_runtime>" -P ${{CMAKE_SOURCE_DIR}}/device/report.cmake VERBATIM)
endif()
)cmake",
        fmt::arg("version", METAMORPH_VERSION), fmt::arg("device", device.name), fmt::arg("prefix", input.prefix),
        fmt::arg("generated", source_list(input.app_sources)), fmt::arg("include_dirs", include_list(input)),
        fmt::arg("model_defines", define_line(input, input.prefix + "_model")), fmt::arg("oracle", oracle),
        fmt::arg("both", has_own_oracle(input) ? "" : app_objects),
        fmt::arg("plain_objects", has_own_oracle(input) ? objects(oracle_target) : ""),
        fmt::arg("app_objects", has_own_oracle(input) ? app_objects : ""),
        fmt::arg("libraries", firmware_libraries(input)), fmt::arg("needs_library", needs_c_library(input)),
        fmt::arg("runtime", runtime_sources("runtime/src")), fmt::arg("nvm", nvm),
        fmt::arg("speed", device.core == app::Core::cortex_m4f && is_mapped ? "-O2" : "-Os"),
        fmt::arg("nvm_speed", is_mapped ? "-O2" : "-Os"),
        fmt::arg("start", device.core == app::Core::cortex_m4f ? "cortex_m.c" : "rv32.c"));
}

}  // namespace metamorph::weave
