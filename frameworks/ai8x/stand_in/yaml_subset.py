"""As much YAML as a network description needs: `key: value` at the left, and a list `layers` of maps, a key a line.

Values are words, numbers (0x… with dots, too), booleans and [lists]. What is not understood is an error with its line.
"""

import re


class YamlError(Exception):
    """Not the YAML that this reads."""


def scalar(text):
    text = text.strip().strip("\"'")
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"0x[0-9a-fA-F._]+", text):
        return int(re.sub(r"[._]", "", text), 16)
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return text


def value(text):
    text = text.strip()
    if text.startswith("["):
        if not text.endswith("]"):
            raise YamlError("a list that goes on in the next line")
        return [scalar(item) for item in text[1:-1].split(",") if item.strip()]
    return scalar(text)


def read(text):
    document, layers, is_in_layers = {}, [], False
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"(^|\s)#.*$", "", line).rstrip()
        if not line or line == "---":
            continue
        match = re.fullmatch(r"(\s*)(- +)?(\w+):(.*)", line)
        if not match:
            raise YamlError(f"line {number}: '{line.strip()}' is no 'key: value'")
        indent, dash, key, rest = match.groups()
        try:
            if not indent and not dash:
                is_in_layers = key == "layers"
                document[key] = layers if is_in_layers else value(rest)
            elif is_in_layers and dash:
                layers.append({key: value(rest)})
            elif is_in_layers and layers:
                layers[-1][key] = value(rest)
            else:
                raise YamlError("an indented key outside of layers")
        except YamlError as error:
            raise YamlError(f"line {number}: {error}") from None
    if not layers:
        raise YamlError("there are no layers")
    return document
