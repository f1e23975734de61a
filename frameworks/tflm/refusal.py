"""How the programs of this folder refuse, so that metamorph understands them (docs/frameworks.md)."""

import sys


class Refusal(Exception):
    """What is wrong with the model or the source tree, and what to do about it."""


def run(main):
    try:
        sys.exit(main())
    except Refusal as refusal:
        print(f"metamorph: {refusal}", file=sys.stderr)
        sys.exit(3)
