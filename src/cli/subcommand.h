// What all subcommands share. A subcommand declares its options (here only their form), and later turns what CLI11 read
// into checked values. CLI11 splits the command line and knows nothing of values: all of them stay text until then, so
// that every message has our form, and a wrong value is told before a missing one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "util/result.h"

namespace CLI {
class App;
}

namespace metamorph::cli {

struct Example {
    std::string command;  // "metamorph run digits.tflite"
    std::string effect;   // what it does, one line
};

class Subcommand {
public:
    Subcommand(CLI::App& root, const std::string& name, const std::string& summary, std::vector<Example> examples);
    Subcommand(const Subcommand&) = delete;
    Subcommand& operator=(const Subcommand&) = delete;
    virtual ~Subcommand() = default;

    // Checks the values and carries the command out.
    virtual Result<int> execute(const Commands& commands) const = 0;

    CLI::App& app() const { return m_app; }
    const std::vector<Example>& examples() const { return m_examples; }
    // Words that complete an option's value; "" is the key of the positional argument.
    const std::map<std::string, std::vector<std::string>>& choices() const { return m_choices; }
    bool takes_file() const { return m_takes_file; }  // its positional argument is a path

    bool may_omit(const std::string& argument) const { return m_is_argument_optional || m_optional.contains(argument); }

    bool may_repeat(const std::string& option) const { return m_lists.contains(option); }

    // Names of the options, "--tasks" and "-o", without --help.
    std::vector<std::string> option_names() const;

protected:
    void add_file(const std::string& placeholder, const std::string& description);
    // One or more.
    void add_files(const std::string& placeholder, const std::string& description);
    // A file, one of the words, or nothing.
    void add_optional_file(const std::string& placeholder, const std::string& description,
                           std::vector<std::string> words);
    void add_value(const std::string& names, const std::string& placeholder, const std::string& description,
                   std::vector<std::string> choices = {});
    // As add_value, for an option that may be given several times.
    void add_list(const std::string& names, const std::string& placeholder, const std::string& description);
    void add_flag(const std::string& names, const std::string& description);
    void add_slice();                                                // --slice
    void add_generator(const std::vector<std::string>& frameworks);  // --generator and what belongs to it
    void add_generator_option();                                     // --option
    void add_words(const std::string& placeholder, const std::string& description, std::vector<std::string> choices);
    void add_argument(const std::string& placeholder, const std::string& description);  // a further one, optional

    bool has(const std::string& option) const;
    std::optional<std::string> text(const std::string& option) const;  // nothing where it was not given
    std::vector<std::string> texts(const std::string& option) const;   // of an option that may be repeated
    Result<std::string> needed(const std::string& option, const std::string& hint) const;
    CommonOptions common() const;
    // An error if both are there: `why` says what to do.
    Status exclude(const std::string& option, const std::string& other, const std::string& why) const;

    // --tasks and its alias --task-count; the default where neither is given.
    Result<std::string> read_tasks() const;
    Result<std::vector<std::string>> read_slices() const;
    Result<std::string> read_prefix() const;
    // --jobs (as many as processors where it is not given) and --keep.
    Status read_resources(int& jobs, std::filesystem::path& keep) const;
    Result<GeneratorOptions> read_generator() const;
    Result<std::vector<std::pair<std::string, std::string>>> read_generator_options() const;
    // MODEL: of the native generator a file, of others also a folder.
    Result<std::filesystem::path> read_model(const GeneratorOptions& generator, const std::string& usage) const;
    Result<std::optional<Stage>> read_dump_after() const;

private:
    CLI::App& m_app;
    const std::vector<Example> m_examples;
    std::map<std::string, std::vector<std::string>> m_choices;
    std::set<std::string> m_lists, m_optional;
    bool m_takes_file = false, m_is_argument_optional = false;
};

// One file each.
std::unique_ptr<Subcommand> make_inspect(CLI::App& root, const std::vector<std::string>& frameworks);
std::unique_ptr<Subcommand> make_generate(CLI::App& root, const std::vector<std::string>& frameworks);
std::unique_ptr<Subcommand> make_weave(CLI::App& root, const std::vector<std::string>& devices,
                                       const std::vector<std::string>& frameworks);
std::unique_ptr<Subcommand> make_run(CLI::App& root, const std::vector<std::string>& frameworks);
std::unique_ptr<Subcommand> make_verify(CLI::App& root, const std::vector<std::string>& devices,
                                        const std::vector<std::string>& frameworks);
std::unique_ptr<Subcommand> make_compare(CLI::App& root, const std::vector<std::string>& devices,
                                         const std::vector<std::string>& frameworks);
std::unique_ptr<Subcommand> make_devices(CLI::App& root, const std::vector<std::string>& names);
std::unique_ptr<Subcommand> make_frameworks(CLI::App& root, const std::vector<std::string>& names);
std::unique_ptr<Subcommand> make_libs(CLI::App& root, const std::vector<std::string>& devices);
std::unique_ptr<Subcommand> make_init(CLI::App& root);
std::unique_ptr<Subcommand> make_matrix(CLI::App& root);
std::unique_ptr<Subcommand> make_report(CLI::App& root);
std::unique_ptr<Subcommand> make_why(CLI::App& root);
std::unique_ptr<Subcommand> make_doctor(CLI::App& root, const std::vector<std::string>& frameworks);

}  // namespace metamorph::cli
