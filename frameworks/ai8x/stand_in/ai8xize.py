#!/usr/bin/env python3
"""A stand-in for the MAX78000's generator (ai8xize.py of ai8x-synthesis), written from notes on what that one emits.

It takes the same flags (those that matter where a network is split), and gives C of the same grammar: the same functions,
statements, macros and files. So code around the generator can be tried without it, its packages and its checkpoints. Its
checkpoint is JSON: {"layers": [{"out_channels": 16, "seed": 1, "bias": true}, …]}, an entry for each layer with weights;
weights follow from the seed. Small networks of conv2d, MLP and pooling layers; anything else is refused.
"""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # this folder stays as it is

import c_files  # noqa: E402
import data_memory  # noqa: E402
import npy_file  # noqa: E402
import registers  # noqa: E402
import yaml_subset  # noqa: E402
from layers import NetworkError, Numbers, Tensor, flatten, operation, pair, pool, run  # noqa: E402

SAMPLE_SEED = 78000


class Part:
    """What the C is written from (c_files.py)."""


def arguments():
    parser = argparse.ArgumentParser(description="a stand-in for ai8xize.py", allow_abbrev=False)
    for name in ("test-dir", "prefix", "checkpoint-file", "config-file", "device"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--sample-input")
    parser.add_argument("--sample-numpy-filename")
    parser.add_argument("--input-offset", type=lambda text: int(text, 0), default=0)
    parser.add_argument("--skip-yaml-layers", type=int, default=0)
    parser.add_argument("--skip-checkpoint-layers", type=int, default=0)
    parser.add_argument("--stop-after", type=int)
    parser.add_argument("--output-width", type=int, choices=(8, 32))
    parser.add_argument("--timer", type=int)
    for flag in ("overwrite", "softmax", "no-version-check", "overlap-data"):
        parser.add_argument(f"--{flag}", action="store_true")
    return parser.parse_args()


def sample(options, layer):
    if options.sample_input:
        shape, values = npy_file.read(options.sample_input)
        if len(shape) != 3 or any(not -128 <= value <= 127 for value in values):
            raise NetworkError("the sample needs three dimensions, channels first, and numbers from -128 to 127")
        return Tensor(shape, values)
    if "in_channels" not in layer or "in_dim" not in layer:
        raise NetworkError("without --sample-input, the first layer must say its in_channels and in_dim")
    shape = (layer["in_channels"], *pair(layer["in_dim"]))
    numbers = Numbers(SAMPLE_SEED)
    return Tensor(shape, [numbers.next(-128, 127) for _ in range(shape[0] * shape[1] * shape[2])])


def input_buffers(layer, tensor):
    """(first processor, address, words) of what load_input copies."""
    offset, mask = layer["in_offset"], layer["processors"]
    if str(layer.get("data_format", "HWC")).upper() == "CHW":
        buffers = []
        for channel, processor in zip(range(tensor.channels), data_memory.processors_of(mask)):
            values = [tensor.at(channel, pixel) & 0xff for pixel in range(tensor.pixels)]
            values += [0] * (-len(values) % 4)
            words = [sum(values[i + k] << 8 * k for k in range(4)) for i in range(0, len(values), 4)]
            buffers.append((processor, data_memory.instance_address(processor) + offset, words))
        return buffers
    words = data_memory.image((tensor.channels, tensor.pixels, tensor.at), mask, offset)
    expand, _ = data_memory.passes(tensor.channels)
    instances = {}
    for processor in data_memory.processors_of(mask):
        instances.setdefault(data_memory.instance_address(processor) + offset, processor)
    return [(processor, base, [words.get(base + 4 * i, (0, 0))[0] for i in range(tensor.pixels * expand)])
            for base, processor in sorted(instances.items())]


def known_answer(words):
    """Runs of (address, mask, length, values …), sorted by mask, then address, with a 0 at the end."""
    listed, run_at = [], None
    for mask, address, value in sorted((mask, address, value) for address, (value, mask) in words.items()):
        if run_at is None or (mask, address) != (listed[run_at + 1], listed[run_at] + 4 * listed[run_at + 2]):
            run_at = len(listed)
            listed += [address, mask, 0]
        listed[run_at + 2] += 1
        listed.append(value)
    return listed + [0]


def output_mask(layers, index):
    layer = layers[index]
    if "output_processors" in layer:
        return layer["output_processors"]
    if index + 1 < len(layers):
        return layers[index + 1]["processors"]
    first = data_memory.processors_of(layer["processors"])[0] // 4 * 4
    return ((1 << data_memory.PROCESSORS_MAX) - 1) >> first << first


def make_part(options, layers, checkpoint):
    first, last = options.skip_yaml_layers, len(layers) - 1 if options.stop_after is None else options.stop_after
    if not first <= last < len(layers):
        raise NetworkError(f"layers {first} to {last} are not among the {len(layers)} layers of the network")
    part = Part()
    part.name, part.timer, part.layers = options.prefix, options.timer, last - first + 1
    tensor = sample(options, layers[first])
    offset, entries = options.input_offset, iter(checkpoint[options.skip_checkpoint_layers:])
    part.layer_writes, part.biases = [], {}
    streams, kernel_at = {}, 0
    for index in range(first, last + 1):
        layer = layers[index]
        layer["in_offset"] = layer.get("in_offset", offset)
        if index == last and options.output_width:
            layer["output_width"] = options.output_width
        if index == first:
            part.inputs = input_buffers(layer, tensor)
        entry = next(entries, None) if operation(layer) != "none" else None
        if operation(layer) != "none" and entry is None:
            raise NetworkError(f"the checkpoint has no weights for layer {index}")
        result, weights, biases = run(layer, tensor, entry)
        bias_at = None
        if biases:
            quadrant = registers.quadrants([layer["processors"]])[0]
            bias_at = len(part.biases.setdefault(quadrant, []))
            part.biases[quadrant] += [bias & 0xff for bias in biases]
        count = 0
        if weights:
            made = registers.kernel_stream(layer, pool(layer, tensor), weights, result.channels)
            for processor, data in made.items():
                streams.setdefault(processor, []).append((kernel_at, data))
            count = max(len(data) for data in made.values()) // registers.KERNEL_BYTES
        pooled = flatten(layer, pool(layer, tensor))
        part.layer_writes.append(list(registers.writes(index - first, layer, tensor if not layer.get("flatten") else pooled,
                                                       result, (kernel_at, count), bias_at)))
        kernel_at += count
        tensor, offset = result, layer.get("out_offset", 0)
    part.kernels = []
    for processor, pieces in sorted(streams.items()):
        base = registers.KERNEL + processor // 16 * data_memory.QUADRANT + processor % 16 * 0x4000
        for at, data in pieces:
            words = registers.kernel_words(data)
            part.kernels += [base | at * 16 >> 2, len(words), *words]
    part.kernels.append(0)
    mask = output_mask(layers, last)
    bits, gap = layers[last].get("output_width", 8), layers[last].get("write_gap", 0)
    words = data_memory.image((tensor.channels, tensor.pixels, tensor.at), mask, offset, bits, gap)
    part.answer = known_answer(words)
    part.is_wide, part.has_softmax = bits == 32, options.softmax
    part.outputs = tensor.channels * tensor.pixels
    places = [data_memory.places(tensor.channels, mask, offset, pixel, bits, gap) for pixel in range(tensor.pixels)]
    part.unloads = [places[pixel][channel] for channel in range(tensor.channels) for pixel in range(tensor.pixels)]
    part.quadrants = registers.quadrants([layer["processors"] for layer in layers[first:last + 1]])
    part.result = tensor
    return part


def write_project(options, part):
    folder = pathlib.Path(options.test_dir) / options.prefix
    if folder.exists() and not options.overwrite:
        raise NetworkError(f"{folder} is there already: give --overwrite")
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "cnn.h": c_files.cnn_header(part),
        "cnn.c": c_files.cnn_source(part),
        "main.c": c_files.main_source(part),
        "weights.h": "".join([c_files.define("KERNELS", part.kernels)] + [
            c_files.define(f"BIAS_{q}", values, "0x%02x", 16) for q, values in sorted(part.biases.items())]),
        "sampledata.h": "".join(c_files.define(f"SAMPLE_INPUT_{p}", words) for p, _, words in part.inputs),
        "sampleoutput.h": c_files.define("SAMPLE_OUTPUT", part.answer),
        "softmax.c": c_files.SOFTMAX,
        "log.txt": f"{part.name}: {part.layers} layers, output {part.result.shape}\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    if options.sample_numpy_filename:
        npy_file.write(folder / (options.sample_numpy_filename + ".npy"), part.result.shape, part.result.values)


def main():
    options = arguments()
    try:
        document = yaml_subset.read(pathlib.Path(options.config_file).read_text())
        checkpoint = json.loads(pathlib.Path(options.checkpoint_file).read_text())["layers"]
        if options.softmax and options.output_width != 32 and document["layers"][-1].get("output_width", 8) != 32:
            raise NetworkError("--softmax takes an output of 32 bits")
        write_project(options, make_part(options, document["layers"], checkpoint))
    except (NetworkError, npy_file.NpyError, yaml_subset.YamlError, OSError, ValueError, KeyError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
