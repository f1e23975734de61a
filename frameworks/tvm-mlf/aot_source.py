"""The C that TVM's ahead-of-time executor wrote: its entry tvmgen_NAME___tvm_main__, statement by statement, and its kernels.

The entry is a straight list: blocks of workspace are taken and given back, kernels are called, a status is looked at. Read
are exactly these forms; anything else is refused with file and line, so that nothing is dropped in silence.
"""

import re

from refusal import Refusal

ALIGNMENT = 16

_ALLOCATE = re.compile(r"TVMBackendAllocWorkspace\(\s*\w+\s*,\s*\w+\s*,\s*\(uint64_t\)\s*(\d+)\s*,\s*\w+\s*,\s*\w+\s*\)")
_CHECK = re.compile(r"if \( ?(\w+) == NULL ?\) \{? ?return \(?-1\)?; ?\}?")
_FREE = re.compile(r"if \( ?TVMBackendFreeWorkspace\( ?\w+ ?, ?\w+ ?, ?(\w+) ?\) != 0 ?\) \{? ?return \(?-1\)?; ?\}?")
_BLOCK = re.compile(r"void ?\* ?(\w+) = " + _ALLOCATE.pattern + ";")
_ADDRESS = re.compile(r"\w+ ?\* ?(\w+) = (?:\(\w+ ?\*\) ?)?\(? ?&\(? ?(\w+) ?\[ ?(\d+) ?\] ?\)? ?\)?;")
_CALL = re.compile(r"(?:if \( ?(?P<checked>\w+) ?\((?P<of_checked>[^;]*)\) != 0 ?\) \{? ?return \(?-1\)?; ?\}?"
                   r"|(?:\(void\) ?)?(?P<plain>\w+) ?\((?P<of_plain>[^;]*)\);)")


class Function:
    """A definition: parameters [(type, name)], the body without its braces, line of the brace, [start, end) of all."""

    def __init__(self, name, path, text, match):
        self.name, self.path, self.start = name, path, match.start()
        self.line = text.count("\n", 0, match.end()) + 1
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if depth:
            raise Refusal(f"{path}:{self.line}: '{name}' has no end")
        self.body, self.body_start, self.end = text[match.end():end - 1], match.end(), end
        self.prototype = " ".join(match.group(0).split()).removesuffix("{").strip()
        self.parameters = []
        for parameter in match.group(2).split(","):
            words = re.match(r"\s*(?:const )?(.*?)(\w+)\s*(?:\[\w*\])?\s*$", parameter, re.DOTALL)
            if words and words.group(1).strip():
                self.parameters.append((" ".join(words.group(1).split()), words.group(2)))


def without_comments(text):
    """The text with comments blanked, every other character in its place."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*',
                  lambda match: match.group(0) if match.group(0).startswith('"') else blank(match), text, flags=re.DOTALL)


def functions_of(path, text):
    """Name → Function of all that the file defines."""
    pattern = re.compile(r"^(?:static )?(?:inline )?(?:TVM_DLL )?(?:int32_t|int|void) (\w+)\(([^;{}]*)\)\s*\{", re.MULTILINE)
    found = (Function(match.group(1), path, text, match) for match in pattern.finditer(without_comments(text)))
    return {function.name: function for function in found}


class Scratch:
    """Blocks of one function's workspace: taken and given back in the order of the text."""

    def __init__(self, first=0):
        self.offsets, self._alive, self._first, self.bytes = {}, {}, first, first

    def take(self, name, count):
        offset = self._first
        for begin, end in sorted(self._alive.values()):
            if begin < offset + count and offset < end:
                offset = end
        self._alive[name] = (offset, -(-(offset + count) // ALIGNMENT) * ALIGNMENT)
        self.bytes = max(self.bytes, self._alive[name][1])
        self.offsets[name] = offset
        return offset

    def give_back(self, name):
        self._alive.pop(name, None)


def statements(function):
    """(line, kind, fields) of the entry's statements, in order.

    kind "take": name, bytes; "give back": name; "address": name, of, offset; "call": name, arguments, whether checked.
    """
    position, body = 0, function.body
    while True:
        position += len(body[position:]) - len(body[position:].lstrip())
        if position >= len(body):
            return
        line = function.line + body.count("\n", 0, position)
        raw, text = _next_statement(body, position)
        position += len(raw)
        if text == "return 0;":
            if body[position:].strip():
                raise Refusal(f"{function.path}:{line}: code after the entry's end is not understood")
            return
        if match := _BLOCK.fullmatch(text):
            yield line, "take", (match.group(1), int(match.group(2)))
        elif match := _FREE.fullmatch(text):
            yield line, "give back", (match.group(1),)
        elif _CHECK.fullmatch(text):
            continue  # of a block: ours is always there
        elif match := _ADDRESS.fullmatch(text):
            yield line, "address", (match.group(1), match.group(2), int(match.group(3)))
        elif match := _CALL.fullmatch(text):
            checked = match.group("checked") is not None
            name = match.group("checked") or match.group("plain")
            arguments = _split_arguments(match.group("of_checked") if checked else match.group("of_plain"))
            yield line, "call", (name, arguments, checked)
        else:
            raise Refusal(f"{function.path}:{line}: this statement of the entry is not understood: {text[:100]}")


def _next_statement(body, start):
    """(as it stands, with single spaces) of one statement: up to its semicolon, or its block's end."""
    depth, position = 0, start
    while position < len(body):
        letter = body[position]
        position += 1
        depth += {"{": 1, "}": -1, "(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and letter in ";}":
            break
    raw = body[start:position]
    return raw, " ".join(raw.split())


def _split_arguments(text):
    """Between commas that are in no parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def with_static_scratch(function, name):
    """(the body with blocks of constant size in the array `name`, bytes of it). Others stay calls of the run time."""
    scratch = Scratch()
    body = function.body
    events = []
    for match in re.finditer(r"void ?\* ?(\w+) = (" + _ALLOCATE.pattern + ")", body):
        events.append((match.start(), "take", match))
    for match in re.finditer(r"if \(\s*TVMBackendFreeWorkspace\(\s*\w+\s*,\s*\w+\s*,\s*(\w+)\s*\) != 0\s*\) \{?\s*return \(?-1\)?;\s*\}?",
                             body):
        events.append((match.start(), "give back", match))
    edits = []
    for _, kind, match in sorted(events, key=lambda event: event[0]):
        if kind == "take":
            offset = scratch.take(match.group(1), int(match.group(3)))
            edits.append((match.start(2), match.end(2), f"({name} + {offset})"))
            check = re.compile(rf"\s*if \(\s*{match.group(1)} == NULL\s*\) \{{?\s*return \(?-1\)?;\s*\}}?").match(body, match.end() + 1)
            if check:
                edits.append((check.start(), check.end(), ""))
        elif match.group(1) in scratch.offsets:
            scratch.give_back(match.group(1))
            edits.append((match.start(), match.end(), ""))
    for start, end, text in sorted(edits, reverse=True):
        body = body[:start] + text + body[end:]
    return body, scratch.bytes


def always_returns_zero(body):
    """Whether every return of a body gives 0."""
    return all(value.strip("() ") == "0" for value in re.findall(r"\breturn\b([^;]*);", without_comments(body)))
