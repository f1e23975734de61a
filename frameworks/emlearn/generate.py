"""generate.py MODEL NAME [--features float|int16] [--layers calls|loop]: calls emlearn, which is a library.

MODEL is what scikit-learn trained, saved with pickle or joblib. NAME.c comes out, with emlearn's headers beside it, and entry.json says
what its entry is:

  trees, classifiers   emlearn's own NAME_predict_proba: a statement a tree, then the mean
  trees, regressors    NAME_value, which stores what NAME_predict returns
  dense networks       NAME_by_layers: a call of emlearn's eml_net_forward a layer, with the numbers of emlearn's own table; with
                       --layers loop emlearn's own NAME_regress, which loops over that table
"""

import argparse
import json
import pathlib
import re
import shutil
import sys

import emlearn
import joblib

TREES = emlearn.trees.SUPPORTED_ESTIMATORS
NETWORKS = ("MLPClassifier", "MLPRegressor")
LAYER = re.compile(r"\{ (\d+), (\d+), (\w+), (\w+), (\w+) \}")


class Refused(Exception):
    pass


def parameter(name, role, **more):
    return {"name": name, "role": role, **more}


def trees(model, name, features):
    bits = {"float": 32, "int16": 16}[features]
    made = emlearn.convert(model, method="inline", dtype={"float": "float", "int16": "int16_t"}[features])
    count = int(model.n_features_in_)
    inputs = [parameter("features", "input", bytes=count * bits // 8)]
    code = made.save(file=f"{name}.c", name=name) or pathlib.Path(f"{name}.c").read_text()
    if hasattr(model, "classes_"):
        classes = len(model.classes_)
        return code, {"entry": f"{name}_predict_proba",
                      "parameters": inputs + [parameter("features_length", "constant", value=count),
                                              parameter("out", "output", bytes=4 * classes),
                                              parameter("out_length", "constant", value=classes)]}
    kind = {"float": "float", "int16": "int16_t"}[features]
    code += f"\nvoid {name}_value(const {kind} *features, float *out)\n{{\n    out[0] = {name}_predict(features, {count});\n}}\n"
    return code, {"entry": f"{name}_value", "parameters": inputs + [parameter("out", "output", bytes=4)]}


def network(model, name, layers):
    made = emlearn.convert(model, method="inline")
    code = made.save(file=f"{name}.c", name=name) or pathlib.Path(f"{name}.c").read_text()
    table = LAYER.findall(code)
    if len(table) < 2 or int(table[0][1]) != model.n_features_in_:
        raise Refused("emlearn's table of layers is not as expected; try --option layers=loop")
    inputs, outputs = int(table[0][1]), int(table[-1][0])
    features = parameter("features", "input", bytes=4 * inputs)
    out = parameter("out", "output", bytes=4 * outputs)
    if layers == "loop":
        return code, {"entry": f"{name}_regress",
                      "parameters": [features, parameter("n_features", "constant", value=inputs), out,
                                     parameter("out_length", "constant", value=outputs)]}
    arrays, calls, source = [], [], "features"
    for number, (count, before, weights, biases, activation) in enumerate(table):
        target = "out" if number + 1 == len(table) else f"layer_{number}"
        if target != "out":
            arrays.append(f"    float {target}[{count}];\n")
        calls.append(f"    eml_net_forward({source}, {before}, {weights}, {biases}, {activation}, {target}, {count});\n")
        source = target
    code += (f"\n/* As {name}_regress, layer by layer. */\nvoid {name}_by_layers(const float *features, float *out)\n{{\n"
             + "".join(arrays + calls) + "}\n")
    return code, {"entry": f"{name}_by_layers", "parameters": [features, out]}


def generate(arguments):
    try:
        model = joblib.load(arguments.model)
    except Exception as error:  # a pickle can fail in any way
        raise Refused(f"this model cannot be read: {type(error).__name__}: {' '.join(str(error).split())}") from error
    kind = type(model).__name__
    if kind in TREES:
        code, said = trees(model, arguments.name, arguments.features)
    elif kind in NETWORKS and arguments.features == "float":
        code, said = network(model, arguments.name, arguments.layers)
    elif kind in NETWORKS:
        raise Refused("emlearn's networks take float features: leave --option features out")
    else:
        raise Refused(f"a {kind} is neither trees ({', '.join(sorted(TREES))}) nor a dense network ({', '.join(NETWORKS)})")
    pathlib.Path(f"{arguments.name}.c").write_text(code)
    for header in sorted(pathlib.Path(emlearn.includedir).glob("eml_*.h")):
        if header.name in needed(code):
            shutil.copyfile(header, header.name)
    pathlib.Path("entry.json").write_text(json.dumps(said, indent=2) + "\n")


def needed(text):
    """Names of emlearn's headers that a text includes, and those that they include."""
    found, waiting = set(), [text]
    while waiting:
        for name in re.findall(r'#include\s+[<"](eml_\w+\.h)[>"]', waiting.pop()):
            path = pathlib.Path(emlearn.includedir) / name
            if name not in found and path.is_file():
                found.add(name)
                waiting.append(path.read_text())
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("name")
    parser.add_argument("--features", choices=["float", "int16"], default="float")
    parser.add_argument("--layers", choices=["calls", "loop"], default="calls")
    try:
        generate(parser.parse_args())
    except Refused as refused:
        print(f"metamorph: {refused}")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
