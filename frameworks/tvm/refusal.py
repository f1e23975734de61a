"""How the programs of this folder refuse, so that metamorph understands them (docs/frameworks.md)."""

import sys


class Refusal(Exception):
    """Something that cannot be served. `hint` says what to do about it; `model`: whether the model is at fault."""

    def __init__(self, message, hint="", model=True):
        super().__init__(message)
        self.hint, self.model = hint, model


def run(main):
    """Runs main(). Where it refuses, its last line on standard error is "metamorph: " and what is wrong with the model, and the
    exit status 3; or "error: " and 2, where it is not the model."""
    try:
        sys.exit(main())
    except Refusal as refusal:
        text = f"{refusal}; {refusal.hint}" if refusal.hint else str(refusal)
        print(f"metamorph: {text}" if refusal.model else f"error: {text}", file=sys.stderr)
        sys.exit(3 if refusal.model else 2)
