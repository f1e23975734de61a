# Third-party packages, all from Debian 12. A missing one ends the configuration with the exact apt command.
set(METAMORPH_MISSING_PACKAGES "")

macro(metamorph_need NAME DEBIAN)  # find_package(NAME CONFIG), or remember the Debian package that has it
  find_package(${NAME} CONFIG QUIET ${ARGN})
  if(NOT ${NAME}_FOUND)
    list(APPEND METAMORPH_MISSING_PACKAGES ${DEBIAN})
  endif()
endmacro()

# Some configuration files name files of other packages, and end CMake where these are missing. So those come first, and such a
# configuration is read only if none is missing.
macro(metamorph_need_file FILE DEBIAN)
  if(NOT EXISTS ${FILE})
    list(APPEND METAMORPH_MISSING_PACKAGES ${DEBIAN})
  endif()
endmacro()

find_package(Threads REQUIRED)
metamorph_need(fmt libfmt-dev)
metamorph_need(tl-expected libexpected-dev)
metamorph_need(tomlplusplus libtomlplusplus-dev)
metamorph_need(CLI11 libcli11-dev)
metamorph_need(nlohmann_json nlohmann-json3-dev)
metamorph_need(benchmark libbenchmark-dev)
metamorph_need(yaml-cpp libyaml-cpp-dev)
find_package(OpenSSL QUIET)  # CMake's own module, so not by metamorph_need
if(NOT TARGET OpenSSL::Crypto)
  list(APPEND METAMORPH_MISSING_PACKAGES libssl-dev)
endif()

find_library(METAMORPH_GMOCK gmock)
find_path(METAMORPH_GTEST_HEADER gtest/gtest.h)
metamorph_need_file(${METAMORPH_GMOCK} libgmock-dev)
if(METAMORPH_GMOCK OR NOT METAMORPH_GTEST_HEADER)
  metamorph_need(GTest libgtest-dev)
endif()

find_program(METAMORPH_FLATC flatc)
find_path(METAMORPH_FLATBUFFERS_HEADER flatbuffers/flatbuffers.h)
metamorph_need_file(${METAMORPH_FLATC} flatbuffers-compiler)
if(METAMORPH_FLATC OR NOT METAMORPH_FLATBUFFERS_HEADER)
  metamorph_need(FlatBuffers libflatbuffers-dev)
endif()

set(METAMORPH_LLVM /usr/lib/llvm-19 CACHE PATH "Where the packages of LLVM and Clang 19 are installed")
set(missing_before "${METAMORPH_MISSING_PACKAGES}")
metamorph_need_file(${METAMORPH_LLVM}/lib/cmake/llvm/LLVMConfig.cmake llvm-19-dev)
metamorph_need_file(${METAMORPH_LLVM}/lib/libclangBasic.a libclang-19-dev)
metamorph_need_file(${METAMORPH_LLVM}/lib/libclang-cpp.so libclang-cpp19-dev)
metamorph_need_file(${METAMORPH_LLVM}/lib/cmake/clang/ClangConfig.cmake clang-19)
if(missing_before STREQUAL "${METAMORPH_MISSING_PACKAGES}")
  metamorph_need(LLVM llvm-19-dev PATHS ${METAMORPH_LLVM}/lib/cmake/llvm NO_DEFAULT_PATH)
  metamorph_need(Clang libclang-19-dev PATHS ${METAMORPH_LLVM}/lib/cmake/clang NO_DEFAULT_PATH)
endif()

# Libraries without a CMake package: a header and a library each.
macro(metamorph_need_library VARIABLE HEADER LIBRARY DEBIAN)
  find_path(${VARIABLE}_HEADER ${HEADER})
  find_library(${VARIABLE} ${LIBRARY})
  if(NOT ${VARIABLE}_HEADER OR NOT ${VARIABLE})
    list(APPEND METAMORPH_MISSING_PACKAGES ${DEBIAN})
  endif()
endmacro()
metamorph_need_library(METAMORPH_UNICORN unicorn/unicorn.h unicorn libunicorn-dev)
metamorph_need_library(METAMORPH_LIBELF gelf.h elf libelf-dev)
metamorph_need_library(METAMORPH_LIBDW elfutils/libdw.h dw libdw-dev)

if(METAMORPH_MISSING_PACKAGES)
  list(REMOVE_DUPLICATES METAMORPH_MISSING_PACKAGES)
  list(JOIN METAMORPH_MISSING_PACKAGES " " METAMORPH_MISSING_TEXT)
  message(FATAL_ERROR "Missing packages. Install them with:\n"
    "  apt-get install -y --no-install-recommends ${METAMORPH_MISSING_TEXT}\n"
    "or let scripts/install-dependencies do it.")
endif()
