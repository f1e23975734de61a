#include "cfront/memory_operations.h"

#include <llvm/IR/IntrinsicInst.h>

namespace metamorph::cfront {

std::optional<std::vector<MemoryOperation>> operations_of(llvm::Instruction& instruction,
                                                          const llvm::DataLayout& layout) {
    const auto size_of = [&](llvm::Type* type) {
        return static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue());
    };
    using Operations = std::vector<MemoryOperation>;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        return Operations{{load, load->getPointerOperand(), nullptr, size_of(load->getType()), AccessKind::read, true}};
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        return Operations{{store, store->getPointerOperand(), nullptr, size_of(store->getValueOperand()->getType()),
                           AccessKind::write, true}};
    }
    if (auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
        Operations operations;
        if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(fill)) {
            operations.push_back({copy, copy->getRawSource(), copy->getLength(), 0, AccessKind::read, true});
        }
        operations.push_back({fill, fill->getRawDest(), fill->getLength(), 0, AccessKind::write, true});
        return operations;
    }
    if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        const std::int64_t size = size_of(exchange->getNewValOperand()->getType());
        return Operations{{exchange, exchange->getPointerOperand(), nullptr, size, AccessKind::read, true},
                          {exchange, exchange->getPointerOperand(), nullptr, size, AccessKind::write, false}};
    }
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        const std::int64_t size = size_of(update->getType());
        return Operations{{update, update->getPointerOperand(), nullptr, size, AccessKind::read, true},
                          {update, update->getPointerOperand(), nullptr, size, AccessKind::write, true}};
    }
    if (instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::FenceInst>(&instruction) &&
        !llvm::isa<llvm::CallBase>(&instruction)) {
        return std::nullopt;
    }
    return Operations{};
}

bool is_no_object(const llvm::Value* base) {
    const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
    return llvm::isa<llvm::AllocaInst>(base) || (global && global->isConstant()) ||
           llvm::isa<llvm::ConstantPointerNull>(base) || llvm::isa<llvm::UndefValue>(base) ||
           llvm::isa<llvm::Function>(base);
}

}  // namespace metamorph::cfront
