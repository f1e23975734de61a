// docs/command-line.md is the contract of --json: every document's schema and every field of it has to stand there.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "util/interrupt.h"
#include "util/process.h"

namespace metamorph {
namespace {

using nlohmann::json;

const std::string k_models = METAMORPH_SOURCE_DIR "/models/digits/";
const std::string k_digits = k_models + "digits_int8.tflite";

std::string documentation() {
    std::stringstream text;  // of matrix.md the columns of a report, which are fields of its rows
    text << std::ifstream(METAMORPH_SOURCE_DIR "/docs/command-line.md").rdbuf()
         << std::ifstream(METAMORPH_SOURCE_DIR "/docs/matrix.md").rdbuf();
    return text.str();
}

// Objects whose keys are data, not fields: names of the user's functions.
const std::set<std::string> k_tables{"by_function", "instructions_by_function"};

void collect(const json& value, std::set<std::string>& fields) {
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items()) {
            fields.insert(key);
            if (!k_tables.contains(key)) {
                collect(inner, fields);
                continue;
            }
            for (const json& each : inner) {
                collect(each, fields);
            }
        }
    } else if (value.is_array()) {
        for (const json& inner : value) {
            collect(inner, fields);
        }
    }
}

std::set<std::string> undocumented(const json& document, const std::string& text) {
    std::set<std::string> fields, missing;
    collect(document, fields);
    fields.erase("schema");  // "Every document names its schema"
    for (const std::string& field : fields) {
        bool is_there = text.find("\"" + field + "\"") != std::string::npos;  // in the example of an error
        for (const char* end : {"`", "[]`"}) {
            is_there = is_there || text.find("`" + field + end) != std::string::npos ||
                       text.find("." + field + end) != std::string::npos;
        }
        if (!is_there) {
            missing.insert(field);
        }
    }
    return missing;
}

TEST(DocumentedJson, EverySchemaAndEveryField) {
    const auto scratch = ScratchFolder::make("metamorph-documented").value();
    const std::string out = scratch.path() / "out";
    const std::string text = documentation();
    const std::vector<std::vector<std::string>> commands{
        {"inspect", k_digits},
        {"generate", k_digits, "-o", out + "-plain"},
        {"weave", k_digits, "-o", out, "--tasks", "3,3", "--slice", "0=2", "--explain"},
        {"run", k_digits, "--tasks", "whole", "--nvm", "bus", "--cut", "3", "--dataset",
         k_models + "digits_heldout.bin", "--explain"},
        {"compare", k_digits, "--generators", "native,emx-onnx-cgen", "--tasks", "whole"},
        {"devices"},
        {"devices", "cortex-m4-spi"},
        {"frameworks"},
        {"frameworks", "tvm"},
        {"completion", "fish"},
        {"doctor"},
        {"init", out + "-project"},
        {"matrix", "--list", "--project", out + "-project/metamorph.toml"},
        {"matrix", "--project", out + "-project/metamorph.toml", "--device", "cortex-m4-mapped", "--tasks", "whole"},
        {"report", "--sessions", out + "-project/metamorph-sessions"},
        {"report", "--sessions", out + "-project/metamorph-sessions", "--compare", "1"},
        {"report", "--sessions", out + "-project/metamorph-sessions", "--sizes", "layer"},
        {"why", "digits_int8", "--sessions", out + "-project/metamorph-sessions"},
        {"libs", "build", "metamorph-runtime"},
        {"libs", "why", "metamorph-runtime", "--feature", "debug"},
        {"libs", "list"},
        {"libs", "verify"},
        {"libs", "gc", "--bytes", "0"},
        {"inspect", "no-such-model"},
    };
    std::filesystem::create_directory(out + "-project");
    std::filesystem::copy(k_digits, out + "-project");
    for (std::vector<std::string> command : commands) {
        ProcessRequest request;
        request.argv = command;
        request.argv.insert(request.argv.begin(), METAMORPH_PROGRAM);
        request.argv.emplace_back("--json");
        request.environment = {{"METAMORPH_STORE", out + "-store"}};
        const auto outcome = run_process(request);
        ASSERT_TRUE(outcome) << describe(outcome.error());
        const json document = json::parse(outcome->output, nullptr, false);
        ASSERT_TRUE(document.is_object()) << command[0] << ": " << outcome->output << outcome->errors;
        if (!document.contains("error")) {
            const std::string schema = document.value("schema", "none");
            EXPECT_NE(text.find("`" + schema + "`"), std::string::npos) << command[0] << ": " << schema;
        }
        EXPECT_EQ(undocumented(document, text), std::set<std::string>{}) << command[0];
    }
}

TEST(DocumentedJson, AFieldThatIsNotThereIsSeen) {
    const json document = {{"layers", 1}, {"woven", {{{"wrong_colour", 1}}}}};
    EXPECT_EQ(undocumented(document, documentation()), std::set<std::string>{"wrong_colour"});
}

}  // namespace
}  // namespace metamorph
