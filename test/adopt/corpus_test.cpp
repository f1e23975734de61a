// Small C programs with a hazard each (corpus/): woven and right after every cut, or refused with file, line and
// reason; never silently wrong. Each is woven a task a layer with mapped NVM, and each third one in two tasks with NVM
// behind a bus, too. Power is cut at every write unit of an inference, of two where something is kept from one to the
// next, and here and there in three, where something may be kept that nobody knows of; what comes out is compared with
// the uninterrupted program.
#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "adopt/program.h"
#include "adopt/quick_build.h"
#include "e2e/cfront/recorded_run.h"
#include "generate/slices.h"
#include "pipeline/inputs.h"
#include "pipeline/pipeline.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/thread_pool.h"
#include "verify/cut_run.h"

namespace metamorph::corpus {
namespace {

namespace fs = std::filesystem;
using tasks::NvmMode;

constexpr std::uint64_t k_cuts_here_and_there = 16;

const fs::path k_corpus = fs::path(METAMORPH_SOURCE_DIR) / "test/adopt/corpus";

pipeline::WeaveRequest request_for(const Program& program, const std::string& split, NvmMode mode) {
    pipeline::WeaveRequest request;
    request.model = program.name;
    request.split = tasks::parse_split(split).value();
    request.mode = mode;
    for (const std::string& slices : program.slices) {
        request.slices.push_back(tasks::parse_slice(slices).value());
    }
    return request;
}

// What is wrong with a program, a line each; empty if it is as its first line says.
class Examination {
public:
    enum class Extent { by_layer, also_in_two_tasks };
    Examination(const Program& program, const QuickBuild& builder, fs::path folder, Extent extent)
        : m_program(program), m_builder(builder), m_folder(std::move(folder)), m_extent(extent) {}

    std::string run() {
        const auto woven = pipeline::weave_foreign(m_program.code, request_for(m_program, "layer", NvmMode::mapped));
        if (m_program.is_refused) {
            return refused(woven);
        }
        if (!woven) {
            return "is not woven: " + describe(woven.error()) + "\n";
        }
        check_words(*woven);
        const auto steps = static_cast<int>(woven->code.calls.size());
        if (steps != m_program.steps) {
            say("has {} steps, not {}\n{}", steps, m_program.steps, woven->code.adopted->files.at("net_steps.c"));
        }
        if (!m_program.slices.empty() && woven->code_model->entry.steps.size() <= woven->code.calls.size()) {
            say("nothing is sliced");
        }
        cut(*woven, m_folder / "mapped", NvmMode::mapped);
        record(*woven);
        if (steps > 1 && m_extent == Extent::also_in_two_tasks) {
            const auto halves = pipeline::weave_foreign(m_program.code, request_for(m_program, "2", NvmMode::bus));
            if (halves) {
                cut(*halves, m_folder / "bus", NvmMode::bus);
            } else {
                say("in two tasks: {}", describe(halves.error()));
            }
        }
        return m_problems;
    }

private:
    template <typename... Arguments>
    void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
        m_problems += fmt::format(text, std::forward<Arguments>(arguments)...) + "\n";
    }

    std::string refused(const Result<pipeline::Woven>& woven) {
        if (woven) {
            return "is woven, not refused:\n" + woven->code.adopted->files.at("net_steps.c");
        }
        const Error& error = woven.error();
        const std::string where = fmt::format("generated/{}.c:{}", m_program.name, m_program.line);
        const std::size_t said = error.where == "--slice" ? error.message.find(where) : std::string::npos;
        const bool is_said = said != std::string::npos && std::isdigit(error.message[said + where.size()]) == 0;
        if (!is_said && error.where != where && !error.where.starts_with(where + ":")) {
            say("is refused at {}, not at {}: {}", error.where, where, error.message);
        } else if (error.message.find(m_program.words) == std::string::npos) {
            say("is refused for another reason: {}", describe(error));
        }
        return m_problems;
    }

    void check_words(const pipeline::Woven& woven) {
        const std::vector<std::string>& notes = woven.code.adopted->notes;
        const bool is_told = m_program.words.empty() || std::any_of(notes.begin(), notes.end(), [&](const auto& note) {
                                 return note.find(m_program.words) != std::string::npos;
                             });
        if (!is_told) {
            say("no note says \"{}\"", m_program.words);
            for (const std::string& note : notes) {
                say("    {}", note);
            }
        }
    }

