#include "toy_build.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

namespace toy {
namespace {

namespace fs = std::filesystem;

void apply(const fs::path& runtime, const Edit& edit) {
    const fs::path path = runtime / edit.file;
    std::string text = read_file(path);
    const std::size_t at = text.find(edit.from);
    ASSERT_NE(at, std::string::npos) << edit.file << " has no: " << edit.from;
    ASSERT_EQ(text.find(edit.from, at + 1), std::string::npos) << edit.file << " has it twice: " << edit.from;
    text.replace(at, edit.from.size(), edit.to);
    std::ofstream(path, std::ios::binary) << text;
}

Ended run_command(const std::string& command) {
    Ended ended;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    std::size_t bytes = 0;
    while (pipe != nullptr && (bytes = fread(buffer, 1, sizeof buffer, pipe)) > 0) {
        ended.output.append(buffer, bytes);
    }
    const int status = pipe != nullptr ? pclose(pipe) : -1;
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
}

std::vector<std::string> sources_in(const fs::path& runtime, const std::string& folder) {
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(runtime / folder)) {
        if (entry.path().extension() == ".c") {
            files.push_back(folder + "/" + entry.path().filename().string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

void copy_runtime(const fs::path& folder) {
    const fs::path runtime = fs::path(METAMORPH_SOURCE_DIR) / "runtime";
    for (const char* part : {"include", "src", "ports/host", "tests/toy"}) {
        fs::create_directories((folder / "runtime" / part).parent_path());
        fs::copy(runtime / part, folder / "runtime" / part, fs::copy_options::recursive);
    }
}

fs::path make_folder() {
    std::string pattern = (fs::temp_directory_path() / "metamorph-toy-XXXXXX").string();
    return mkdtemp(pattern.data());
}

std::string port_options(const std::string& mode) {
    return mode == "mapped" ? "-DMM_PORT_MAPPED -DMM_NVM_PAGE_BYTES=4096" : "-DMM_PORT_BUS";
}

// One compiler call for all files that share their options.
bool compile(const fs::path& folder, const std::string& options, const std::vector<std::string>& files) {
    if (files.empty()) {
        return true;
    }
    std::string command = "cd '" + folder.string() +
                          "' && " METAMORPH_CLANG_C
                          " -std=c11 -O1 -Wall -Wextra -Wpedantic"
                          " -Wconversion -Wshadow -Werror -Iruntime/include -Iruntime/src -Iruntime/ports/host"
                          " -Iruntime/tests/toy " +
                          options + " -c";
    for (const std::string& file : files) {
        command += " runtime/" + file;
    }
    const Ended ended = run_command(command + " 2>&1");
    EXPECT_EQ(ended.status, 0) << command << "\n" << ended.output;
    return ended.status == 0;
}

// What no test edits: the port's objects, and the plain program. Built once a mode and process.
class Unedited {
public:
    explicit Unedited(const std::string& mode) : m_folder(make_folder()) {
        copy_runtime(m_folder);
        std::vector<std::string> port = sources_in(m_folder / "runtime", "ports/host");
        port.push_back("tests/toy/toy_host.c");
        compile(m_folder, port_options(mode), port);
        run_command("cd '" + m_folder.string() +
                    "' && " METAMORPH_CLANG_C
                    " -O1 runtime/tests/toy/toy_plain.c runtime/tests/toy/toy_layers.c -o plain");
    }
    ~Unedited() { fs::remove_all(m_folder); }
    const fs::path& folder() const { return m_folder; }

private:
    fs::path m_folder;
};

const fs::path& unedited(const std::string& mode) {
    static std::map<std::string, std::unique_ptr<Unedited>> all;
    std::unique_ptr<Unedited>& it = all[mode];
    if (it == nullptr) {
        it = std::make_unique<Unedited>(mode);
    }
    return it->folder();
}

}  // namespace

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Toy::Toy(const Options& options) : m_folder(make_folder()) {
    copy_runtime(m_folder);
    for (const Edit& edit : options.edits) {
        apply(m_folder / "runtime", edit);
    }
    std::vector<std::string> traced = sources_in(m_folder / "runtime", "src");
    traced.insert(traced.end(), {"tests/toy/toy_layers.c", "tests/toy/toy_" + options.mode + ".c"});
    for (const std::string& file : options.uninstrumented) {
        std::erase(traced, file);
    }
    const fs::path& port = unedited(options.mode);
    const std::string callbacks = " -fsanitize-coverage=func,trace-stores";
    m_built = compile(m_folder, port_options(options.mode) + callbacks, traced) &&
              compile(m_folder, port_options(options.mode), options.uninstrumented) &&
              run_command("cd '" + m_folder.string() + "' && cp '" + port.string() +
                          "/plain' . && " METAMORPH_CLANG_C " *.o '" + port.string() + "'/*.o -o toy 2>&1")
                      .status == 0;
    EXPECT_TRUE(m_built);
    std::string inputs;
    for (int i = 0; i < 16 * 16; i++) {
        inputs += static_cast<char>(i * 37 + i / 16 * 11);
    }
    std::ofstream(m_folder / "inputs", std::ios::binary) << inputs;
}

Toy::~Toy() {
    fs::remove_all(m_folder);
}

FakeClock::FakeClock(const Toy& toy, int milliseconds) {
    const fs::path source = toy.file("clock.c"), library = toy.file("clock.so");
    std::ofstream(source) << R"(
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
static _Atomic uint64_t* now_ms;
__attribute__((constructor)) static void begin(void) {
    now_ms = mmap(0, sizeof *now_ms, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}
int clock_gettime(clockid_t id, struct timespec* now) {
    const uint64_t ms = *now_ms += STEP;
    *now = (struct timespec){(time_t)(ms / 1000u), (long)(ms % 1000u) * 1000000};
    return (int)id * 0;
}
)";
    const Ended ended = run_command(METAMORPH_CLANG_C " -D_GNU_SOURCE -DSTEP=" + std::to_string(milliseconds) +
                                    "u -shared -fPIC '" + source.string() + "' -o '" + library.string() + "' 2>&1");
    EXPECT_EQ(ended.status, 0) << ended.output;
    setenv("LD_PRELOAD", library.c_str(), 1);
}

FakeClock::~FakeClock() {
    unsetenv("LD_PRELOAD");
}

Ended Toy::run(int inferences, const std::string& arguments) const {
    return run_command("cd '" + m_folder.string() + "' && ./toy --nvm nvm --inputs inputs --inferences " +
                       std::to_string(inferences) + " " + arguments + " 2>stderr");
}

Ended Toy::explore(int inferences, const std::string& arguments) const {
    std::ofstream(m_folder / "expected", std::ios::binary) << plain_outputs(inferences);
    return run(inferences, "--explore --expect expected " + arguments);
}

std::string Toy::plain_outputs(int inferences) const {
    return run_command("cd '" + m_folder.string() + "' && head -c " + std::to_string(16 * inferences) +
                       " inputs | ./plain")
        .output;
}

}  // namespace toy
