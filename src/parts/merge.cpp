#include "parts/merge.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "parts/merged_files.h"
#include "parts/shared_names.h"

namespace metamorph::parts {
namespace {

using generate::EntryParameter;

constexpr std::uint32_t k_data = 0x50400000, k_quadrant_bytes = 0x400000, k_instance_bytes = 0x8000;

// The bytes of a word of data memory that belong to processors of the mask.
std::uint32_t lanes_of(std::uint32_t address, std::uint64_t processors) {
    const std::uint32_t at = address - k_data;
    const std::uint32_t first = at / k_quadrant_bytes * 16 + at % k_quadrant_bytes / k_instance_bytes * 4;
    std::uint32_t mask = 0;
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        mask |= first + lane < 64 && (processors >> (first + lane) & 1) != 0 ? 0xffU << (8 * lane) : 0;
    }
    return mask;
}

class Merger {
public:
    explicit Merger(const MergeRequest& request) : m_request(request) {
        m_program.prefix = request.prefix;
        m_program.generator = request.generator;
    }

    Result<MergedCode> run() {
        for (const PartProject& project : m_request.parts) {
            MM_TRY(PartSource source, read_part(project, m_request.stubs));
            m_program.sources.push_back(std::move(source));
        }
        MM_CHECK(check_programs());
        m_program.shared = shared_functions(m_program.sources);
        MM_CHECK(plan_transfers());
        plan_definitions();
        add_code();
        add_model();
        return std::move(m_merged);
    }

private:
    std::size_t count() const { return m_program.sources.size(); }
    const PartSource& last() const { return m_program.sources.back(); }

    Status check_programs() const {
        for (const PartSource& part : m_program.sources) {
            if (part.boot != m_program.sources[0].boot) {
                return fail(ErrorCode::model, part.name + "/main.c",
                            "{} does after a boot: {}; and {}: {}. Tasks share one boot", part.name,
                            fmt::join(part.boot, ", "), m_program.sources[0].name,
                            fmt::join(m_program.sources[0].boot, ", "));
            }
        }
        for (std::size_t p = 0; p < count(); ++p) {
            for (std::size_t other = 0; other < p; ++other) {
                if (m_program.sources[p].setup_sum == m_program.sources[other].setup_sum) {
                    return fail(ErrorCode::model, m_program.sources[p].name,
                                "{} sets the accelerator up exactly as {} does: they would be the same layers",
                                m_program.sources[p].name, m_program.sources[other].name);
                }
            }
        }
        if (last().has_softmax &&
            (!last().functions.contains("softmax_layer") || !last().variables.contains("ml_softmax"))) {
            return fail(ErrorCode::model, last().name, "main calls softmax_layer, and there is none");
        }
        return {};
    }

    Status plan_transfers() {
        m_program.parts.resize(count());
        KnownWords input = m_program.sources[0].loaded;
        for (auto& [address, word] : input) {
            word.mask = m_request.input_is_chw ? 0xffffffff : lanes_of(address, m_request.input_processors);
            if ((word.value & ~word.mask) != 0) {
                return fail(
                    ErrorCode::model, m_program.sources[0].name,
                    "the sample has {:#010x} at {:#010x}, where the first layer's processors read only the bytes "
                    "{:#010x}",
                    word.value, address, word.mask);
            }
        }
        set_loads(0, input);
        m_merged.known_input = packed(input, m_program.parts[0].loads);
        for (std::size_t p = 1; p < count(); ++p) {
            MM_TRY(const KnownWords words, crossing_words(m_program.sources[p - 1].stored, m_program.sources[p].loaded,
                                                          m_program.sources[p - 1].name, m_program.sources[p].name));
            set_loads(p, words);
            m_merged.known_at_cut.push_back(packed(words, m_program.parts[p].loads));
            for (const TransferRun& run : m_program.parts[p].loads) {
                if (run.mask != 0) {
                    m_program.parts[p - 1].stores.push_back(run);
                }
            }
            m_program.parts[p - 1].to_bytes = m_program.parts[p].from_bytes;
        }
        m_program.parts.back().to_bytes = last().output_words * 4;
        m_program.output_bytes =
            last().has_softmax ? last().variables.at("ml_softmax").facts.bytes : m_program.parts.back().to_bytes;
        for (std::size_t p = 0; p < count(); ++p) {
            m_program.parts[p].step = fmt::format("{}_part_{}", m_program.prefix, p);
            if (m_program.parts[p].from_bytes == 0) {
                return fail(ErrorCode::model, m_program.sources[p].name, "{} loads nothing", m_program.sources[p].name);
            }
        }
        m_program.softmax_step = last().has_softmax ? m_program.prefix + "_softmax" : "";
        return {};
    }

