"""The one way in which the programs of this folder refuse: a message that says what, where, and what to do."""

import sys


class Refusal(Exception):
    """The user's model or options cannot be served. `hint` says what to do about it."""

    def __init__(self, message, hint=""):
        super().__init__(message)
        self.hint = hint


def run(main):
    """Runs main(); ends the program with 2, and the message on standard error, where it refuses."""
    try:
        sys.exit(main())
    except Refusal as refusal:
        print(f"error: {refusal}", file=sys.stderr)
        if refusal.hint:
            print(f"hint: {refusal.hint}", file=sys.stderr)
        sys.exit(2)
