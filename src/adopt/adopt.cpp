// Reads the entry, writes the flat one, and where the entry can return early reads it again: once it is known which of
// its returns can really happen, the others and their flags go away.
#include "adopt/adopt.h"

#include <algorithm>

#include <fmt/format.h>

#include "adopt/adopted_files.h"
#include "adopt/foreign_parameters.h"
#include "adopt/source_copy.h"
#include "adopt/survival.h"
#include "cfront/entry_source.h"
#include "cfront/front_end.h"
#include "util/file.h"
#include "util/interrupt.h"

namespace metamorph::adopt {
namespace {

using generate::EntryParameter;
using generate::ForeignCode;
using generate::ForeignParameter;

std::string below(const std::string& folder, const std::string& path) {
    return path == "." ? folder : folder + "/" + path;
}

class Adopter {
public:
    Adopter(const ForeignCode& code, const cfront::Target& target, ScratchFolder scratch)
        : m_code(code), m_target(target), m_scratch(std::move(scratch)) {}

    Result<generate::GeneratedCode> run(Slicing slicing) {
        MM_CHECK(write_files(m_scratch.path() / k_generated_folder, m_code.files));
        set_input(k_generated_folder);
        if (m_code.opaque) {
            for (const std::string& source : m_code.opaque->stand_ins) {
                m_stand_ins.push_back(below(k_generated_folder, source));
            }
        }
        MM_TRY(cfront::CodeModel model, read_entry());
        m_oracle_source = m_source.source;
        MM_CHECK(check_survival(adopted_model(model)));
        std::vector<cfront::SourceLocation> statics = written_statics(model);
        std::erase_if(statics, [this](const cfront::SourceLocation& at) {
            return std::find(m_stand_ins.begin(), m_stand_ins.end(), at.file) != m_stand_ins.end();
        });
        if (!statics.empty()) {
            MM_CHECK(name_statics(statics, model));
        }
        MM_CHECK(clear_outputs(model));
        if (slicing == Slicing::prepared) {
            MM_CHECK(prepare_slices(model));
        }
        return code(model);
    }

private:
    // The entry as a flat list, as far as it can be taken apart.
    Result<cfront::CodeModel> read_entry() {
        cfront::EntryReading reading;
        reading.prefix = m_code.prefix;
        for (const ForeignParameter& parameter : m_code.parameters) {
            if (parameter.role == ForeignParameter::Role::constant || parameter.role == ForeignParameter::Role::null) {
                reading.values[parameter.name] = parameter.value;
            }
        }
        MM_CHECK(read(reading));
        MM_TRY(cfront::CodeModel model, analyse());
        if (returns_early()) {
            reading.returning = returning_steps(model);
            MM_CHECK(read(reading));
            MM_TRY(model, analyse());
        }
        for (const cfront::Step& step : model.entry.steps) {
            if (!step.escape.empty() && m_source.steps.size() > 1) {
                reading.keep_whole =
                    fmt::format("{} leaves the address of memory that steps share in memory that outlives it ({})",
                                step.callee, step.escape);
                MM_CHECK(read(reading));
                MM_TRY(model, analyse());
                break;
            }
        }
        return model;
    }

    AdoptedModel adopted_model(const cfront::CodeModel& model) const {
        return {&model, &m_source, "adopted/" + file("steps")};
    }

    // From now on the application is made of a copy of the sources. Where there can be none, a plan that needs these
    // variables to survive is refused by the planner.
    Status name_statics(const std::vector<cfront::SourceLocation>& statics, cfront::CodeModel& model) {
        auto copy = copy_with_names(m_input, m_code.files, statics, m_code.prefix);
        if (!copy) {
            const Error& error = copy.error();
            m_notes.push_back(fmt::format("{}: a static variable keeps its name: {}", error.where, error.message));
            return {};
        }
        m_copy = std::move(*copy);
        MM_CHECK(write_files(m_scratch.path() / k_copy_folder, m_copy));
        set_input(k_copy_folder);
        MM_TRY(model, read_entry());
        return {};
    }

    // Functions for a part of the rounds, in a copy of the sources.
    Status prepare_slices(cfront::CodeModel& model) {
        MM_TRY(const cfront::CodeModel with_loops, analyse(cfront::OuterLoops::found));
        MM_TRY(RoundsOfSteps rounds, rounds_of_steps(m_input, m_source, with_loops, m_adopted.step_names));
        if (!rounds.edits.empty()) {
            const std::string folder = m_copy.empty() ? k_generated_folder : k_copy_folder;
            m_copy = m_copy.empty() ? m_code.files : std::move(m_copy);
            for (auto& [path, text] : m_copy) {
                text = cfront::edited(text, below(folder, path), rounds.edits);
            }
            MM_CHECK(write_files(m_scratch.path() / k_copy_folder, m_copy));
            set_input(k_copy_folder);
            MM_TRY(model, read_entry());
            MM_CHECK(clear_outputs(model));
        }
        m_adopted.rounds = std::move(rounds.steps);
        return {};
    }

