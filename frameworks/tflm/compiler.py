"""The compiler of the application around the interpreter, with the flags of the interpreter's library (framework.toml)."""

import shutil
import subprocess

from refusal import Refusal

# What the headers are compiled with has to be what the library was compiled with.
FLAGS = ["-O2", "-w", "-ffunction-sections", "-fdata-sections", "-DNDEBUG", "-DTF_LITE_STATIC_MEMORY",
         "-DTF_LITE_MCU_DEBUG_LOG", "-DTF_LITE_DISABLE_X86_NEON"]
CXX_FLAGS = ["-std=c++11", "-fno-rtti", "-fno-exceptions", "-fno-threadsafe-statics", "-fno-unwind-tables",
             "-fno-asynchronous-unwind-tables"]
# newlib has these macros only for who asks as C did in 1999.
NEWLIB_FLAGS = ["-D__STDC_FORMAT_MACROS", "-D__int64_t_defined=1"]


def output_of(argv):
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


class Compiler:
    """gcc and g++ of one target. `gcc`: its program, as a device description names it."""

    def __init__(self, gcc, flags):
        self.gcc, self.flags = gcc, list(flags)
        folder, _, name = gcc.rpartition("/")
        head, found, tail = name.rpartition("gcc")
        if not found:
            raise Refusal(f"the interpreter is built by gcc, and the compiler here is {gcc}")
        self.gxx = (folder + "/" if folder else "") + head + "g++" + tail
        for program in (self.gcc, self.gxx):
            if shutil.which(program) is None:
                raise Refusal(f"the interpreter is C++, and there is no compiler {program}; of Debian: apt-get install "
                              + ("gcc-arm-none-eabi" if "arm" in program else "g++"))
        self.machine = output_of([self.gcc, "-dumpmachine"])
        self.is_host = not self.machine.endswith(("eabi", "elf", "eabihf"))
        self.language_flags = CXX_FLAGS + ([] if self.is_host else NEWLIB_FLAGS)
        self._need_a_library()

    def _need_a_library(self):
        asked = subprocess.run([self.gxx, *self.flags, *CXX_FLAGS, "-x", "c++", "-fsyntax-only", "-"], input="#include <cstdint>\n",
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if asked.returncode:
            hint = "; of Debian: apt-get install libstdc++-arm-none-eabi-dev" if self.machine.startswith("arm") else ""
            raise Refusal(f"{self.gxx} has no C++ library for {self.machine} (no <cstdint>), and the interpreter is C++{hint}")

    def archiver(self):
        return output_of([self.gcc, "-print-prog-name=ar"])
