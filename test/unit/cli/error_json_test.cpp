#include "cli/error_json.h"

#include <nlohmann/json.hpp>

#include "unit/cli/fake_commands.h"

namespace metamorph::cli {
namespace {

TEST(ErrorJson, HasEveryField) {
    const Error error{ErrorCode::model, "tensor 3 has no shape", "net.tflite", "convert it again", {"while importing"}};
    EXPECT_EQ(to_json(error), R"({
  "error": {
    "code": "model",
    "exit_status": 3,
    "message": "tensor 3 has no shape",
    "where": "net.tflite",
    "context": [
      "while importing"
    ],
    "hint": "convert it again"
  }
}
)");
}

TEST(ErrorJson, AMessageThatIsNotUtf8IsStillJson) {
    const Error error{ErrorCode::system, "no file 'a\xff\"\n'", "", "", {}};
    const nlohmann::json parsed = nlohmann::json::parse(to_json(error), nullptr, false);
    ASSERT_FALSE(parsed.is_discarded());
    EXPECT_EQ(parsed["error"]["exit_status"], 5);
}

TEST(ErrorJson, EveryErrorIsJsonWhereJsonIsWanted) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"inspet", "--json"},
                                               {"--json"},
                                               {"run", "--json"},
                                               {"run", "--json", "--taks", "3"},
                                               {"doctor", "--json"}}) {
        FakeCommands fake;
        fake.answer = fail(ErrorCode::internal, "", "a fake error");
        const int status = fake(arguments);
        const nlohmann::json parsed = nlohmann::json::parse(fake.out, nullptr, false);
        ASSERT_FALSE(parsed.is_discarded()) << fake.out;
        EXPECT_EQ(parsed["error"]["exit_status"], status);
        EXPECT_EQ(fake.err, "");
    }
}

}  // namespace
}  // namespace metamorph::cli
