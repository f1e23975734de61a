"""Where each tensor and each temporary lives: in one workspace, whose bytes are used again as soon as they are free.

A tensor lives from the call that writes it to the last one that reads it; a temporary during its call. Placed are the
large ones first, each at the lowest aligned offset that is free for as long as it lives. A call's results never share bytes
with what it reads, so that a call can be run again after a power failure.

A copy between tensors (a Reshape) is no call at all, where its result can be its operand's bytes.
"""

import dataclasses

ALIGNMENT = 16


@dataclasses.dataclass
class Step:
    """A call with its kernel; kernel None: memcpy from its first to its second operand."""
    kernel: object
    reads: list
    writes: list
    temporaries: list  # _Temporary, one for each of the kernel's


@dataclasses.dataclass
class Plan:
    steps: list
    offsets: dict    # id of a tensor or a temporary → offset in the workspace
    storage: dict    # id of a tensor → the Tensor whose bytes it has
    bytes: int       # of the workspace
    alive_bytes: int  # most that is alive at once: a bound that no plan can beat

    def place(self, tensor):
        """The Tensor whose bytes these are, and its offset in the workspace (None: not there)."""
        owner = self.storage.get(id(tensor), tensor)
        return owner, self.offsets.get(id(owner))


class _Temporary:
    def __init__(self, parameter):
        self.bytes = parameter.bytes


def plan(network, kernels):
    """The Plan of a network.Network with its kernels."""
    storage = {}

    def owner(tensor):
        return storage.get(id(tensor), tensor)

    steps = []
    for call in network.calls:
        kernel = kernels[call.kernel] if call.kernel is not None else None
        if kernel is None or kernel.is_copy:
            source, target = owner(call.reads[0]), call.writes[0]
            if target.of == "between":
                storage[id(target)] = source
                continue
            if source.of == "between":  # and the target is an output: its producer can write there at once
                for key in [key for key, value in storage.items() if value is source]:
                    storage[key] = target
                storage[id(source)] = target
                continue
            kernel = None
        steps.append(Step(kernel, call.reads, call.writes,
                          [_Temporary(each) for each in kernel.temporaries] if kernel else []))
    lives = _lives(steps, owner)
    offsets, size = _place(lives)
    alive = max((sum(_aligned(thing.bytes) for thing, first, last in lives if first <= i <= last)
                 for i in range(len(steps))), default=0)
    return Plan(steps, offsets, storage, max(size, ALIGNMENT), alive)


def _lives(steps, owner):
    """(tensor or temporary, first step, last step) of all that lives in the workspace."""
    lives = {}
    for i, step in enumerate(steps):
        things = [owner(each) for each in step.reads + step.writes]
        for thing in [each for each in things if each.of == "between"] + step.temporaries:
            first = lives[id(thing)][1] if id(thing) in lives else i
            lives[id(thing)] = (thing, first, i)
    return list(lives.values())


def _place(lives):
    order = sorted(range(len(lives)), key=lambda i: (-lives[i][0].bytes, lives[i][1], i))
    placed, offsets, size = [], {}, 0
    for i in order:
        thing, first, last = lives[i]
        offset = 0
        for begin, end, other_first, other_last in sorted(placed):
            if other_first <= last and first <= other_last and begin < offset + thing.bytes and offset < end:
                offset = end
        end = offset + _aligned(thing.bytes)
        placed.append((offset, end, first, last))
        offsets[id(thing)] = offset
        size = max(size, end)
    return offsets, size


def _aligned(count):
    return -(-count // ALIGNMENT) * ALIGNMENT
