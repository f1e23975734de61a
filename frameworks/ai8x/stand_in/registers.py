"""The words that a part's program writes into the accelerator before it starts: (address, value, what) a layer and quadrant.

The numbers are those of the register map, as far as this stand-in's layers use it; no hardware has seen them.
"""

from data_memory import QUADRANT, passes, processors_of
from layers import operation, pair

CONTROL = 0x50100000
LAYER = 0x50100010
BIAS = 0x50108000
KERNEL = 0x50180000
KERNEL_BYTES = 9

RCNT, CCNT, PRCNT, PCCNT, STRIDE, WPTR, CHOFFS, RPTR, LCTL, MCNT, ENA, LCTL2, POST = 0, 1, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15


def quadrants(masks):
    return sorted({p // 16 for mask in masks for p in processors_of(mask)})


def layer_registers(index, layer, tensor, result, kernels, bias):
    """(register, value, name) of one layer, the same in all its quadrants; `kernels`: (first, count) a processor."""
    pool = pair(layer.get("max_pool", layer.get("avg_pool", 1)))
    step = pair(layer.get("pool_stride", layer.get("max_pool", layer.get("avg_pool", 1))))
    pad = pair(layer.get("pad", 1)) if operation(layer) == "conv2d" else (0, 0)
    expand, _ = passes(tensor.channels)
    wide = layer.get("output_width", 8) == 32
    yield RCNT, pad[0] << 16 | tensor.rows - 1 + 2 * pad[0], "rows"
    yield CCNT, pad[1] << 16 | tensor.columns - 1 + 2 * pad[1], "columns"
    if pool != (1, 1):
        yield PRCNT, pool[0] - 1, "pooling rows"
        yield PCCNT, pool[1] - 1, "pooling columns"
        yield STRIDE, step[0] - 1, "stride"
    yield WPTR, layer.get("out_offset", 0) // 4, "SRAM write pointer"
    yield RPTR, layer["in_offset"] // 4, "SRAM read pointer"
    yield LCTL, ((str(layer.get("activate", "")).lower() == "relu") << 9 | ("max_pool" in layer) << 8 |
                 (pool != (1, 1)) << 7 | wide << 16 | 0x20), "layer control"
    yield LCTL2, expand - 1 | result.channels - 1 << 8, "layer control 2"
    if kernels[1]:
        yield MCNT, kernels[0] * 8 << 16 | (kernels[0] + kernels[1]) * 8 - 8, "mask offset and count"
    shift = layer.get("output_shift", -4) if operation(layer) != "none" else 0
    yield POST, ((operation(layer) == "none") << 24 | bool(layer.get("flatten")) << 27 | (shift & 0x1f) << 13 |
                 (0x1000 | bias if bias is not None else 0)), "post processing"


def writes(index, layer, *rest):
    used = quadrants([layer["processors"]])
    for quadrant in used:
        for register, value, name in layer_registers(index, layer, *rest):
            yield LAYER + quadrant * QUADRANT + register * 0x80 + index * 4, value, name
        yield (LAYER + quadrant * QUADRANT + ENA * 0x80 + index * 4, layer["processors"] >> 16 * quadrant & 0xffff,
               "mask and processor enables")


def kernel_words(data):
    """Bytes as the words of a stream, the first byte on top."""
    data = data + [0] * (-len(data) % 4)
    return [(data[i] & 0xff) << 24 | (data[i + 1] & 0xff) << 16 | (data[i + 2] & 0xff) << 8 | data[i + 3] & 0xff
            for i in range(0, len(data), 4)]


def kernel_stream(layer, tensor, weights, outputs):
    """{processor: bytes} of a layer's weights: for each processor the kernels of its channels, nine bytes each."""
    streams = {}
    expand, each = passes(tensor.channels)
    chosen = processors_of(layer["processors"])
    flat = bool(layer.get("flatten"))
    pixels = tensor.pixels if flat else 1
    taps = len(weights) // (outputs * tensor.channels * pixels)
    for channel in range(tensor.channels):
        data = []
        for output in range(outputs):
            for pixel in range(pixels):
                first = (output * tensor.channels * pixels + channel * pixels + pixel) * taps
                data += list(reversed(weights[first:first + taps]))
        data += [0] * (-len(data) % KERNEL_BYTES)
        streams.setdefault(chosen[channel % each], []).extend(data)
    return streams