    Status cut_at_every_write(const pipeline::Woven& woven, const fs::path& project, NvmMode mode) {
        MM_CHECK(write_files(project, woven.project.files));
        MM_CHECK(m_builder.build_app(project, mode, woven.code.adopted->app_sources));
        const weave::WovenSummary summary = weave::read_summary(woven.project.files.at("weave.json")).value();
        const fs::path plain = m_folder / "mapped";
        if (mode == NvmMode::mapped) {
            MM_CHECK(m_builder.build_plain(project, woven.code.adopted->plain_sources));
        }
        const verify::HostBuild build{project, project / "net_app", plain / "net_plain"};
        const bool keeps_something = !woven.plan->initial.empty();
        MM_CHECK(cut_inferences(build, summary, keeps_something ? 2 : 1, std::nullopt));
        return keeps_something ? Status{} : cut_inferences(build, summary, 3, k_cuts_here_and_there);
    }

    Status cut_inferences(const verify::HostBuild& build, const weave::WovenSummary& summary, int inferences,
                          std::optional<std::uint64_t> cuts_max) {
        verify::CutRequest request;
        request.inferences = inferences;
        request.inputs = pipeline::random_inferences(1, inferences, static_cast<std::size_t>(summary.input_bytes),
                                                     summary.input_floats);
        request.cuts_max = cuts_max;
        request.second_max = 0;
        MM_TRY(request.expected,
               verify::run_plain(build, request.inputs, static_cast<std::size_t>(summary.output_bytes * inferences)));
        MM_TRY(const nlohmann::ordered_json report, verify::cut_everywhere(build, build.folder, request));
        const auto number = [&](const char* key) { return report.at(key).get<std::uint64_t>(); };
        if (number("wrong_count") != 0) {
            say("{}: {} of {} cuts are wrong, the first: {}", summary.mode, number("wrong_count"), number("cuts_tried"),
                report.at("wrong").at(0).dump());
        }
        if (!cuts_max && number("cuts_tried") < number("units_total")) {
            say("{}: not every write was cut", summary.mode);
        }
        return {};
    }

    void cut(const pipeline::Woven& woven, const fs::path& project, NvmMode mode) {
        if (const Status status = cut_at_every_write(woven, project, mode); !status) {
            say("in two tasks or by layer: {}", describe(status.error()));
        }
    }

    // What the flat entry really touches lies within what the front end found.
    void record(const pipeline::Woven& woven) {
        cfront::FrontEndInput input;
        input.root = m_folder / "mapped";
        if (!m_program.slices.empty()) {
            input.root = m_folder / "sliced";
            write_sliced(woven, input.root);
        }
        input.sources = woven.code.adopted->app_sources;
        input.include_dirs = woven.code.adopted->include_dirs;
        input.defines = {"__builtin_memcpy=memcpy", "__builtin_memset=memset"};  // the recorder sees calls of these
        input.entry = woven.code.entry;
        const cfront::CodeModel& model = *woven.code_model;
        const auto recording = cfront::record_accesses(input, model, 7);
        if (!recording) {
            return say("accesses could not be recorded: {}", describe(recording.error()));
        }
        for (std::size_t s = 0; s < model.entry.steps.size(); ++s) {
            for (std::size_t id = 0; id < model.entry.objects.size(); ++id) {
                compare(model, s, id, (*recording)[s][id]);
            }
        }
    }

    // The project with the entry that the front end has seen.
    void write_sliced(const pipeline::Woven& woven, const fs::path& project) {
        const auto requests = request_for(m_program, "layer", NvmMode::mapped).slices;
        const auto slices = pipeline::choose_slices(woven.code, requests);
        std::map<std::string, std::string> files = woven.project.files;
        files.at("adopted/" + woven.code.entry_source) = generate::sliced_entry(woven.code, slices.value());
        if (const Status status = write_files(project, files); !status) {
            say("{}", describe(status.error()));
        }
    }

