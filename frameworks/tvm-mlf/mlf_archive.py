"""A Model Library Format archive, or its folder: sources, headers, and what metadata.json says. Versions 5 to 7."""

import json
import pathlib
import re
import tarfile

from refusal import Refusal

BYTES_OF = {"int8": 1, "uint8": 1, "bool": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float32": 4,
            "int64": 8, "uint64": 8, "float64": 8}


class Archive:
    """files: path below metadata.json → text; module: its name; metadata: the module's."""

    def __init__(self, path, module=None):
        self.files = _read(pathlib.Path(path))
        try:
            document = json.loads(self.files["metadata.json"])
            modules = document["modules"] if "modules" in document else {document["model_name"]: document}
        except (ValueError, KeyError, TypeError) as error:
            raise Refusal(f"metadata.json is none of TVM's Model Library Format ({type(error).__name__}: {error})") from None
        if module is None and len(modules) > 1:
            raise Refusal("the archive has several modules; name one with the option module: " + ", ".join(sorted(modules)))
        if module is not None and module not in modules:
            raise Refusal(f"the archive has no module '{module}'; it has: " + ", ".join(sorted(modules)))
        self.module, self.metadata = next((each for each in modules.items() if module in (None, each[0])))
        executors = self.metadata.get("executors", self.metadata.get("runtimes", ["aot"]))
        if "aot" not in executors:
            raise Refusal(f"module '{self.module}' is for the executor {', '.join(executors)}, which interprets a graph at run "
                          "time; compile the model with --executor=aot")

    def sources(self):
        return {path: text for path, text in self.files.items() if path.startswith("codegen/host/src/")}

    def headers(self):
        return {path: text for path, text in self.files.items() if path.startswith("codegen/host/include/")}

    def tensors(self, kind):
        """Name → bytes (None: not told) of "inputs" or "outputs", in metadata's order; {} where it lists none."""
        listed = self._main().get(kind) or {}
        return {_identifier(name): each.get("size") if isinstance(each, dict) else None for name, each in listed.items()}

    def element_type(self, kind, name):
        for listed, each in (self._main().get(kind) or {}).items():
            if _identifier(listed) == name and isinstance(each, dict) and each.get("dtype") in BYTES_OF:
                return each["dtype"]
        return None

    def bytes_by_header(self, name):
        """#define TVMGEN_MODULE_NAME_SIZE 123 of the generated header."""
        for text in self.headers().values():
            match = re.search(rf"^#define\s+TVMGEN_{self.module.upper()}_{name.upper()}_SIZE\s+(\d+)", text, re.MULTILINE)
            if match:
                return int(match.group(1))
        return None

    def workspace_bytes(self):
        return int(self._main().get("workspace_size_bytes") or 0)

    def _main(self):
        functions = self.metadata.get("memory", {}).get("functions", {}).get("main", [])
        return functions[0] if functions else {}


def _identifier(name):
    return re.sub(r"\W", "_", name)


def _read(path):
    """Path → text of all text files, relative to the folder of metadata.json."""
    if path.is_dir():
        files = {each.relative_to(path).as_posix(): each.read_bytes() for each in sorted(path.rglob("*")) if each.is_file()}
    else:
        try:
            with tarfile.open(path) as archive:  # nothing is extracted: names cannot lead anywhere
                files = {str(pathlib.PurePosixPath(each.name)): archive.extractfile(each).read()
                         for each in archive.getmembers() if each.isfile()}
        except (tarfile.TarError, OSError, EOFError) as error:
            raise Refusal(f"'{path.name}' is no tar archive ({error})") from None
    places = sorted((name for name in files if pathlib.PurePosixPath(name).name == "metadata.json"),
                    key=lambda name: (name.count("/"), name))
    if not places:
        raise Refusal(f"'{path.name}' has no metadata.json: it is no archive in TVM's Model Library Format")
    root = places[0].removesuffix("metadata.json")
    texts, binary = {}, []
    for name, data in files.items():
        if not name.startswith(root):
            continue
        name = name.removeprefix(root)
        if name.startswith("codegen/host/lib/"):
            binary.append(name)
        elif name == "metadata.json" or name.startswith(("codegen/host/src/", "codegen/host/include/")):
            texts[name] = data.decode("utf-8", errors="replace")
    if binary:
        raise Refusal(f"'{binary[0]}' is compiled code; compile the model with --target=c")
    foreign = [name for name in texts if name.startswith("codegen/host/src/") and not name.endswith((".c", ".h"))]
    if foreign:
        raise Refusal(f"'{foreign[0]}' is no C")
    return texts
