// The calls that the syntax tree shows and those of the intermediate code are matched one to one, in order. The former
// gives their text, the latter what their arguments are once casts, members and constant expressions are folded.
#include "cfront/entry_model.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "cfront/step_access.h"

namespace metamorph::cfront {
namespace {

std::vector<const llvm::CallBase*> calls_of(const llvm::Function& code) {
    std::vector<const llvm::CallBase*> calls;
    for (const llvm::Instruction& instruction : llvm::instructions(code)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (call && (!intrinsic || llvm::isa<llvm::MemIntrinsic>(intrinsic))) {
            calls.push_back(call);
        }
    }
    return calls;
}

std::string place(const EntryCall& call) {
    return fmt::format("{}:{}", call.location.file, call.location.line);
}

class EntryModelBuilder {
public:
    EntryModelBuilder(Program& program, EntryObjects& objects, OuterLoops outer_loops)
        : m_program(program), m_objects(objects), m_outer_loops(outer_loops) {}

    Result<Step> build(const EntryCall& source, const llvm::CallBase& call) {
        const std::size_t extra = llvm::isa<llvm::MemIntrinsic>(call) ? 1 : 0;  // memcpy's "is volatile"
        const bool is_aggregate =
            call.arg_size() != source.arguments.size() + extra || call.hasStructRetAttr() || has_by_value(call);
        if (is_aggregate) {
            return fail(ErrorCode::model, place(source),
                        "{} takes or returns a struct by value, which is not supported in an entry", source.callee);
        }
        Step step{source.callee, source.location, source.text, {}, {}, {}, {}};
        std::vector<BoundArgument> bound;
        for (std::size_t i = 0; i < call.arg_size(); ++i) {
            llvm::Value* value = call.getArgOperand(static_cast<unsigned>(i));
            if (i >= source.arguments.size()) {
                bound.push_back({value, -1, 0});
                continue;
            }
            Argument argument{Argument::Kind::other, source.arguments[i].text, -1, 0, {}};
            MM_TRY(BoundArgument one, bind(source, source.arguments[i], value, argument));
            bound.push_back(one);
            step.arguments.push_back(std::move(argument));
        }
        StepFindings found = analyse_step(m_program.module(), call, bound, m_objects, m_outer_loops);
        step.accesses = std::move(found.accesses);
        step.outer_loop = std::move(found.outer_loop);
        step.escape = std::move(found.escape);
        step.heap_escape = std::move(found.heap_escape);
        step.opaque = std::move(found.opaque);
        return step;
    }

private:
    static bool has_by_value(const llvm::CallBase& call) {
        for (unsigned i = 0; i < call.arg_size(); ++i) {
            if (call.isByValArgument(i)) {
                return true;
            }
        }
        return false;
    }

    Result<BoundArgument> bind(const EntryCall& source, const EntryArgument& spelled, llvm::Value* value,
                               Argument& argument) {
        if (value->getType()->isPointerTy()) {
            const llvm::DataLayout& layout = m_program.module().getDataLayout();
            llvm::APInt offset(layout.getIndexTypeSizeInBits(value->getType()), 0);
            llvm::Value* base = value->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
            if (const std::optional<ObjectId> object = m_objects.of(base)) {
                argument.kind = Argument::Kind::object;
                argument.object = *object;
                argument.offset = offset.getSExtValue();
                argument.cast_type = spelled.cast_type;
                const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
                const bool is_constant = global && global->isConstant();
                return BoundArgument{is_constant ? value : nullptr, *object, argument.offset};
            }
        }
        if (llvm::isa<llvm::Constant>(value)) {
            argument.kind = Argument::Kind::constant;
            return BoundArgument{value, -1, 0};
        }
        return fail(ErrorCode::model, place(source),
                    "argument `{}` of {} is neither a constant nor an address in an object", spelled.text,
                    source.callee);
    }

    Program& m_program;
    EntryObjects& m_objects;
    const OuterLoops m_outer_loops;
};

}  // namespace

Result<EntryModel> build_entry_model(Program& program, const Function& entry, const std::string& entry_symbol,
                                     const EntryBody& body, const std::vector<Variable>& variables,
                                     const std::map<std::string, int>& variable_of_symbol, OuterLoops outer_loops) {
    if (body.refusal) {
        return tl::unexpected<Error>(*body.refusal);
    }
    llvm::Function* code = program.module().getFunction(entry_symbol);
    if (code == nullptr || code->isDeclaration()) {
        return fail(ErrorCode::internal, entry.name, "the entry has no intermediate code");
    }
    run_passes({code}, "sccp,instsimplify,simplifycfg<no-simplify-cond-branch>");
    for (const llvm::Instruction& instruction : llvm::instructions(*code)) {
        if (llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::StoreInst>(instruction)) {
            return fail(ErrorCode::model, place_of(instruction),
                        "the inference entry reads or writes memory itself, outside of its calls");
        }
    }
    EntryObjects objects(program.module(), entry, body, variables, variable_of_symbol, *code);
    EntryModelBuilder builder(program, objects, outer_loops);
    const std::vector<const llvm::CallBase*> calls = calls_of(*code);
    if (calls.size() != body.calls.size() || code->size() != 1) {
        return fail(
            ErrorCode::model, fmt::format("{}:{}", entry.location.file, entry.location.line),
            "the inference entry is not a straight list of calls: {} calls are spelled, {} were found in {} blocks",
            body.calls.size(), calls.size(), code->size());
    }
    EntryModel model;
    model.function = entry.name;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        MM_TRY(Step step, builder.build(body.calls[i], *calls[i]));
        model.steps.push_back(std::move(step));
    }
    model.objects = objects.take();
    return model;
}

}  // namespace metamorph::cfront
