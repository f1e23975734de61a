#include "cli/subcommand.h"

#include <CLI/CLI.hpp>

#include "cli/values.h"
#include "util/thread_pool.h"

namespace metamorph::cli {

Subcommand::Subcommand(CLI::App& root, const std::string& name, const std::string& summary,
                       std::vector<Example> examples)
    : m_app(*root.add_subcommand(name, summary)), m_examples(std::move(examples)) {
    m_app.allow_extras();  // so that we word the complaint
    m_app.set_help_flag("-h,--help", "show this help");
}

void Subcommand::add_file(const std::string& placeholder, const std::string& description) {
    add_words(placeholder, description, {});
    m_takes_file = true;
}

void Subcommand::add_files(const std::string& placeholder, const std::string& description) {
    add_file(placeholder, description);
    m_app.get_option(placeholder)->expected(1, -1)->allow_extra_args();
    m_lists.insert(placeholder);
}

void Subcommand::add_optional_file(const std::string& placeholder, const std::string& description,
                                   std::vector<std::string> words) {
    add_words(placeholder, description, std::move(words));
    m_takes_file = true;
    m_is_argument_optional = true;
}

void Subcommand::add_words(const std::string& placeholder, const std::string& description,
                           std::vector<std::string> choices) {
    m_app.add_option(placeholder, [](const CLI::results_t&) { return true; }, description);
    m_choices[""] = std::move(choices);
}

void Subcommand::add_argument(const std::string& placeholder, const std::string& description) {
    m_app.add_option(placeholder, [](const CLI::results_t&) { return true; }, description);
    m_optional.insert(placeholder);
}

void Subcommand::add_value(const std::string& names, const std::string& placeholder, const std::string& description,
                           std::vector<std::string> choices) {
    CLI::Option* option = m_app.add_option(names, [](const CLI::results_t&) { return true; }, description);
    option->option_text(placeholder)->type_size(1)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    m_choices[option->get_name()] = std::move(choices);
}

void Subcommand::add_list(const std::string& names, const std::string& placeholder, const std::string& description) {
    add_value(names, placeholder, description);
    m_lists.insert(names.substr(names.find("--")));  // "-t,--tasks" is told of as --tasks
}

void Subcommand::add_slice() {
    add_list("--slice", "SLICES",
             "cut a layer that is larger than the energy of one charge into slices, each a task: 0=4 or "
             "conv2d_00_relu=4 (four slices); auto:4096B or auto:50000MACs (every layer that makes more than this, so "
             "that no slice does); may be repeated");
}

void Subcommand::add_flag(const std::string& names, const std::string& description) {
    m_app.add_flag(names, description);
}

std::vector<std::string> Subcommand::option_names() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : static_cast<const CLI::App&>(m_app).get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
        for (const std::string& name : option->get_snames()) {
            names.push_back("-" + name);
        }
    }
    return names;
}

bool Subcommand::has(const std::string& option) const {
    return m_app.get_option(option)->count() > 0;
}

std::optional<std::string> Subcommand::text(const std::string& option) const {
    const CLI::results_t& results = m_app.get_option(option)->results();
    return results.empty() ? std::nullopt : std::optional<std::string>(results.back());
}

std::vector<std::string> Subcommand::texts(const std::string& option) const {
    return m_app.get_option(option)->results();
}

Result<std::string> Subcommand::needed(const std::string& option, const std::string& hint) const {
    if (const std::optional<std::string> value = text(option); value && !value->empty()) {
        return *value;
    }
    return fail_with_hint(ErrorCode::options, "metamorph " + m_app.get_name(),
                          fmt::format("{} is {}", option, text(option) ? "empty" : "missing"), hint);
}

Status Subcommand::read_resources(int& jobs, std::filesystem::path& keep) const {
    jobs = default_threads();
    if (const auto given = text("--jobs")) {
        MM_TRY(const std::uint64_t number, read_number("--jobs", *given, 1, k_threads_max));
        jobs = static_cast<int>(number);
    }
    if (const auto given = text("--keep")) {
        keep = *given;
        MM_CHECK(check_output_folder("--keep", keep));
    }
    return {};
}

CommonOptions Subcommand::common() const {
    return {has("--json"), has("--quiet")};
}

Status Subcommand::exclude(const std::string& option, const std::string& other, const std::string& why) const {
    if (has(option) && has(other)) {
        return fail_with_hint(ErrorCode::options, option, fmt::format("{} contradicts {}", option, other), why);
    }
    return {};
}

Result<std::string> Subcommand::read_tasks() const {
    MM_CHECK(exclude("--task-count", "--tasks", "give one of them"));
    if (const auto count = text("--task-count")) {
        MM_CHECK(read_number("--task-count", *count, 1, 100'000));
        return *count;
    }
    const std::string tasks = text("--tasks").value_or("layer");
    MM_CHECK(check_split("--tasks", tasks));
    return tasks;
}

Result<std::vector<std::string>> Subcommand::read_slices() const {
    std::vector<std::string> slices = texts("--slice");
    for (const std::string& slice : slices) {
        MM_CHECK(check_slice("--slice", slice));
    }
    return slices;
}

Result<std::string> Subcommand::read_prefix() const {
    const std::optional<std::string> prefix = text("--prefix");
    if (prefix) {
        MM_CHECK(check_prefix("--prefix", *prefix));
    }
    return prefix.value_or("");
}

Result<std::optional<Stage>> Subcommand::read_dump_after() const {
    const std::optional<std::string> stage = text("--dump-after");
    if (!stage) {
        return std::nullopt;
    }
    MM_CHECK(exclude("--dump-after", "--json", "what a stage found is text, and would spoil the JSON document"));
    MM_TRY(const std::size_t index, read_choice("--dump-after", *stage, stage_choices()));
    return static_cast<Stage>(index);
}

}  // namespace metamorph::cli
