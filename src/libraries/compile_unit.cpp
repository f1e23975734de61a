#include "libraries/compile_unit.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/compile.h"
#include "build/toolchain.h"
#include "util/file.h"
#include "util/text.h"
#include "util/thread_pool.h"

namespace metamorph::libraries {
namespace {

namespace fs = std::filesystem;

constexpr auto k_compile_time = std::chrono::minutes(20);

struct Compilation {
    const Recipe* member = nullptr;
    std::string source, object;     // relative to the staged folder
    std::vector<std::string> argv;  // without -c and what follows
};

std::vector<std::string> include_flags(const Unit& unit, const Recipe& member, const CompileContext& context) {
    std::vector<std::string> flags;
    const auto add = [&](const fs::path& folder) {
        flags.push_back("-I" + folder.lexically_normal().generic_string());
    };
    for (const std::string& folder : member.include_dirs) {
        add(fs::path(member.library) / folder);
    }
    for (const Recipe& other : unit.members) {
        for (const std::string& folder : other.exports) {
            if (&other != &member) {
                add(fs::path(other.library) / folder);
            }
        }
    }
    for (const std::string& need : unit.needs) {
        add(context.need_files.at(need) / "include");
    }
    return flags;
}

std::vector<Compilation> compilations(const Unit& unit, const CompileContext& context, const fs::path& staged) {
    std::vector<Compilation> all;
    const auto append = [](std::vector<std::string>& list, const std::vector<std::string>& more) {
        list.insert(list.end(), more.begin(), more.end());
    };
    for (const Recipe& member : unit.members) {
        for (const std::string& source : member.sources) {
            Compilation one{&member, member.library + "/" + source, {}, {context.toolchain.compiler.string()}};
            one.object = fmt::format("objects/{:04}_{}.o", all.size(), fs::path(source).stem().string());
            append(one.argv, context.target.flags);
            append(one.argv, {"-ffunction-sections", "-fdata-sections"});
            append(one.argv, member.flags);
            append(one.argv, is_cxx(source)           ? member.cxx_flags
                             : source.ends_with(".c") ? member.c_flags
                                                      : std::vector<std::string>{});
            if (const auto own = member.own_flags.find(source); own != member.own_flags.end()) {
                append(one.argv, own->second);
            }
            for (const std::string& define : member.defines) {
                one.argv.push_back("-D" + define);
            }
            append(one.argv, include_flags(unit, member, context));
            one.argv.push_back(fmt::format("-ffile-prefix-map={}=/metamorph", staged.string()));
            for (const auto& [need, files] : context.need_files) {
                one.argv.push_back(fmt::format("-ffile-prefix-map={}=/metamorph/{}", files.string(), need));
            }
            all.push_back(std::move(one));
        }
    }
    return all;
}

ProcessRequest process_for(std::vector<std::string> argv, const fs::path& staged) {
    ProcessRequest process = clean_process(std::move(argv));
    process.directory = staged;
    process.timeout = k_compile_time;
    return process;
}

std::string quoted(const std::string& word) {
    const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("-_./=+,:@%").find(static_cast<char>(c)) != std::string::npos;
    });
    if (is_plain) {
        return word;
    }
    std::string text = "'";
    for (const char c : word) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

std::string command_line(const std::vector<std::string>& argv) {
    std::vector<std::string> words;
    std::transform(argv.begin(), argv.end(), std::back_inserter(words), quoted);
    return fmt::format("{}", fmt::join(words, " "));
}

// "objects/x.o: a.c b.h \\\n c.h": a backslash before a space belongs to the name.
std::vector<std::string> dependencies_in(const std::string& rule) {
    std::vector<std::string> paths;
    std::string word;
    for (std::size_t i = rule.find(':') + 1; i <= rule.size(); ++i) {
        const char c = i < rule.size() ? rule[i] : '\n';
        if (c == '\\' && i + 1 < rule.size() && rule[i + 1] != '\n') {
            word += rule[++i];
        } else if (c == ' ' || c == '\n' || c == '\\') {
            if (!word.empty()) {
                paths.push_back(std::move(word));
                word.clear();
            }
        } else {
            word += c;
        }
    }
    return paths;
}

struct Commands {
    std::vector<std::vector<std::string>> compilations, archives;  // the latter of members that have sources
};

Commands commands_for(const Unit& unit, const std::vector<Compilation>& all, const CompileContext& context) {
    Commands commands;
    for (const Compilation& one : all) {
        commands.compilations.push_back(one.argv);
        commands.compilations.back().insert(commands.compilations.back().end(), {"-c", one.source, "-o", one.object});
    }
    for (const Recipe& member : unit.members) {
        std::vector<std::string> archive{context.toolchain.archiver.string(), "rcsD", "lib" + member.library + ".a"};
        for (const Compilation& one : all) {
            if (one.member == &member) {
                archive.push_back(one.object);
            }
        }
        if (!member.sources.empty()) {
            commands.archives.push_back(std::move(archive));
        }
    }
    return commands;
}

std::string script_of(const Commands& commands) {
    std::string script = "set -e\n";
    for (const auto& [name, value] : cleaned_variables()) {
        script += fmt::format("export {}={}\n", name, value);
    }
    for (const auto* list : {&commands.compilations, &commands.archives}) {
        for (const std::vector<std::string>& argv : *list) {
            script += command_line(argv) + "\n";
        }
    }
    return script;
}

// Beside the sources: the whole build, to be repeated by hand.
Status write_script(const Commands& commands, const fs::path& staged) {
    return write_files(staged,
                       {{k_commands_file, fmt::format("cd {}\n{}", quoted(staged.string()), script_of(commands))}});
}

Status apply_patches(const Recipe& member, build::CommandRunner& runner, const fs::path& folder) {
    if (member.patches.empty()) {
        return {};
    }
    const auto program = runner.find("patch");
    if (!program) {
        return fail_with_hint(ErrorCode::toolchain, "PATH", "'patch' is not installed", build::apt_command({"patch"}));
    }
    for (const auto& [name, text] : member.patches) {
        ProcessRequest process = process_for(
            {program->string(), "-p1", "--batch", "--forward", "--fuzz=0", "--no-backup-if-mismatch"}, folder);
        process.input = text;
        MM_TRY(const ProcessOutcome outcome, runner.run(process));
        if (!outcome.succeeded()) {
            return fail_with_hint(ErrorCode::options, fmt::format("library '{}'", member.library),
                                  fmt::format("the patch '{}' does not apply:\n{}", name,
                                              build::first_errors(outcome.output + outcome.errors)),
                                  "paths in it are relative to the source tree, with one folder before them (-p1)");
        }
    }
    return {};
}

// Without the places of this machine, so that the same manifest gives the same bytes.
std::string without_places(std::string script, const CompileContext& context, const fs::path& staged) {
    std::vector<std::pair<std::string, std::string>> places{{staged.string(), "$PWD"}};
    for (const auto& [need, files] : context.need_files) {
        places.emplace_back(files.string(), "needs/" + need);
    }
    for (const fs::path& program : {context.toolchain.compiler, context.toolchain.archiver}) {
        places.emplace_back("\n" + quoted(program.string()) + " ", "\n" + program.filename().string() + " ");
    }
    for (const auto& [place, name] : places) {
        for (std::size_t at = script.find(place); at != std::string::npos; at = script.find(place, at + name.size())) {
            script.replace(at, place.size(), name);
        }
    }
    return script;
}

// Of all headers below a folder that is exported, those that the recipe names; as they are after patching.
Status copy_exports(const Recipe& member, const fs::path& staged, const fs::path& include) {
    std::map<std::string, std::string> copied;
    for (const std::string& folder : member.exports) {
        for (const auto& [path, contents] : member.files) {
            const std::string below = fs::path(path).lexically_relative(folder).generic_string();
            const bool is_source =
                std::find(member.sources.begin(), member.sources.end(), path) != member.sources.end();
            if (below.empty() || below.starts_with("..") || is_source) {
                continue;
            }
            MM_TRY(const auto bytes, read_file(staged / member.library / path, std::int64_t{64} << 20));
            const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            const auto [other, is_new] = copied.emplace(below, text);
            if (!is_new && other->second != text) {
                return fail_with_hint(ErrorCode::options, fmt::format("library '{}'", member.library),
                                      fmt::format("two folders of 'exports' have a header '{}'", printable(below)),
                                      "export the folder above them");
            }
        }
    }
    return write_files(include, copied);
}

tl::unexpected<Error> compile_error(const Compilation& one, const ProcessOutcome& outcome, const fs::path& staged) {
    std::string message =
        fmt::format("library '{}': {} does not compile: {}", one.member->library, one.source, outcome.print());
    if (const std::string lines = build::first_errors(outcome.errors + outcome.output); !lines.empty()) {
        message += "\n" + lines;
    }
    const bool is_missing = outcome.errors.find("No such file or directory") != std::string::npos;
    return fail_with_hint(
        ErrorCode::toolchain, (staged / "log").string(), std::move(message),
        fmt::format("all output is in this file; sh {} repeats it{}", (staged / k_commands_file).string(),
                    is_missing ? "; a header belongs into 'headers', its folder into 'include_dirs'" : ""));
}

}  // namespace

