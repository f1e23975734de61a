"""What a layer computes: exactly what the accelerator does with 8-bit weights, in plain Python. Small networks only."""

import math

OPERATIONS = ("conv2d", "mlp", "none")
KEYS = {"name", "processors", "out_offset", "operation", "in_channels", "in_dim", "out_channels", "kernel_size", "pad",
        "max_pool", "avg_pool", "pool_stride", "activate", "flatten", "output_width", "output_shift", "data_format",
        "output_processors", "write_gap", "in_offset"}


class NetworkError(Exception):
    """This stand-in does not take the network."""


class Numbers:
    """Small numbers that follow from a seed (the generator of Numerical Recipes)."""

    def __init__(self, seed):
        self.state = seed & 0xffffffff

    def next(self, low, high):
        self.state = (self.state * 1664525 + 1013904223) & 0xffffffff
        return low + (self.state >> 8) % (high - low + 1)


def pair(value):
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, str):
        rows, columns = value.split("x")
        return int(rows), int(columns)
    return value, value


def operation(layer):
    word = str(layer.get("operation", "conv2d")).lower()
    word = {"linear": "mlp", "fc": "mlp", "passthrough": "none"}.get(word, word)
    if word not in OPERATIONS:
        raise NetworkError(f"operation '{word}': this stand-in has {', '.join(OPERATIONS)}")
    if unknown := sorted(set(layer) - KEYS):
        raise NetworkError(f"'{unknown[0]}': this stand-in does not know this key")
    return word


def saturate(number):
    return max(-128, min(127, number))


class Tensor:
    def __init__(self, shape, values):
        self.channels, self.rows, self.columns = shape
        self.values = values  # channels first

    @property
    def shape(self):
        return self.channels, self.rows, self.columns

    @property
    def pixels(self):
        return self.rows * self.columns

    def at(self, channel, pixel):
        return self.values[channel * self.pixels + pixel]


def pool(layer, tensor):
    kind = "max_pool" if "max_pool" in layer else "avg_pool" if "avg_pool" in layer else None
    if not kind:
        return tensor
    height, width = pair(layer[kind])
    down, right = pair(layer.get("pool_stride", layer[kind]))
    rows, columns = (tensor.rows - height) // down + 1, (tensor.columns - width) // right + 1
    values = []
    for channel in range(tensor.channels):
        for row in range(rows):
            for column in range(columns):
                window = [tensor.at(channel, (row * down + y) * tensor.columns + column * right + x)
                          for y in range(height) for x in range(width)]
                values.append(max(window) if kind == "max_pool" else int(sum(window) / len(window)))
    return Tensor((tensor.channels, rows, columns), values)


def sums(layer, tensor, weights, biases):
    """The accumulators of a convolution or of a linear layer; weights by output, input and place in the window."""
    size, pad = ((1, 1), (0, 0)) if operation(layer) == "mlp" else (
        pair(layer.get("kernel_size", 3)), pair(layer.get("pad", 1)))
    rows, columns = tensor.rows + 2 * pad[0] - size[0] + 1, tensor.columns + 2 * pad[1] - size[1] + 1
    taps = size[0] * size[1]
    values = []
    for output in range(len(weights) // (tensor.channels * taps)):
        start = (biases[output] if biases else 0) << 7
        for row in range(rows):
            for column in range(columns):
                total = start
                for channel in range(tensor.channels):
                    first = (output * tensor.channels + channel) * taps
                    for tap in range(taps):
                        y, x = row + tap // size[1] - pad[0], column + tap % size[1] - pad[1]
                        if 0 <= y < tensor.rows and 0 <= x < tensor.columns:
                            total += weights[first + tap] * tensor.values[
                                channel * tensor.pixels + y * tensor.columns + x]
                values.append(total)
    return Tensor((len(weights) // (tensor.channels * taps), rows, columns), values)


def flatten(layer, tensor):
    return Tensor((tensor.channels * tensor.pixels, 1, 1), tensor.values) if layer.get("flatten") else tensor


def make_weights(layer, entry, tensor):
    """Of an entry of the checkpoint, for what is left of the tensor behind pool and flatten."""
    size = (1, 1) if operation(layer) == "mlp" else pair(layer.get("kernel_size", 3))
    outputs = entry["out_channels"]
    numbers = Numbers(entry["seed"])
    weights = [numbers.next(-40, 40) for _ in range(outputs * tensor.channels * size[0] * size[1])]
    return weights, [numbers.next(-100, 100) for _ in range(outputs)] if entry.get("bias") else []


def run(layer, tensor, entry):
    """(what it gives, its weights, its biases)"""
    taken = flatten(layer, pool(layer, tensor))
    if operation(layer) == "none":
        return taken, [], []
    weights, biases = make_weights(layer, entry, taken)
    result = sums(layer, taken, weights, biases)
    if layer.get("output_width", 8) == 32:
        return result, weights, biases
    factor = 2.0 ** layer.get("output_shift", -4) / 128
    is_relu = str(layer.get("activate", "")).lower() == "relu"
    values = [saturate(math.floor(0.5 + value * factor)) for value in result.values]
    return Tensor(result.shape, [max(value, 0) if is_relu else value for value in values]), weights, biases
