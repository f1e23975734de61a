"""Where the values of a tensor are in the accelerator's data memory."""

DATA = 0x50400000
QUADRANT = 0x400000
INSTANCE = 0x8000
PROCESSORS_MAX = 64


def passes(channels):
    """How many passes, and how many channels each takes."""
    expand = -(-channels // PROCESSORS_MAX)
    each = -(-channels // expand)
    if channels > PROCESSORS_MAX:
        each = min((each + 3) // 4 * 4, PROCESSORS_MAX)
    return expand, each


def processors_of(mask):
    return [p for p in range(PROCESSORS_MAX) if mask >> p & 1]


def instance_address(processor):
    return DATA + processor // 16 * QUADRANT + processor % 16 // 4 * INSTANCE


def places(channels, mask, offset, pixel, bits=8, gap=0):
    """(address of the word, byte in it) of each channel of a pixel; byte is None where a channel fills a word."""
    expand, each = passes(channels)
    chosen = processors_of(mask)[:each]
    if len(chosen) < each:
        raise ValueError(f"{channels} channels do not fit the {len(chosen)} processors of 0x{mask:x}")
    words = bits // 8
    found = []
    for channel in range(channels):
        in_pass, processor = channel // each, chosen[channel % each]
        word = (pixel * expand + in_pass) * words * (gap + 1)
        base = instance_address(processor) + offset
        found.append((base + 4 * word, processor % 4) if bits == 8 else (base + 4 * (word + processor % 4), None))
    return found


def image(tensor, mask, offset, bits=8, gap=0):
    """{address: (value, mask)} of a tensor (channels, pixels, value by channel and pixel)."""
    channels, pixels, at = tensor
    words = {}
    for pixel in range(pixels):
        for channel, (address, byte) in enumerate(places(channels, mask, offset, pixel, bits, gap)):
            value, lanes = words.get(address, (0, 0))
            number = at(channel, pixel)
            if byte is None:
                words[address] = (number & 0xffffffff, 0xffffffff)
            else:
                words[address] = (value | (number & 0xff) << 8 * byte, lanes | 0xff << 8 * byte)
    return words
