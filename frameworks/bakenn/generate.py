"""generate.py MODEL NAME [--kernels portable|cmsis-nn]: calls bakenn, which has no command line of its own.

With cmsis-nn, the layers that its CMSIS-NN subset can do are done by it: by DSP instructions on Arm's processors that have them,
elsewhere by its plain C.
"""

import argparse
import json
import pathlib
import re
import sys

import bakenn

# CMSIS-NN includes it whatever the processor is.
ARM_ACLE = """\
/* Only Arm's compilers have this header, and only Arm's processors need it. */
#if defined(__arm__) || defined(__aarch64__)
#include_next <arm_acle.h>
#endif
"""


def manifest(is_cmsis):
    header = next(path for path in sorted(pathlib.Path(".").glob("bknn_*.h"))
                  if not path.stem.endswith(("_kernels", "_weights")))
    text = header.read_text()
    sizes = {what: int(re.search(rf"^#define \w+_{what} (\d+)u$", text, re.MULTILINE).group(1))
             for what in ("INPUT_BYTES", "OUTPUT_BYTES", "ARENA_SIZE")}
    arena = {"name": "arena", "role": "arena", "bytes": sizes["ARENA_SIZE"]}
    said = {"entry": header.stem + "_infer",
            "parameters": [arena if sizes["ARENA_SIZE"] else {"name": "arena", "role": "null"},
                           {"name": "input", "role": "input", "bytes": sizes["INPUT_BYTES"]},
                           {"name": "output", "role": "output", "bytes": sizes["OUTPUT_BYTES"]}]}
    if is_cmsis:
        # …_FREESTANDING, the other choice, copies byte by byte: 1.9 to 6 times slower.
        said["defines"] = ["BAKENN_CMSIS_NN_BUILTIN_MEMORY"]
        said["include_dirs"] = ["shim", "third_party/cmsis_nn/Include", "third_party/cmsis_core/Include"]
        shim = pathlib.Path("shim")
        shim.mkdir()
        (shim / "arm_acle.h").write_text(ARM_ACLE)
    return said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("name")
    parser.add_argument("--kernels", choices=["portable", "cmsis-nn"], default="portable")
    arguments = parser.parse_args()
    is_cmsis = arguments.kernels == "cmsis-nn"
    options = bakenn.CBackendOptions(kernel_policy=bakenn.KernelPolicy.STATIC_PRIORITY, enable_cmsis_nn=True,
                                     target=bakenn.CORTEX_M4) if is_cmsis else None
    made = pathlib.Path("made")  # bakenn wants a folder of its own
    try:
        bakenn.compile_tflite(arguments.model, made, name=arguments.name, backend_options=options)
    except bakenn.BakeNNError as error:
        print("metamorph: bakenn cannot take this network: " + " ".join(str(error).split()))
        return 3
    for path in sorted(made.iterdir()):
        path.rename(path.name)
    made.rmdir()
    pathlib.Path("entry.json").write_text(json.dumps(manifest(is_cmsis), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
