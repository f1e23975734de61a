"""The digits of scikit-learn, split once and for all, and the held-out ones as a file (layout: README.md)."""

import struct

import numpy

IMAGE_EXTENT = 8
CLASSES = 10
HELDOUT_COUNT = 360
SPLIT_SEED = 2024
PIXEL_MAX = 16.0  # the data set counts dark pixels of a 4x4 block
MAGIC = b"MMDS"
VERSION = 1
HEADER = struct.Struct("<4s6I")  # magic, version, count, height, width, channels, classes


def load_split():
    """((train images, train labels), (held-out images, held-out labels)).

    Images are float32 [count, 8, 8, 1] in 0..1, labels uint8 [count]. Stratified by label; always the same split.
    """
    from sklearn.datasets import load_digits  # here: check.py needs no scikit-learn
    from sklearn.model_selection import train_test_split

    digits = load_digits()
    images = (digits.images[..., numpy.newaxis] / PIXEL_MAX).astype(numpy.float32)
    labels = digits.target.astype(numpy.uint8)
    train_images, heldout_images, train_labels, heldout_labels = train_test_split(
        images, labels, test_size=HELDOUT_COUNT, stratify=labels, random_state=SPLIT_SEED)
    return (train_images, train_labels), (heldout_images, heldout_labels)


def write_heldout(path, images, labels):
    """Writes int8 images [count, 8, 8, 1], already quantised to the network's input, and uint8 labels [count]."""
    assert images.dtype == numpy.int8 and images.shape[1:] == (IMAGE_EXTENT, IMAGE_EXTENT, 1)
    assert labels.dtype == numpy.uint8 and labels.shape == images.shape[:1] and labels.max() < CLASSES
    header = HEADER.pack(MAGIC, VERSION, *images.shape, CLASSES)
    path.write_bytes(header + images.tobytes() + labels.tobytes())


def read_heldout(path):
    """(int8 images [count, height, width, channels], uint8 labels [count]); ValueError for any other file."""
    data = path.read_bytes()
    magic, version, count, height, width, channels, classes = HEADER.unpack_from(data)
    image_bytes = count * height * width * channels
    if magic != MAGIC or version != VERSION or len(data) != HEADER.size + image_bytes + count:
        raise ValueError(f"{path.name} is not a version {VERSION} data set")
    images = numpy.frombuffer(data, numpy.int8, image_bytes, HEADER.size)
    labels = numpy.frombuffer(data, numpy.uint8, count, HEADER.size + image_bytes)
    if labels.max() >= classes:
        raise ValueError(f"{path.name} has a label beyond its {classes} classes")
    return images.reshape(count, height, width, channels), labels
