// Hand-made code models in the shape that the front end gives: an entry with an input, an output, an arena and
// variables.
#pragma once

#include <string>
#include <vector>

#include "cfront/code_model.h"
#include "tasks/chain.h"

namespace metamorph::tasks {

struct Use {
    int object;
    std::int64_t offset, bytes;  // [offset, offset + bytes)
};

class SampleModel {
public:
    static constexpr int k_in = 0, k_out = 1, k_arena = 2;

    SampleModel(std::int64_t in_bytes, std::int64_t out_bytes, std::int64_t arena_bytes) {
        m_model.entry.function = "net_invoke";
        add_object("in", in_bytes, cfront::ObjectKind::entry_parameter);
        add_object("out", out_bytes, cfront::ObjectKind::entry_parameter);
        add_object("arena", arena_bytes, cfront::ObjectKind::entry_parameter);
    }

    int add_variable(const std::string& name, std::int64_t bytes, bool is_static = false) {
        cfront::Variable variable{name, "int32_t", {"net.c", 7, 1}, bytes, false, is_static,
                                  true, false,     false,           true,  ""};
        m_model.variables.push_back(variable);
        return add_object(name, bytes, cfront::ObjectKind::variable);
    }

    // A step that reads and writes exactly these bytes through one argument each, every byte stored once.
    void step(const std::string& name, const std::vector<Use>& reads, const std::vector<Use>& writes) {
        cfront::Step step{name, {}, name + "(…)", {}, {}};
        for (const Use& use : reads) {
            cfront::Access access = access_of(step, use);
            access.reads = IntervalSet(use.offset, use.offset + use.bytes);
            step.accesses.push_back(access);
        }
        for (const Use& use : writes) {
            cfront::Access access = access_of(step, use);
            access.writes = access.must_writes = access.written_once = IntervalSet(use.offset, use.offset + use.bytes);
            step.accesses.push_back(access);
        }
        m_model.entry.steps.push_back(step);
    }

    // The last step's accesses, for what `step` cannot say.
    std::vector<cfront::Access>& accesses() { return m_model.entry.steps.back().accesses; }

    cfront::CodeModel& model() { return m_model; }

    Chain chain(const std::vector<int>& layers) {
        return make_chain(m_model, {Role::input, Role::output, Role::arena}, layers).value();
    }

private:
    int add_object(const std::string& name, std::int64_t bytes, cfront::ObjectKind kind) {
        cfront::Object object{kind, name, "int8_t", 1, bytes, false, -1, -1};
        if (kind == cfront::ObjectKind::entry_parameter) {
            object.parameter = static_cast<int>(m_model.entry.objects.size());
        } else {
            object.variable = static_cast<int>(m_model.variables.size()) - 1;
        }
        m_model.entry.objects.push_back(object);
        return static_cast<int>(m_model.entry.objects.size()) - 1;
    }

    cfront::Access access_of(cfront::Step& step, const Use& use) {
        cfront::Access access;
        access.object = use.object;
        if (m_model.entry.objects[static_cast<std::size_t>(use.object)].kind == cfront::ObjectKind::variable) {
            return access;  // named by the callee itself
        }
        access.argument = static_cast<int>(step.arguments.size());
        step.arguments.push_back({cfront::Argument::Kind::object, "arena + n", use.object, use.offset, "int8_t *"});
        return access;
    }

    cfront::CodeModel m_model;
};

// in → arena[0,64) → arena[64,96) → arena[0,32), which reuses the first value's bytes → out
inline SampleModel reusing() {
    SampleModel m(16, 4, 96);
    m.step("f0", {{SampleModel::k_in, 0, 16}}, {{SampleModel::k_arena, 0, 64}});
    m.step("f1", {{SampleModel::k_arena, 0, 64}}, {{SampleModel::k_arena, 64, 32}});
    m.step("f2", {{SampleModel::k_arena, 64, 32}}, {{SampleModel::k_arena, 0, 32}});
    m.step("f3", {{SampleModel::k_arena, 0, 32}}, {{SampleModel::k_out, 0, 4}});
    return m;
}

}  // namespace metamorph::tasks
