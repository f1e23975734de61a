// What the C front end finds in generated C, as plain structs. No Clang or LLVM type appears here: this header is all
// that the rest of Metamorph sees of the front end.
//
// An *object* is a piece of memory that outlives a call of the inference entry's callees: a parameter of the entry that
// points to caller-owned memory, a global or static variable, or (later) a local array of the entry. Byte offsets count
// from the object's start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "util/interval_set.h"

namespace metamorph::cfront {

struct SourceLocation {
    std::string file;  // as given in FrontEndInput::sources, or as included (relative where it was)
    unsigned line = 0, column = 0;
};

struct Parameter {
    std::string name;
    std::string type;          // as spelled: "const int8_t[static 490]"
    std::string element_type;  // of a pointer or array: "const int8_t"; empty for scalars
    bool is_pointer = false;
    bool is_const = false;           // pointee is const
    bool leads_to_pointers = false;  // pointee is, or has, pointers
    std::int64_t element_bytes = 0;
    std::optional<std::int64_t> extent_bytes;  // from `[static N]`, or from a constant `[N]`; all dimensions multiplied
};

struct Variable {  // global or static
    std::string name;
    std::string type;
    SourceLocation location;
    std::int64_t bytes = 0;
    bool is_const = false;   // cannot be written: lives in read-only memory, never crosses tasks
    bool is_static = false;  // internal linkage
    bool is_defined = true;
    bool is_volatile = false, is_thread_local = false;
    bool has_initializer = false;  // not all zero: an initial value that must survive the first boot
    std::string local_to;          // the function of a static local; empty at file scope

    std::string qualified_name() const;  // "function.name" of a static local; this is how accesses and objects name it
};

struct Function {
    std::string name;
    SourceLocation location;
    std::string return_type;
    std::vector<Parameter> parameters;
    bool is_static = false, is_inline = false, is_defined = true;
    bool runs_outside_main = false;      // a constructor or destructor of the program
    std::vector<std::string> calls;      // direct callees, distinct, in order of first appearance
    bool calls_through_pointer = false;  // or takes inline assembly: what it does is not known
    // Through calls, too; sorted, distinct. Over-approximations: never less than what can happen.
    std::vector<std::string> reads_globals, writes_globals;     // Variable::qualified_name
    std::vector<unsigned> reads_parameters, writes_parameters;  // indices of pointer parameters
};

enum class ObjectKind { entry_parameter, variable, entry_local };

struct Object {
    ObjectKind kind = ObjectKind::variable;
    std::string name;
    std::string element_type;  // "int8_t": how an argument that points into it is spelled
    std::int64_t element_bytes = 1;
    std::optional<std::int64_t> bytes;  // extent, if known
    bool is_const = false;              // a variable that is const; never a parameter: its memory is the caller's
    int parameter = -1;                 // of the entry, for entry_parameter
    int variable = -1;                  // into CodeModel::variables, for variable
};

using ObjectId = int;  // into EntryModel::objects

// The end of a set of bytes of an object whose extent is not known: "to wherever it ends".
inline constexpr std::int64_t k_unknown_extent = std::int64_t{1} << 40;

// What one call of the entry does to one object, in an execution that returns and has no undefined behaviour. The
// accesses are those that the C program makes; a compiler may leave out loads and stores without effect, and adds none.
// Invariants: must_writes ⊆ writes; written_once ⊆ must_writes; read_back ⊆ reads.
struct Access {
    ObjectId object = -1;
    int argument =
        -1;  // index of the argument through which it is reached; -1: directly (a global that the callee names)
    IntervalSet reads;        // superset of the bytes that can be read during the call
    IntervalSet writes;       // superset of the bytes that can be written
    IntervalSet must_writes;  // subset of the bytes that are written on every path
    IntervalSet
        written_once;  // subset: bytes that exactly one store writes, exactly once per call, whole, never read in it
    std::string read_reason;  // why `reads` is wider than exact ("guarded load, conv.c:31"); empty where exact
    std::string write_reason;
    // Of reads: what the call has surely written before it reads it, so the value from before the call does not matter.
    // A subset: where the order cannot be shown, a byte is not in it.
    IntervalSet read_back = {};
};

struct Argument {
    enum class Kind { object, constant, other } kind = Kind::other;
    std::string text;      // as spelled in the source
    ObjectId object = -1;  // kind object: address = object + offset
    std::int64_t offset = 0;
    std::string cast_type;  // kind object: pointer type the callee's parameter wants ("const float *"); for re-emission
};

// Whether a call can be cut into slices: one loop around all its stores, whose rounds write disjoint bytes, read
// nothing that the call writes, and hand nothing on to one another. Then they may run in any grouping and order, each
// any number of times.
struct OuterLoop {
    std::int64_t rounds = 0;  // at least 2; 0: it cannot be sliced
    std::string where;        // "conv.c:31": the loop's head; empty where there is none
    std::string why_not;      // rounds 0
};

// Something in a step that cannot be looked into, so that every object counts as read and written by it.
struct Opaque {
    enum class Kind {
        undefined,  // a function without a definition in the sources
        recursive,  // a function that calls itself, or cannot be inlined for another reason
        pointer,    // a call through a pointer whose target is not known
        assembly,
        loop  // that is entered in several places
    } kind = Kind::undefined;
    std::string where;     // "net.c:31"; empty: of the step as a whole
    std::string function;  // that is called, where it is known

    std::string print() const;  // "net.c:31: calls f, which has no definition here"
};

// One statement of the entry: a call whose arguments are addresses in objects or constants.
struct Step {
    std::string callee;
    SourceLocation location;
    std::string text;  // as spelled, on one line
    std::vector<Argument> arguments;
    std::vector<Access> accesses;  // at most one for each (object, argument); objects that are const are left out
    std::optional<OuterLoop> outer_loop = {};  // where FrontEndInput asks for it
    // "net.c:31" of a store that leaves an address the step got in memory that outlives the step; empty where none
    // does.
    std::string escape = {};
    std::string heap_escape = {};     // the same of an address in memory that the step has from malloc
    std::vector<Opaque> opaque = {};  // in the order of the code
};

struct EntryModel {
    std::string function;
    std::vector<Object> objects;
    std::vector<Step> steps;  // in execution order
};

struct Recovery {  // something Clang had to guess, or that the front end did not understand
    SourceLocation location;
    std::string message;
};

struct CodeModel {
    std::vector<Function>
        functions;  // definitions first, in order of sources and lines; then mere declarations that are called
    std::vector<Variable> variables;
    EntryModel entry;
    std::vector<Recovery> recoveries;

    const Function* function(const std::string& name) const;
};

}  // namespace metamorph::cfront
