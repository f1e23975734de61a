#!/usr/bin/env python3
"""Runs every committed network over digits_heldout.bin; ends with 1 unless all is as accuracy.json and README.md say."""

import hashlib
import json
import pathlib
import sys

from accuracy import all_correct
from heldout_images import read_heldout

FOLDER = pathlib.Path(__file__).parent


def main():
    stated = json.loads((FOLDER / "accuracy.json").read_text())
    readme = (FOLDER / "README.md").read_text()
    images, labels = read_heldout(FOLDER / "digits_heldout.bin")
    files = {name: (FOLDER / name).read_bytes() for name in stated["networks"]}
    breaches = [] if len(labels) == stated["images"] else [f"{len(labels)} images, {stated['images']} are stated"]
    for name, correct in all_correct(files, images, labels).items():
        print(f"{name}: {correct} of {len(labels)} ({correct / len(labels):.2%})")
        breaches += differences(name, files[name], correct, stated["networks"][name])
        if f"| `{name}` | {len(files[name]):,} | {correct} ({correct / len(labels):.2%}) |" not in readme:
            breaches.append(f"{name}: README.md states other figures")
    print(*breaches, sep="\n", end="\n" if breaches else "")
    return 1 if breaches else 0


def differences(name, data, correct, stated):
    """What accuracy.json states otherwise about one network, as text."""
    if correct != stated["correct"]:
        yield f"{name}: accuracy.json states {stated['correct']}"
    if hashlib.sha256(data).hexdigest() != stated["sha256"]:
        yield f"{name}: not the bytes that accuracy.json states"


if __name__ == "__main__":
    sys.exit(main())