    void set_input(const std::string& folder) {
        m_input = {};
        m_input.root = m_scratch.path();
        for (const std::string& source : m_code.sources) {
            m_input.sources.push_back(below(folder, source));
        }
        for (const std::string& dir : m_code.include_dirs) {
            m_input.include_dirs.push_back(below(folder, dir));
        }
        m_input.defines = m_code.defines;
        m_input.entry = m_code.entry;
        m_input.target = m_target;
    }

    // The entry with this reading, and all that is written around it.
    Status read(const cfront::EntryReading& reading) {
        MM_TRY(m_source, cfront::read_entry_source(m_input, reading));
        m_adopted = {};
        m_adopted.code = &m_code;
        m_adopted.source = &m_source;
        m_adopted.arena = plan_shared(m_source.locals);
        m_adopted.entry = m_code.prefix + "_flat";
        m_adopted.oracle = m_code.prefix + "_oracle";
        MM_TRY(m_adopted.parameters, foreign_parameters(m_code, m_source.function));
        add_own_parameters();
        name_steps();
        return {};
    }

    std::string where() const {
        return fmt::format("{}:{}", m_source.function.location.file, m_source.function.location.line);
    }

    void add_own_parameters() {
        using Role = EntryParameter::Role;
        const auto add = [this](const char* name, std::int64_t bytes, Role role) {
            m_adopted.parameters.push_back({name, "unsigned char", bytes, 1, role, -1});
            return static_cast<int>(m_adopted.parameters.size()) - 1;
        };
        if (m_source.result_bytes > 0) {
            m_adopted.result = add("mm_result", m_source.result_bytes, Role::output);
        }
        m_adopted.plain_parameters = static_cast<int>(m_adopted.parameters.size());
        std::int64_t flags = 0;
        for (const cfront::SourceStep& step : m_source.steps) {
            for (const cfront::StepAddress& address : step.addresses) {
                if (address.base == cfront::StepAddress::Base::returned) {
                    flags = std::max(flags, address.offset + 1);
                }
            }
        }
        if (flags > 0) {
            m_adopted.returned = add("mm_returned", flags, Role::arena);
        }
        if (m_adopted.arena.bytes > 0) {
            m_adopted.locals = add("mm_locals", m_adopted.arena.bytes, Role::arena);
        }
    }

    void name_steps() {
        for (std::size_t s = 0; s < m_source.steps.size(); ++s) {
            std::string name = m_source.steps[s].name.empty() ? "statements" : m_source.steps[s].name;
            for (const std::string& known : {m_code.prefix + "_", m_code.entry + "_"}) {
                if (name.starts_with(known)) {
                    name.erase(0, known.size());
                }
            }
            m_adopted.step_names.push_back(fmt::format("{}_step_{:02}_{}", m_code.prefix, s, name));
        }
    }

    std::string file(const char* what) const { return fmt::format("{}_{}.c", m_code.prefix, what); }

    // All sources but that of the entry, which the adopted file includes.
    static std::vector<std::string> sources_with(const std::string& own, const std::vector<std::string>& all,
                                                 const std::string& entry_source) {
        std::vector<std::string> sources = {"adopted/" + own};
        std::copy_if(all.begin(), all.end(), std::back_inserter(sources),
                     [&](const std::string& source) { return source != entry_source; });
        return sources;
    }
    std::vector<std::string> app_sources() const {
        return sources_with(file("steps"), m_input.sources, m_source.source);
    }

    // What an inference may leave unwritten is cleared where it is first touched.
    Status clear_outputs(const cfront::CodeModel& model) {
        std::vector<OutputParameter> outputs;
        for (std::size_t p = 0; p < m_adopted.parameters.size(); ++p) {
            const AdoptedParameter& parameter = m_adopted.parameters[p];
            if (parameter.role == EntryParameter::Role::output && parameter.foreign >= 0) {
                outputs.push_back({static_cast<int>(p), parameter.name, parameter.elements * parameter.element_bytes});
            }
        }
        MM_TRY(m_adopted.cleared, outputs_to_clear(model, outputs, where()));
        for (const ClearedOutput& cleared : m_adopted.cleared) {
            m_source.notes.push_back(
                {m_source.function.location,
                 fmt::format(
                     "output '{}' may be read or left before all of it is written: it is 0 before each inference",
                     m_adopted.parameters[static_cast<std::size_t>(cleared.parameter)].name)});
        }
        return {};
    }

    Result<cfront::CodeModel> analyse(cfront::OuterLoops loops = cfront::OuterLoops::ignored) {
        MM_CHECK(write_files(m_scratch.path() / "adopted", {{file("steps"), write_steps(m_adopted)}}));
        cfront::FrontEndInput input = m_input;
        input.sources = app_sources();
        input.sources.insert(input.sources.end(), m_stand_ins.begin(), m_stand_ins.end());
        input.entry = m_adopted.entry;
        input.outer_loops = loops;
        return cfront::analyse(input);
    }

