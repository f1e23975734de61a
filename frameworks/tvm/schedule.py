"""Makes a kernel's temporaries small, without changing any value or the order of any sum.

TVM's own kernels compute stage by stage, each into a temporary as large as its result: a fused convolution has its padded
input, its sums, its sums with bias, … The steps here leave of these only a stretch of the padded input (and in it what
must be looked up more than once):

1. stages that only copy, or that are element-wise and used once by another element-wise stage, are inlined;
2. an element-wise stage that ends the kernel moves into the loops of the sum before it, whose result shrinks to one number;
3. what is left before a sum (its padded input) moves into the sum's outermost loop, which is chosen so that little is held
   at once, rows or a channel, and hardly more is computed than before. So a network needs less memory than its largest
   layer twice: what the planner cannot hold in SRAM it would have to write to NVM;
4. sums start before their loop, and not in an `if` within it.

What a step cannot do to a kernel it leaves as it was.
"""

import tvm
from tvm import s_tir

_SUMMED = 2  # tirx.IterVar.CommReduce
_SHARE = 16  # at most a 16th of a sum's own operations is spent on computing parts of its input again


def compact(function):
    """The function, scheduled. Kernels that TVM's scheduler cannot take are returned as they are."""
    try:
        schedule = s_tir.Schedule(tvm.IRModule({"main": function}))
        root = schedule.get_sblock("root")
    except Exception:  # a kernel without blocks
        return function
    _inline_stages(schedule, root)
    _end_in_the_sum(schedule, root)
    _begin_in_the_sum(schedule, root)
    for block in schedule.get_child_blocks(root):
        if _is_reduction(schedule, block):
            first = next((loop for loop, summed in _loops(schedule, block) if summed), None)
            if first is not None:
                _attempt(lambda block=block, first=first: schedule.decompose_reduction(block, first))
    return schedule.mod["main"]


def _attempt(step):
    """A step that is not possible leaves the schedule as it was."""
    try:
        step()
    except (s_tir.ScheduleError, RuntimeError):
        pass


def _is_reduction(schedule, block):
    return any(variable.iter_type == _SUMMED for variable in schedule.get(block).iter_vars)


def _is_copy(schedule, block):
    """Whether the block stores elements of another buffer as they are."""
    body = schedule.get(block).body
    return type(body).__name__ == "BufferStore" and type(body.value).__name__ in ("TensorLoad", "BufferLoad")


def _loops(schedule, block):
    """(loop, whether it belongs to the sum), outermost first: TVM names a block's variable after its loop."""
    summed = {variable.var.name for variable in schedule.get(block).iter_vars if variable.iter_type == _SUMMED}
    return [(loop, "v_" + schedule.get(loop).loop_var.name in summed) for loop in schedule.get_loops(block)]


def _inline_stages(schedule, root):
    for block in schedule.get_child_blocks(root):
        if _is_reduction(schedule, block):
            continue
        consumers = schedule.get_consumers(block)
        if not consumers:
            continue
        once = len(consumers) == 1 and not _is_reduction(schedule, consumers[0])
        if once or _is_copy(schedule, block):
            _attempt(lambda block=block: schedule.compute_inline(block))


def _end_in_the_sum(schedule, root):
    for block in schedule.get_child_blocks(root):
        if not _is_reduction(schedule, block):
            continue
        consumers = schedule.get_consumers(block)
        if len(consumers) != 1 or _is_reduction(schedule, consumers[0]) or schedule.get_consumers(consumers[0]):
            continue
        loops = _loops(schedule, block)
        outer = [loop for loop, summed in loops if not summed]
        if outer and all(summed for _, summed in loops[len(outer):]) and len(outer) < len(loops):
            _attempt(lambda end=consumers[0], loop=outer[-1]: schedule.reverse_compute_at(end, loop))


def _begin_in_the_sum(schedule, root):
    for block in schedule.get_child_blocks(root):
        consumers = schedule.get_consumers(block)
        if _is_reduction(schedule, block) or len(consumers) != 1 or not _is_reduction(schedule, consumers[0]):
            continue
        outer = [loop for loop, summed in _loops(schedule, consumers[0]) if not summed]
        before = _rounds(schedule, schedule.get_loops(block))
        most = max(before, _rounds(schedule, schedule.get_loops(consumers[0])) // _SHARE)
        best, held = None, before
        for loop in outer:
            trial = schedule.copy()
            try:
                _begin_in(trial, block, loop, outer)
            except (s_tir.ScheduleError, RuntimeError):
                continue
            loops = trial.get_loops(block)
            own = _rounds(trial, loops[1:])
            if own < held and _rounds(trial, loops) <= most:
                best, held = loop, own
        if best is not None:
            _begin_in(schedule, block, best, outer)


def _begin_in(schedule, block, loop, outer):
    """Computes what the sum needs of the block in each round of this loop, which becomes the outermost one."""
    if not loop.same_as(outer[0]):
        schedule.reorder(loop, *[each for each in outer if not each.same_as(loop)])
    schedule.compute_at(block, loop)


def _rounds(schedule, loops):
    rounds = 1
    for loop in loops:
        rounds *= int(schedule.get(loop).extent)
    return rounds