Result<ScratchFolder> stage(const Unit& unit, build::CommandRunner& runner) {
    MM_TRY(ScratchFolder folder, ScratchFolder::make("metamorph-library"));
    for (const Recipe& member : unit.members) {
        MM_CHECK(write_files(folder.path() / member.library, member.files));
        MM_CHECK(apply_patches(member, runner, folder.path() / member.library));
    }
    MM_CHECK(write_files(folder.path() / "objects", {{".keep", ""}}));
    return folder;
}

Result<std::vector<fs::path>> headers_of(const Unit& unit, const CompileContext& context, const fs::path& staged) {
    const std::vector<Compilation> all = compilations(unit, context, staged);
    MM_CHECK(write_script(commands_for(unit, all, context), staged));
    const auto scan = [&](std::int64_t i) -> Result<std::vector<std::string>> {
        const Compilation& one = all[static_cast<std::size_t>(i)];
        std::vector<std::string> argv = one.argv;
        argv.insert(argv.end(), {"-M", "-MT", "x", one.source});
        MM_TRY(const ProcessOutcome outcome, context.runner.run(process_for(std::move(argv), staged)));
        if (!outcome.succeeded()) {
            MM_CHECK(write_files(staged, {{"log", "$ " + command_line(one.argv) + "\n" + outcome.errors}}));
            return compile_error(one, outcome, staged);
        }
        return dependencies_in(outcome.output);
    };
    MM_TRY(const auto lists,
           parallel_map<std::vector<std::string>>(context.jobs, static_cast<std::int64_t>(all.size()), scan));
    std::set<fs::path> headers;
    for (const std::vector<std::string>& list : lists) {
        for (const std::string& path : list) {
            const bool is_needed =
                std::any_of(context.need_files.begin(), context.need_files.end(),
                            [&](const auto& need) { return path.starts_with(need.second.string() + "/"); });
            if (path.starts_with("/") && !is_needed) {
                std::error_code error;
                headers.insert(fs::weakly_canonical(path, error));
            }
        }
    }
    return std::vector<fs::path>(headers.begin(), headers.end());
}