    bool returns_early() const {
        return std::any_of(m_source.steps.begin(), m_source.steps.end(),
                           [](const cfront::SourceStep& step) { return step.may_return; });
    }

    // Of a model in which each step that can return has a flag of its own.
    std::vector<bool> returning_steps(const cfront::CodeModel& model) const {
        std::vector<bool> returning(model.entry.steps.size(), false);
        for (std::size_t s = 0; s < returning.size(); ++s) {
            for (const cfront::Access& access : model.entry.steps[s].accesses) {
                const cfront::Object& object = model.entry.objects[static_cast<std::size_t>(access.object)];
                const bool is_flag =
                    object.kind == cfront::ObjectKind::entry_parameter && object.parameter == m_adopted.returned;
                returning[s] = returning[s] || (is_flag && !access.writes.empty());
            }
        }
        return returning;
    }

    Result<generate::GeneratedCode> code(const cfront::CodeModel& model) {
        generate::GeneratedCode code;
        code.files = m_code.files;
        code.sources = m_code.sources;
        code.prefix = m_code.prefix;
        code.entry = m_adopted.entry;
        code.entry_source = file("steps");
        for (std::size_t s = 0; s < m_source.steps.size(); ++s) {
            generate::EntryCall call;
            call.function = m_adopted.step_names[s];
            call.arguments = arguments_of_step(m_adopted, s);
            if (!m_adopted.rounds.empty()) {
                const StepRounds& rounds = m_adopted.rounds[s];
                call.why_no_slices = of_generated(rounds.why_not);
                call.outer_loop = {rounds.function, rounds.rounds, "rounds"};
            }
            if (!call.outer_loop || call.outer_loop->rounds == 0) {
                call.outer_loop.reset();
            }
            for (const cfront::Access& access : model.entry.steps[s].accesses) {
                call.output_bytes += access.writes.bytes();
            }
            code.calls.push_back(std::move(call));
        }
        for (const AdoptedParameter& parameter : m_adopted.parameters) {
            code.parameters.push_back(
                {parameter.role, parameter.name, parameter.elements * parameter.element_bytes, -1});
            code.arena_bytes += parameter.role == EntryParameter::Role::arena ? code.parameters.back().bytes : 0;
        }
        generate::AdoptedCode adopted;
        adopted.files[file("steps")] = write_steps(m_adopted);
        adopted.files[file("oracle")] = write_oracle(m_adopted, m_oracle_source);
        for (const auto& [path, text] : m_copy) {
            adopted.files["source/" + path] = text;
        }
        adopted.app_sources = app_sources();
        adopted.stand_ins = m_stand_ins;
        adopted.include_dirs = m_input.include_dirs;
        set_input(k_generated_folder);
        adopted.plain_sources = sources_with(file("oracle"), m_input.sources, m_oracle_source);
        adopted.plain_include_dirs = m_input.include_dirs;
        adopted.defines = m_code.defines;
        adopted.plain_entry = m_adopted.oracle;
        adopted.plain_parameters = m_adopted.plain_parameters;
        adopted.plain_stack_bytes = m_source.stack_bytes;
        adopted.allocates = of_generated(place_of_allocation(adopted_model(model)));
        adopted.generator = m_code.generator;
        const auto add = [&](const std::string& note) { adopted.notes.push_back(of_generated(note)); };
        for (const cfront::Recovery& note : m_source.notes) {
            add(fmt::format("{}:{}: {}", note.location.file, note.location.line, note.message));
        }
        const std::vector<std::string> opaque = opaque_notes(adopted_model(model));
        std::for_each(opaque.begin(), opaque.end(), add);
        std::for_each(m_notes.begin(), m_notes.end(), add);
        for (const cfront::Recovery& note : model.recoveries) {
            add(fmt::format("{}:{}: {}", note.location.file, note.location.line, note.message));
        }
        code.adopted = std::move(adopted);
        return code;
    }

    const ForeignCode& m_code;
    const cfront::Target& m_target;
    ScratchFolder m_scratch;
    cfront::FrontEndInput m_input;
    std::vector<std::string> m_stand_ins;
    cfront::EntrySource m_source;
    AdoptedEntry m_adopted;
    std::vector<std::string> m_notes;
    std::string m_oracle_source;                // of the generator's entry
    std::map<std::string, std::string> m_copy;  // of m_code.files; empty: there is none
};

}  // namespace

Result<generate::GeneratedCode> adopt(const ForeignCode& code, const cfront::Target& target, Slicing slicing) {
    MM_TRY(ScratchFolder scratch, ScratchFolder::make("metamorph-adopt"));
    return Adopter(code, target, std::move(scratch)).run(slicing);
}

}  // namespace metamorph::adopt
