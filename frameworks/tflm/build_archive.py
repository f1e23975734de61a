"""build_archive.py --source TREE --library ARCHIVE --name NAME --compiler GCC --output ARCHIVE [-- FLAG...]: NAME_interpreter.cc of
this folder and the interpreter's library, as one archive for GCC's target.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import refusal
import source_tree
from compiler import FLAGS, Compiler


def compile_interpreter(tree, compiler, name, output, more=()):
    """NAME_interpreter.cc, or another C++ file of this folder, to an object."""
    done = subprocess.run(
        [compiler.gxx, *compiler.flags, *FLAGS, *compiler.language_flags, *more, "-I.",
         *("-I" + str(tree.folder / path) for path in source_tree.INCLUDE_DIRS), "-c", name, "-o", str(output)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"{name} does not compile:\n{done.stdout[-4000:]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    compiler = Compiler(arguments.compiler, arguments.flags)
    tree = source_tree.SourceTree(arguments.source)
    place = [] if compiler.is_host else [f'-D{arguments.name.upper()}_ARENA_PLACE=__attribute__((section(".mm_sram")))']
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / f"{arguments.name}_interpreter.o"
        compile_interpreter(tree, compiler, f"{arguments.name}_interpreter.cc", made, place)
        script = f"CREATE {folder}/all.a\nADDLIB {arguments.library}\nADDMOD {made}\nSAVE\nEND\n"
        subprocess.run([compiler.archiver(), "-M", "-D"], input=script, text=True, check=True)
        pathlib.Path(arguments.output).write_bytes((pathlib.Path(folder) / "all.a").read_bytes())
    return 0


if __name__ == "__main__":
    refusal.run(main)
