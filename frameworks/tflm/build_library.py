"""The interpreter's library, once for each configuration.

A folder of the cache holds libtflm.a and the manifest that its name is the hash of: recipe, compiler by content, flags, source tree
by content. Look up without a lock; on a miss lock the key (the kernel frees the lock of who dies), look again, build in a folder
beside it, and rename that: what is half-made is never found, and a failure is no result.
"""

import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from refusal import Refusal
from source_tree import INCLUDE_DIRS

RECIPE = 2  # to be counted up when what this file does changes
# Sources of 2020 compare signed with unsigned and more: their warnings are nobody's here.
# TF_LITE_MCU_DEBUG_LOG: messages go to DebugLog, which the application has, and not to a C library's stdio. NDEBUG: the tree of
# 2020 asserts that zero points are greater than -128, which an Add of a quantised network behind a Relu refutes.
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

    def identity(self):
        """By content: two compilers of one version may differ."""
        parts = {}
        for name in ("cc1", "cc1plus", "as", "ar"):
            program = output_of([self.gxx, f"-print-prog-name={name}"])
            path = pathlib.Path(shutil.which(program) or program)
            parts[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "none"
        return {"machine": self.machine, "version": output_of([self.gxx, "-dumpfullversion"]), "programs": parts}


def cache_folder():
    store, cache, home = (os.environ.get(name, "") for name in ("METAMORPH_STORE", "XDG_CACHE_HOME", "HOME"))
    base = pathlib.Path(store) if store else pathlib.Path(cache or home + "/.cache") / "metamorph"
    if not store and not cache.startswith("/") and not home:
        raise Refusal("there is no place for the built library: HOME is not set; set METAMORPH_STORE to a folder")
    return base.absolute() / "tflm"


def precompile(tree, cxx, folder):
    """Arguments by which a compilation takes the common headers as read: half of its time is saved, and the code is the same."""
    headers = tree.common_headers()
    if not headers:
        return []
    common = folder / "common.h"
    common.write_text("".join(f'#include "{path}"\n' for path in headers))
    subprocess.run([*cxx, "-x", "c++-header", str(common), "-o", f"{common}.gch"], check=True)
    return ["-include", str(common)]


def compile_all(tree, compiler, jobs, folder):
    flags = [*compiler.flags, *FLAGS, f"-ffile-prefix-map={tree.folder}/=",
             *("-I" + str(tree.folder / path) for path in INCLUDE_DIRS)]
    cxx = [compiler.gxx, *flags, *compiler.language_flags]
    common = precompile(tree, cxx, folder)

    def compile_one(source):
        target = folder / (source.replace("/", "_") + ".o")
        argv = [*([compiler.gcc, *flags] if source.endswith(".c") else cxx + common), "-c", str(tree.folder / source), "-o",
                str(target)]
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return source, target, done

    objects = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for source, target, done in pool.map(compile_one, tree.sources()):
            if done.returncode:
                raise RuntimeError(f"{source} does not compile:\n{done.stdout[-4000:]}")
            objects.append(str(target))
    return objects


def build(tree, compiler, jobs, text, place):
    """With the key's lock held: so what another process was making of this key when it was killed is nobody's."""
    start = f".making-{place.name}-"
    for left in place.parent.glob(start + "*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=start, dir=place.parent) as making:
        made = pathlib.Path(making) / "made"
        objects = pathlib.Path(making) / "objects"
        made.mkdir()
        objects.mkdir()
        members = compile_all(tree, compiler, jobs, objects)
        subprocess.run([compiler.archiver(), "rcsD", str(made / "libtflm.a"), *members], check=True)
        (made / "manifest.json").write_text(text)
        if json.loads(text)["source_tree"] != tree.digest():
            raise RuntimeError("the source tree changed while it was being compiled")
        for path in made.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        made.rename(place)


def library(tree, compiler, jobs=os.cpu_count()):
    """The path of libtflm.a."""
    manifest = {"recipe": RECIPE, "compiler": compiler.identity(), "target_flags": compiler.flags, "flags": FLAGS,
                "language_flags": compiler.language_flags, "source_tree": tree.digest()}
    text = json.dumps(manifest, indent=2, sort_keys=True) + "\n"
    cache = cache_folder()
    place = cache / hashlib.sha256(text.encode()).hexdigest()[:32]
    if place.is_dir():
        return place / "libtflm.a"
    cache.mkdir(parents=True, exist_ok=True)
    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            build(tree, compiler, jobs, text, place)
    return place / "libtflm.a"