    void set_loads(std::size_t part, const KnownWords& words) {
        m_program.parts[part].loads = merge_runs(words);
        m_program.parts[part].from_bytes = bytes_of(m_program.parts[part].loads);
    }

    void plan_definitions() {
        for (std::size_t p = 0; p < count(); ++p) {
            const PartSource& source = m_program.sources[p];
            std::vector<std::string> roots{"cnn_enable",    "cnn_init",  "cnn_load_weights", "cnn_load_bias",
                                           "cnn_configure", "cnn_start", "cnn_disable"};
            if (!source.boost.empty()) {
                roots.insert(roots.end(), {"cnn_boost_enable", "cnn_boost_disable"});
            }
            if (p + 1 == count()) {
                roots.emplace_back("cnn_unload");
                if (source.has_softmax) {
                    const std::vector<std::string> more = softmax_roots(source);
                    roots.insert(roots.end(), more.begin(), more.end());
                }
            }
            for (const std::string& name : in_order_of_source(source, reached_from(source, roots))) {
                if (name != k_stopwatch) {
                    (m_program.shared.contains(name) ? m_program.parts[p].shared : m_program.parts[p].own)
                        .push_back(name);
                }
            }
        }
        // One list of what is shared, whichever part needs it.
        std::set<std::string> shared;
        for (const MergedPart& part : m_program.parts) {
            shared.insert(part.shared.begin(), part.shared.end());
        }
        m_program.parts[0].shared = in_order_of_source(m_program.sources[0], shared);
    }

    static std::vector<std::string> softmax_roots(const PartSource& source) {
        std::vector<std::string> roots{"ml_softmax", source.output_array};
        for (const std::string& callee : source.functions.at("softmax_layer").facts.calls) {
            roots.push_back(callee);
        }
        return roots;
    }

