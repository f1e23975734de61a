"""Makes a kernel's temporaries small, without changing any value or the order of any sum.

TVM's own kernels compute stage by stage, each into a temporary as large as its result: a fused convolution has its padded
input, its sums, its sums with bias, … The three steps here leave of these only the padded input (and in it what must be
looked up more than once):

1. stages that only copy, or that are element-wise and used once by another element-wise stage, are inlined;
2. an element-wise stage that ends the kernel moves into the loops of the sum before it, whose result shrinks to one number;
3. sums start before their loop, and not in an `if` within it.

What a step cannot do to a kernel it leaves as it was.
"""

import tvm
from tvm import s_tir

_SUMMED = 2  # tirx.IterVar.CommReduce


def compact(function):
    """The function, scheduled. Kernels that TVM's scheduler cannot take are returned as they are."""
    try:
        schedule = s_tir.Schedule(tvm.IRModule({"main": function}))
        root = schedule.get_sblock("root")
    except Exception:  # a kernel without blocks
        return function
    _inline_stages(schedule, root)
    _end_in_the_sum(schedule, root)
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
