// C snippets as files of a folder of their own, analysed by the front end.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "cfront/front_end.h"
#include "cfront/print.h"

namespace metamorph::cfront {

class Snippets {
public:
    Snippets() {
        std::string pattern = (std::filesystem::temp_directory_path() / "mm-cfront-XXXXXX").string();
        m_input.root = mkdtemp(pattern.data());
        m_input.entry = "net";
        m_input.include_dirs = {"."};
    }
    ~Snippets() {
        std::error_code ignored;
        std::filesystem::remove_all(m_input.root, ignored);
    }
    Snippets(const Snippets&) = delete;
    Snippets& operator=(const Snippets&) = delete;

    void add(const std::string& name, const std::string& text) {
        std::ofstream(m_input.root / name) << text;
        if (name.ends_with(".c")) {
            m_input.sources.push_back(name);
        }
    }
    FrontEndInput& input() { return m_input; }
    Result<CodeModel> analyse() const { return cfront::analyse(m_input); }

private:
    FrontEndInput m_input;
};

// One source; the test fails if it is not understood.
inline CodeModel model_of(const std::string& text) {
    Snippets snippets;
    snippets.add("net.c", "#include <stdint.h>\n#include <string.h>" + text);
    Result<CodeModel> model = snippets.analyse();
    EXPECT_TRUE(model) << (model ? "" : describe(model.error()));
    return model ? std::move(*model) : CodeModel{};
}

// What step `step` does to the object called `name`, through whichever argument.
inline Access access_to(const CodeModel& model, const std::string& name, std::size_t step = 0) {
    Access all;
    if (step >= model.entry.steps.size()) {
        return all;
    }
    for (const Access& access : model.entry.steps[step].accesses) {
        if (model.entry.objects[static_cast<std::size_t>(access.object)].name == name) {
            all.reads.add(access.reads);
            all.read_back.add(access.read_back);
            all.writes.add(access.writes);
            all.must_writes.add(access.must_writes);
            all.written_once.add(access.written_once);
            all.read_reason += access.read_reason;
            all.write_reason += access.write_reason;
        }
    }
    return all;
}

}  // namespace metamorph::cfront