    static std::vector<std::string> in_order_of_source(const PartSource& source, const std::set<std::string>& names) {
        std::vector<std::string> sorted(names.begin(), names.end());
        const auto key = [&](const std::string& name) {
            const auto function = source.functions.find(name);
            return function != source.functions.end()
                       ? std::tuple(function->second.source, function->second.facts.location.line, name)
                       : std::tuple(source.variables.at(name).source, source.variables.at(name).facts.location.line,
                                    name);
        };
        std::sort(sorted.begin(), sorted.end(),
                  [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
        return sorted;
    }

    void add_code() {
        generate::GeneratedCode& code = m_merged.code;
        const std::string& prefix = m_program.prefix;
        code.prefix = prefix;
        code.entry = prefix + "_flat";
        for (const PartProject& project : m_request.parts) {
            for (const auto& [path, contents] : project.files) {
                code.files[project.name + "/" + path] = contents;
            }
        }
        generate::AdoptedCode adopted;
        for (const auto& [path, contents] : m_request.stubs) {
            adopted.files["stubs/" + path] = contents;
        }
        const auto add_source = [&](const std::string& name, std::string text) {
            adopted.files[name] = std::move(text);
            adopted.app_sources.push_back("adopted/" + name);
        };
        adopted.files[prefix + "_parts.h"] = write_parts_header(m_program);
        adopted.files[prefix + "_shared.h"] = write_shared_header(m_program);
        add_source(prefix + "_shared.c", write_shared(m_program));
        for (std::size_t p = 0; p < count(); ++p) {
            add_source(fmt::format("{}_part_{}.c", prefix, p), write_part(m_program, p));
        }
        add_source(prefix + "_known.c", write_known(m_program));
        adopted.app_sources.emplace_back("adopted/stubs/ai8x_replay.c");
        adopted.files[prefix + "_entry.c"] = write_entry(m_program);
        adopted.plain_sources = adopted.app_sources;
        adopted.plain_sources.push_back("adopted/" + prefix + "_entry.c");
        adopted.include_dirs = {"adopted", "adopted/stubs"};
        adopted.plain_entry = prefix + "_oracle";
        adopted.plain_parameters = 2;
        adopted.generator = m_request.generator;
        adopted.notes = notes();
        code.adopted = std::move(adopted);
        code.sources = code.adopted->app_sources;
    }

    std::vector<std::string> notes() const {
        std::vector<std::string> notes;
        for (const auto& [name, function] : last().functions) {
            const bool is_shared = m_program.shared.contains(name);
            const bool is_replaced =
                function.part_class == PartClass::known_answer || function.part_class == PartClass::program;
            notes.push_back(fmt::format("{}: {}{}", name, name_of(function.part_class),
                                        is_replaced ? ", replaced"
                                        : is_shared ? ", once: the same in all parts"
                                                    : fmt::format(", a part each: {}_0 and so on", name)));
        }
        for (std::size_t p = 1; p < count(); ++p) {
            notes.push_back(fmt::format("cut {}: {} bytes cross, in {} runs", p - 1, m_program.parts[p].from_bytes,
                                        m_program.parts[p - 1].stores.size()));
        }
        return notes;
    }

    void add_buffer(const std::string& name, std::int64_t bytes, EntryParameter::Role role) {
        const bool is_input = role == EntryParameter::Role::input;
        const std::string element = is_input ? "const unsigned char" : "unsigned char";
        m_merged.code.parameters.push_back({role, name, bytes, -1});
        m_merged.code.arena_bytes += role == EntryParameter::Role::arena ? bytes : 0;
        cfront::Object object;
        object.kind = cfront::ObjectKind::entry_parameter;
        object.name = name;
        object.element_type = element;
        object.bytes = bytes;
        object.parameter = static_cast<int>(m_merged.code.parameters.size()) - 1;
        m_merged.model.entry.objects.push_back(object);
        m_entry.parameters.push_back({name, element + " *", element, true, is_input, false, 1, bytes});
    }

    void add_step(const std::string& name, int from, int to, std::vector<std::string> calls) {
        const auto object = [&](int id) -> const cfront::Object& {
            return m_merged.model.entry.objects[static_cast<std::size_t>(id)];
        };
        cfront::Function function;
        function.name = name;
        function.return_type = "void";
        function.parameters = {
            {"from", "const unsigned char *", "const unsigned char", true, true, false, 1, object(from).bytes},
            {"to", "unsigned char *", "unsigned char", true, false, false, 1, object(to).bytes}};
        function.calls = std::move(calls);
        m_steps.push_back(function);
        cfront::Step step;
        step.callee = name;
        step.location = {"adopted/" + m_program.prefix + "_entry.c", 0, 0};
        step.text = fmt::format("{}({}, {})", name, object(from).name, object(to).name);
        const IntervalSet read(0, *object(from).bytes), written(0, *object(to).bytes);
        step.arguments = {{cfront::Argument::Kind::object, object(from).name, from, 0, "const unsigned char *"},
                          {cfront::Argument::Kind::object, object(to).name, to, 0, "unsigned char *"}};
        step.accesses = {{from, 0, read, {}, {}, {}, "", ""}, {to, 1, {}, written, written, written, "", ""}};
        m_merged.model.entry.steps.push_back(std::move(step));
        generate::EntryCall call;
        call.function = name;
        call.arguments = {object(from).name, object(to).name};
        call.why_no_slices = "the accelerator does all of a part at once";
        call.output_bytes = *object(to).bytes;
        m_merged.code.calls.push_back(std::move(call));
    }

    void add_model() {
        const bool has_softmax = !m_program.softmax_step.empty();
        add_buffer("input", m_program.parts[0].from_bytes, EntryParameter::Role::input);
        add_buffer("output", m_program.output_bytes, EntryParameter::Role::output);
        const std::size_t between = count() - 1 + (has_softmax ? 1 : 0);
        for (std::size_t b = 0; b < between; ++b) {
            add_buffer(fmt::format("cut_{}", b), m_program.parts[b].to_bytes, EntryParameter::Role::arena);
        }
        int from = 0;
        for (std::size_t p = 0; p < count(); ++p) {
            const int to = p < between ? static_cast<int>(p) + 2 : 1;
            std::vector<std::string> calls;
            for (const std::string& name : m_program.parts[p].own) {
                if (m_program.sources[p].functions.contains(name)) {
                    calls.push_back(merged_name(m_program, name, p));
                }
            }
            calls.insert(calls.end(), m_program.parts[0].shared.begin(), m_program.parts[0].shared.end());
            for (const std::string& name : calls) {
                m_called.insert(name);
            }
            add_step(m_program.parts[p].step, from, to, calls);
            from = to;
        }
        if (has_softmax) {
            add_step(m_program.softmax_step, from, 1, {});
        }
        m_entry.name = m_merged.code.entry;
        m_entry.return_type = "void";
        m_merged.model.entry.function = m_entry.name;
        m_merged.model.functions.push_back(m_entry);
        for (const cfront::Function& step : m_steps) {
            m_merged.model.functions.push_back(step);
        }
        for (const std::string& name : m_called) {
            cfront::Function called;
            called.name = name;
            m_merged.model.functions.push_back(std::move(called));
        }
    }

    const MergeRequest& m_request;
    MergedProgram m_program;
    MergedCode m_merged;
    cfront::Function m_entry;
    std::vector<cfront::Function> m_steps;
    std::set<std::string> m_called;
};

}  // namespace

Result<MergedCode> merge(const MergeRequest& request) {
    if (request.parts.empty()) {
        return fail(ErrorCode::internal, "", "there are no parts to merge");
    }
    return Merger(request).run();
}

}  // namespace metamorph::parts
