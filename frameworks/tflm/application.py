"""The text of the application around the interpreter: what is particular to one model.

  NAME_interpreter.cc  the model as an aligned array, its operators, the arena, and NAME_run: C++, compiled with the library
  NAME_interpreter.h   NAME_run, for C
  NAME.c               the inference entry: calls NAME_run, then stores the result itself, so that each store into memory that
                       survives a power failure is in C that Metamorph reads
  NAME_stand_in.c      what NAME_run may read and write, as C that is read in its place and never compiled
"""

SETUPS = {"boot": "The first call after each start makes the interpreter, in memory that a loss of power empties.",
          "inference": "Each call makes the interpreter anew: nothing is kept from one to the next."}
STACK_BYTES_MAX = 2048  # results larger than this are stored by the interpreter's side, without a copy on the stack


def names(tensors, role):
    return [role] if len(tensors) == 1 else [f"{role}_{i}" for i in range(len(tensors))]


class Application:
    def __init__(self, prefix, model, operators, setup):
        self.prefix, self.model, self.operators, self.setup = prefix, model, operators, setup
        self.inputs = list(zip(names(model.inputs, "input"), model.inputs))
        self.outputs = list(zip(names(model.outputs, "output"), model.outputs))
        self.copies = sum(tensor.bytes for tensor in model.outputs) <= STACK_BYTES_MAX

    def files(self, arena_bytes):
        prefix = self.prefix
        return {f"{prefix}_interpreter.cc": self.interpreter(arena_bytes), f"{prefix}_interpreter.h": self.header(),
                f"{prefix}.c": self.entry(), f"{prefix}_stand_in.c": self.stand_in(arena_bytes)}

    def parameters(self, is_array):
        def spelled(tensor, name, const):
            return (f"{const}{tensor.c_type} {name}[static {tensor.elements}]" if is_array else f"{const}{tensor.c_type} *{name}")
        return ", ".join([spelled(tensor, name, "const ") for name, tensor in self.inputs] +
                         [spelled(tensor, name, "") for name, tensor in self.outputs])

    def header(self):
        p, guard = self.prefix, self.prefix.upper() + "_INTERPRETER_H"
        sizes = "".join(f" *   {name}: {tensor.elements} x {tensor.c_type}\n" for name, tensor in self.inputs + self.outputs)
        return f"""\
/* The interpreter of TensorFlow Lite Micro with the model {p} in it.
 *
{sizes} */
#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* One inference. {SETUPS[self.setup]}
 * 0: done. Else a fault of the build: 1 another schema, 2 an operator is not registered, 3 the arena is too small,
 * 4 an input or output of another size, 5 an operator failed. */
int {p}_run({self.parameters(False)});

#ifdef __cplusplus
}}
#endif

#endif
"""

    def entry(self):
        p = self.prefix
        given = [name for name, _ in self.inputs]
        buffers, stores = "", ""
        for name, tensor in self.outputs:
            if self.copies:
                buffers += f"    {tensor.c_type} made_{name}[{tensor.elements}];\n"
                stores += f"    for (i = 0; i < {tensor.elements}u; i++) {{\n        {name}[i] = made_{name}[i];\n    }}\n"
            given.append("made_" + name if self.copies else name)
        counter = "    uint32_t i;\n" if self.copies else ""
        kinds = ",".join(dict.fromkeys(name for name, _ in self.operators))
        return f"""\
/* The inference entry of {p}: the interpreter is one opaque call. */
#include "{p}_interpreter.h"

/* Operators: {kinds} */
static void interpret({self.parameters(True)})
{{
{buffers}{counter}    if ({p}_run({", ".join(given)}) != 0) {{
        __builtin_trap(); /* a fault of the build, which no input can cause */
    }}
{stores}}}

void {p}_infer({self.parameters(True)})
{{
    interpret({", ".join(name for name, _ in self.inputs + self.outputs)});
}}
"""

    def stand_in(self, arena_bytes):
        p = self.prefix
        reads = "".join(f"    for (i = 0; i < {tensor.bytes}u; i++) {{\n"
                        f"        seen ^= ((const unsigned char *){name})[i];\n    }}\n" for name, tensor in self.inputs)
        writes = "".join(f"    for (i = 0; i < {tensor.bytes}u; i++) {{\n        ((unsigned char *){name})[i] = seen;\n    }}\n"
                         for name, tensor in self.outputs)
        return f"""\
/* What {p}_run of {p}_interpreter.cc may read and write, for those who cannot read C++. Never compiled.
 *
 * It reads its inputs and the model, writes all of its outputs, and works in an arena that it makes anew after each start. */
#include "{p}_interpreter.h"

static const unsigned char {p}_model[{len(self.model.data)}] = {{0}};
static unsigned char {p}_arena[{arena_bytes}];

int {p}_run({self.parameters(False)})
{{
    uint32_t i;
    unsigned char seen = 0;
{reads}    for (i = 0; i < {len(self.model.data)}u; i++) {{
        seen ^= {p}_model[i];
    }}
    for (i = 0; i < {arena_bytes}u; i++) {{
        {p}_arena[i] = 0;
    }}
{writes}    return 0;
}}
"""

    def interpreter(self, arena_bytes):
        p, P = self.prefix, self.prefix.upper()
        data = self.model.data
        rows = [", ".join(f"0x{byte:02x}" for byte in data[at:at + 20]) for at in range(0, len(data), 20)]
        registered = " &&\n           ".join(
            f"operators.AddBuiltin(tflite::BuiltinOperator_{name}, tflite::ops::micro::Register_{name}(), {version}) == kTfLiteOk"
            for name, version in self.operators)
        checks = " ||\n            ".join(
            [f"interpreter.inputs_size() != {len(self.inputs)}", f"interpreter.outputs_size() != {len(self.outputs)}"] +
            [f"interpreter.input({i})->bytes != {tensor.bytes}" for i, (_, tensor) in enumerate(self.inputs)] +
            [f"interpreter.output({i})->bytes != {tensor.bytes}" for i, (_, tensor) in enumerate(self.outputs)])
        taking = "".join(f"    std::memcpy(interpreter.input({i})->data.raw, {name}, {tensor.bytes});\n"
                         for i, (name, tensor) in enumerate(self.inputs))
        giving = "".join(f"    std::memcpy({name}, interpreter.output({i})->data.raw, {tensor.bytes});\n"
                         for i, (name, tensor) in enumerate(self.outputs))
        return f"""\
// TensorFlow Lite Micro with the model {p}, and no operator more than it uses.
#include "{p}_interpreter.h"

#include <cstring>
#include <new>

#include "tensorflow/lite/micro/debug_log.h"
#include "tensorflow/lite/micro/kernels/micro_ops.h"
#include "tensorflow/lite/micro/micro_error_reporter.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/schema/schema_generated.h"
#include "tensorflow/lite/version.h"

#ifndef {P}_ARENA_BYTES
#define {P}_ARENA_BYTES {arena_bytes}
#endif
// Where the arena lies, for a linker script: it is written before it is read, so nobody needs to clear it.
#ifndef {P}_ARENA_PLACE
#define {P}_ARENA_PLACE
#endif

namespace {{

alignas(16) const unsigned char model_bytes[{len(data)}] = {{
    {(',' + chr(10) + '    ').join(rows)}}};

alignas(16) {P}_ARENA_PLACE unsigned char arena[{P}_ARENA_BYTES];

using Operators = tflite::MicroMutableOpResolver<{len(self.operators)}>;

bool register_operators(Operators &operators)
{{
    return {registered};
}}

// What the interpreter says before it stops for good.
const char k_halted[] = "HALTED\\n";

}}  // namespace

#ifndef {P}_MEASURES_ITS_ARENA
// Messages go nowhere: {p}_run tells what went wrong by a number. A check that failed is a fault, not an endless loop.
extern "C" void DebugLog(const char *text)
{{
    if (std::strcmp(text, k_halted) == 0) {{
        __builtin_trap();
    }}
}}
#endif

namespace {{

// Objects without destructors that matter, where nothing is constructed before main.
template <typename T>
struct Place {{
    alignas(T) unsigned char bytes[sizeof(T)];
    T &object() {{ return *reinterpret_cast<T *>(bytes); }}
}};
Place<tflite::MicroErrorReporter> reporter_place;
Place<Operators> operators_place;
Place<tflite::MicroInterpreter> interpreter_place;
bool is_made;

int make_interpreter()
{{
    const tflite::Model *model = tflite::GetModel(model_bytes);
    if (model->version() != TFLITE_SCHEMA_VERSION) {{
        return 1;
    }}
    auto *reporter = new (reporter_place.bytes) tflite::MicroErrorReporter;
    auto *operators = new (operators_place.bytes) Operators(reporter);
    if (!register_operators(*operators)) {{
        return 2;
    }}
    tflite::MicroInterpreter &interpreter =
        *new (interpreter_place.bytes) tflite::MicroInterpreter(model, *operators, arena, sizeof arena, reporter);
    if (interpreter.AllocateTensors() != kTfLiteOk) {{
        return 3;
    }}
    return {checks} ? 4 : 0;
}}

}}  // namespace

extern "C" int {p}_run({self.parameters(False)})
{{
    if (!is_made) {{
        const int fault = make_interpreter();
        if (fault != 0) {{
            return fault;
        }}
        is_made = {"true" if self.setup == "boot" else "false"};
    }}
    tflite::MicroInterpreter &interpreter = interpreter_place.object();
{taking}    if (interpreter.Invoke() != kTfLiteOk) {{
        return 5;
    }}
{giving}    return 0;
}}
"""


def measurement(prefix):
    """A program that makes an inference in an arena of as many bytes as its argument says (at most 256 MiB), and prints how many it
    used. Status 1 where that failed."""
    P = prefix.upper()
    return f"""\
#define {P}_MEASURES_ITS_ARENA
#define {P}_ARENA_BYTES (256 << 20)
#include "{prefix}_interpreter.cc"

#include <cstdio>
#include <cstdlib>

extern "C" void DebugLog(const char *text)
{{
    std::fputs(text, stderr);
    if (std::strcmp(text, k_halted) == 0) {{
        std::exit(1);
    }}
}}

int main(int, char **argv)
{{
    tflite::MicroErrorReporter reporter;
    Operators operators(&reporter);
    if (!register_operators(operators)) {{
        return 1;
    }}
    tflite::MicroInterpreter interpreter(tflite::GetModel(model_bytes), operators, arena, std::strtoul(argv[1], nullptr, 10),
                                         &reporter);
    if (interpreter.AllocateTensors() != kTfLiteOk || interpreter.Invoke() != kTfLiteOk) {{
        return 1;
    }}
    std::printf("%zu\\n", interpreter.arena_used_bytes());
    return 0;
}}
"""