Status compile(const Unit& unit, const CompileContext& context, const fs::path& staged, const fs::path& folder) {
    const std::vector<Compilation> all = compilations(unit, context, staged);
    const Commands commands = commands_for(unit, all, context);
    MM_CHECK(write_script(commands, staged));
    const auto run = [&](std::int64_t i) {
        return context.runner.run(process_for(commands.compilations[static_cast<std::size_t>(i)], staged));
    };
    MM_TRY(const auto outcomes, parallel_map<ProcessOutcome>(context.jobs, static_cast<std::int64_t>(all.size()), run));
    std::string log;
    for (std::size_t i = 0; i < all.size(); ++i) {
        log += "$ " + command_line(commands.compilations[i]) + "\n" + outcomes[i].output + outcomes[i].errors;
    }
    MM_CHECK(write_files(staged, {{"log", log}}));
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!outcomes[i].succeeded()) {
            return compile_error(all[i], outcomes[i], staged);
        }
    }
    for (std::vector<std::string> archive : commands.archives) {
        const std::string name = archive[2];
        archive[2] = (folder / "lib" / name).string();
        std::error_code error;
        fs::create_directories(folder / "lib", error);
        MM_TRY(const ProcessOutcome outcome, context.runner.run(process_for(archive, staged)));
        if (!outcome.succeeded()) {
            return fail(ErrorCode::toolchain, name, "the archive cannot be made: {}\n{}", outcome.print(),
                        outcome.errors);
        }
    }
    for (const Recipe& member : unit.members) {
        MM_CHECK(copy_exports(member, staged, folder / "include"));
    }
    return write_files(folder, {{k_commands_file, without_places(script_of(commands), context, staged)}});
}

}  // namespace metamorph::libraries
