"""generate.py MODEL NAME --source TREE --library ARCHIVE [--arena BYTES] [--setup inference|boot]: the application of one model around
TensorFlow Lite Micro's interpreter.

Without --arena it is run once on this machine, and the arena gets what that took: an upper bound for a processor with
pointers of four bytes.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import application
import build_archive
import refusal
import source_tree
import tflite_model
from compiler import Compiler


LARGEST = 256 << 20


def attempt(program, arena_bytes, may_fail=False):
    """How many bytes an inference used of an arena of this size, rounded up; None where it fails."""
    done = subprocess.run([str(program), str(arena_bytes)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 0:
        return (int(done.stdout) + 15) // 16 * 16
    if may_fail:
        return None
    said = " ".join(done.stderr.split()) or f"it ended with status {done.returncode}"
    raise refusal.Refusal(f"the interpreter cannot run this model: {said[:400]}")


def measured_arena(tree, library, app):
    compiler = Compiler("gcc", [])
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "measure"
        source = pathlib.Path(f"{app.prefix}_measure.cc")
        interpreter = pathlib.Path(f"{app.prefix}_interpreter.cc")
        try:
            source.write_text(application.measurement(app.prefix))
            interpreter.write_text(app.interpreter(0))
            pathlib.Path(f"{app.prefix}_interpreter.h").write_text(app.header())
            build_archive.compile_interpreter(tree, compiler, str(source), program.with_suffix(".o"))
        finally:
            source.unlink(missing_ok=True)
        subprocess.run([compiler.gxx, str(program.with_suffix(".o")), str(library), "-o", str(program)], check=True)
        used = attempt(program, LARGEST)
        low, high = -1, 0  # in steps of 16 above what was used: allocating may need more than what is kept
        while attempt(program, used + 16 * high, may_fail=True) is None:
            low, high = high, 2 * high + 1
        while high - low > 1:
            middle = (low + high) // 2
            fails = attempt(program, used + 16 * middle, may_fail=True) is None
            low, high = (middle, high) if fails else (low, middle)
        return used + 16 * high


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("name")
    parser.add_argument("--source", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--arena")
    parser.add_argument("--setup", choices=application.SETUPS, default="inference")
    arguments = parser.parse_args()
    arena = arguments.arena
    if arena is not None and not (arena.isdigit() and 0 < int(arena) < 1 << 31):
        raise refusal.Refusal(f"option arena: '{arena}' is no number of bytes")
    tree = source_tree.SourceTree(arguments.source)
    model = tflite_model.Model(pathlib.Path(arguments.model).read_bytes())
    app = application.Application(arguments.name, model, tree.registered(model.operators), arguments.setup)
    arena_bytes = int(arena) if arena else measured_arena(tree, arguments.library, app)
    for path, text in app.files(arena_bytes).items():
        pathlib.Path(path).write_text(text)
    how = "as given" if arena else "as it took on this machine, where pointers have eight bytes"
    notes = [f"the interpreter's arena has {arena_bytes} bytes, {how}",
             f"an interpreter is one opaque call: its {len(model.steps)} operators are one step, whatever --tasks says"]
    pathlib.Path("manifest.json").write_text(json.dumps({"notes": notes}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    refusal.run(main)