    void compare(const cfront::CodeModel& model, std::size_t s, std::size_t id,
                 const cfront::RecordedAccess& recorded) {
        if (!cfront::is_recorded(model, static_cast<cfront::ObjectId>(id))) {
            return;
        }
        IntervalSet reads, writes, must_writes;
        for (const cfront::Access& access : model.entry.steps[s].accesses) {
            if (access.object == static_cast<cfront::ObjectId>(id)) {
                reads.add(access.reads);
                writes.add(access.writes);
                must_writes.add(access.must_writes);
            }
        }
        const std::string where = model.entry.steps[s].callee + ", " + model.entry.objects[id].name;
        if (!reads.contains(recorded.reads)) {
            say("{}: reads {}, found were {}", where, recorded.reads.print(), reads.print());
        }
        if (!writes.contains(recorded.writes)) {
            say("{}: writes {}, found were {}", where, recorded.writes.print(), writes.print());
        }
        if (!recorded.writes.contains(must_writes)) {
            say("{}: writes {}, but certain were {}", where, recorded.writes.print(), must_writes.print());
        }
    }

    const Program& m_program;
    const QuickBuild& m_builder;
    const fs::path m_folder;
    const Extent m_extent;
    std::string m_problems;
};

Status prepare(QuickBuild& builder, const Program& any, const fs::path& folder) {
    for (const NvmMode mode : {NvmMode::mapped, NvmMode::bus}) {
        const fs::path project = folder / (mode == NvmMode::mapped ? "shared-mapped" : "shared-bus");
        MM_TRY(const pipeline::Woven woven, pipeline::weave_foreign(any.code, request_for(any, "layer", mode)));
        MM_CHECK(write_files(project, woven.project.files));
        MM_CHECK(builder.prepare(project, mode));
    }
    return {};
}

// All whose name matches METAMORPH_CORPUS_ONLY, where that is set.
std::vector<Program> chosen_programs(bool is_refused) {
    std::vector<Program> programs = read_corpus(k_corpus);
    const char* only = std::getenv("METAMORPH_CORPUS_ONLY");
    std::erase_if(programs, [&](const Program& program) {
        return program.is_refused != is_refused || (only != nullptr && program.name != only);
    });
    return programs;
}

void examine(bool is_refused) {
    const ScratchFolder scratch = ScratchFolder::make("metamorph-corpus").value();
    const std::vector<Program> programs = chosen_programs(is_refused);
    ASSERT_FALSE(programs.empty());
    QuickBuild builder(scratch.path());
    if (!is_refused) {
        const Status status = prepare(builder, programs.front(), scratch.path());
        ASSERT_TRUE(status) << describe(status.error());
    }
    const auto problems = parallel_map<std::string>(
        default_threads(), static_cast<std::int64_t>(programs.size()), [&](std::int64_t i) -> Result<std::string> {
            const Program& program = programs[static_cast<std::size_t>(i)];
            const Examination::Extent extent =
                i % 3 == 0 ? Examination::Extent::also_in_two_tasks : Examination::Extent::by_layer;
            return Examination(program, builder, scratch.path() / program.name, extent).run();
        });
    for (std::size_t i = 0; i < programs.size(); ++i) {
        EXPECT_TRUE((*problems)[i].empty()) << programs[i].name << " (" << programs[i].hazard << ")\n"
                                            << (*problems)[i];
    }
}

TEST(Corpus, WhatIsWovenIsRightAfterEveryCut) {
    examine(false);
}

TEST(Corpus, WhatIsRefusedSaysWhereAndWhy) {
    examine(true);
}

// There is no count to go by.
TEST(Corpus, SlicesByMultiplyAccumulatesAreRefused) {
    std::vector<Program> programs = read_corpus(k_corpus);
    const auto layers = std::find_if(programs.begin(), programs.end(),
                                     [](const Program& program) { return program.name == "sliced_layers"; });
    ASSERT_NE(layers, programs.end());
    layers->slices = {"auto:100MACs"};
    const auto woven = pipeline::weave_foreign(layers->code, request_for(*layers, "layer", NvmMode::mapped));
    ASSERT_FALSE(woven);
    EXPECT_EQ(woven.error().code, ErrorCode::options);
    EXPECT_EQ(woven.error().where, "--slice");
    EXPECT_NE(woven.error().message.find("of another generator's code are not counted"), std::string::npos);
    EXPECT_NE(woven.error().hint.find("--slice auto:4096B"), std::string::npos);
}

TEST(Corpus, HasFortyHazardsAndMore) {
    EXPECT_GE(read_corpus(k_corpus).size(), 40U);
}

}  // namespace
}  // namespace metamorph::corpus
