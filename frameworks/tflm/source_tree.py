"""A source tree of TensorFlow Lite Micro: where what is needed lies in it, and which operators it knows.

Trees differ between years. This reads those in which an operator is registered by "Register_NAME()" of micro_ops.h (2020), as in
the cargo package tfmicro 0.1.0; another one is refused by the name of what is missing, before anything is built.
"""

import pathlib
import re

from refusal import Refusal

MICRO = "tensorflow/lite/micro"
DOWNLOADS = MICRO + "/tools/make/downloads"
INCLUDE_DIRS = (".", DOWNLOADS + "/flatbuffers/include", DOWNLOADS + "/gemmlowp", DOWNLOADS + "/ruy")
OPERATORS, VERSIONS = MICRO + "/kernels/micro_ops.h", MICRO + "/kernels/all_ops_resolver.cc"
SCHEMA = "tensorflow/lite/schema/schema_generated.h"


class SourceTree:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        if not (self.folder / MICRO).is_dir():
            raise Refusal(f"there is no folder {MICRO} in the source tree: name the one that holds 'tensorflow'")
        for path in (OPERATORS, VERSIONS, SCHEMA):
            if not (self.folder / path).is_file():
                raise Refusal(f"the source tree has no {path}; trees like that of the cargo package tfmicro 0.1.0 are understood")
        for path in INCLUDE_DIRS:
            if not (self.folder / path).is_dir():
                raise Refusal(f"the source tree has no folder {path}, whose headers are needed")

    def operator_names(self):
        """Code in a model → name: "CONV_2D"."""
        text = (self.folder / SCHEMA).read_text()
        return {int(code): name for name, code in re.findall(r"\bBuiltinOperator_(\w+) = (\d+)", text)
                if name not in ("MIN", "MAX")}

    def registered(self, operators):
        """(name, version) of each (code, version); refuses those that the tree has no kernel for."""
        names = self.operator_names()
        kernels = set(re.findall(r"\bRegister_(\w+)\(\)", (self.folder / OPERATORS).read_text()))
        newest = self._newest_versions()
        for code, version in operators:
            name = names.get(code, f"operator {code}")
            if name not in kernels:
                raise Refusal(f"this interpreter has no {name}, which the model uses")
            if version > newest.get(name, version):
                raise Refusal(f"this interpreter knows {name} up to version {newest[name]}; the model uses version {version}")
        return [(names[code], version) for code, version in operators]

    def _newest_versions(self):
        text = re.sub(r"/\*.*?\*/", "", (self.folder / VERSIONS).read_text(), flags=re.DOTALL)
        calls = re.findall(r"AddBuiltin\(\s*BuiltinOperator_(\w+),\s*Register_\w+\(\)\s*(?:,\s*(\d+)\s*,\s*(\d+)\s*)?\)", text)
        return {name: int(newest) if newest else 1 for name, _, newest in calls}
