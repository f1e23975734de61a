// One load or store of a step's code → the bytes that it touches.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <llvm/IR/Instructions.h>

#include "cfront/affine_value.h"
#include "cfront/byte_map.h"
#include "cfront/path_conditions.h"

namespace metamorph::cfront {

// An instruction that touches memory at `address`.
struct MemoryOperation {
    llvm::Instruction* instruction = nullptr;
    llvm::Value* address = nullptr;
    llvm::Value* length = nullptr;  // in bytes, of memcpy and its like; else `size`
    std::int64_t size = 0;
    AccessKind kind = AccessKind::read;
    bool can_be_certain = true;  // false for what may leave memory alone (compare and exchange)
};

struct WalkResult {
    bool is_guarded = false;  // by a condition that depends on data
};

using TouchSink = std::function<void(const llvm::Value* base, const Touch& touch)>;

// Reports each touch, exactly, to `sink`. Nothing is returned if the addresses cannot be enumerated (they depend on
// data, or there are too many); what was reported until then still holds.
std::optional<WalkResult> walk_access(const MemoryOperation& operation, const Path& path, Evaluator& evaluator,
                                      llvm::ScalarEvolution& evolution, const llvm::LoopInfo& loops,
                                      const TouchSink& sink);

}  // namespace metamorph::cfront
