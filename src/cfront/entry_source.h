// Anyone's inference entry, read as a list of steps that can be taken out of it: each a function of its own that gets
// the addresses it works on. adopt/ writes an entry of them that is a flat list of calls, for front_end.h to analyse.
//
// Locals of the entry that several steps share become bytes of an arena. Constants, and pointers to known places, are
// followed; so a loop with a known number of rounds around calls becomes a step a round, and buffers from malloc with a
// constant size become part of the arena. What cannot be taken apart stays one step, with the reason.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "cfront/front_end.h"
#include "util/result.h"

namespace metamorph::cfront {

// An address that a step gets: bytes of a parameter of the entry, of a shared local, of the entry's result, or of the
// flags that tell whether the entry has returned early.
struct StepAddress {
    enum class Base { parameter, local, result, returned } base = Base::parameter;
    int index = 0;  // of a parameter of the entry, or into EntrySource::locals
    std::int64_t offset = 0;
    bool is_const = false;  // the parameter's target is const
    friend bool operator==(const StepAddress&, const StepAddress&) = default;
};

struct SourceStep {
    std::string name;  // the function that it calls, or what it is: "loop"
    SourceLocation location;
    std::string text;                    // its first call as spelled, on one line
    std::vector<StepAddress> addresses;  // called mm_a0, mm_a1 … in `body`, each a pointer to void
    std::string body;                    // C statements, indented by four spaces, a line each
    bool may_return = false;             // returns from the entry before its end
};

struct SharedLocal {
    std::string name, type;  // unique among them; "float[4][8]"
    std::int64_t bytes = 0, alignment = 1;
    int first_step = 0, last_step = 0;  // that use it
};

struct EntrySource {
    std::string source;                  // of FrontEndInput::sources: the one that defines the entry
    Function function;                   // the entry
    std::vector<SharedLocal> locals;     // in the order of their first use
    std::vector<SourceStep> steps;       // in execution order, at least one
    std::vector<std::string> variables;  // definitions of variables that replace the entry's own static locals
    std::int64_t result_bytes = 0;       // of what the entry returns; 0: nothing, or always the same
    std::vector<Recovery> notes;         // what stays together in one step, and why
    // What the entry itself takes as it was written, at most: of stack for its locals, of heap for allocations whose
    // size is known.
    std::int64_t stack_bytes = 0, heap_bytes = 0;
    std::string layout;  // target_layout.h
};

struct EntryReading {
    std::string prefix;  // C identifier, for names of new variables
    // Values that the caller passes for integer parameters of the entry, by name or by position ("#2"); 0 for a pointer
    // is a null pointer.
    std::map<std::string, std::int64_t> values;
    // A step each: whether it can really return early. Nothing: not known yet; then each has a flag of its own, at its
    // number in StepAddress::Base::returned, which it only ever sets.
    std::optional<std::vector<bool>> returning;
    std::string keep_whole;  // why the entry must stay one step; empty: it need not
};

// Errors: as of analyse() (front_end.h); model (a parameter by value without a value, a struct returned by value).
Result<EntrySource> read_entry_source(const FrontEndInput& input, const EntryReading& reading);

}  // namespace metamorph::cfront
