// Tables of what a core's instructions cost that are wrong.
#include <gtest/gtest.h>

#include "app/core_costs.h"
#include "app/embedded_devices.h"

namespace metamorph::app {
namespace {

std::string table() {
    for (const EmbeddedFile& file : embedded_devices()) {
        if (file.path == "devices/cores/rv32imc.toml") {
            return std::string(file.contents);
        }
    }
    return {};
}

void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
    std::string text = table();
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto costs = read_core_costs(text, "lab/core.toml");
    ASSERT_FALSE(costs.has_value()) << to;
    EXPECT_EQ(costs.error().code, ErrorCode::options);
    EXPECT_EQ(costs.error().message, message);
    EXPECT_EQ(costs.error().where.rfind("lab/core.toml:", 0), 0U) << costs.error().where;
    EXPECT_FALSE(costs.error().hint.empty());
}

TEST(WrongCosts, AreRefused) {
    ASSERT_TRUE(read_core_costs(table(), "lab/core.toml").has_value());
    expect_refused("core = \"rv32imc\"", "core = \"z80\"", "there is no core 'z80'");
    expect_refused("multiply = 3\n", "", "'cycles.multiply' is missing");
    expect_refused("multiply = 3\n", "multiply = 3\npipelined = 1\n", "there is no key 'cycles.pipelined' here");
    expect_refused("load = \"Ibex", "lload = \"Ibex", "there is no key 'cycles.source.lload' here");
    expect_refused("other = \"Ibex: integer computational and CSR instructions do not stall\"\n", "",
                   "'cycles.source.other' is missing");
    expect_refused(
        "core = ", "core == ", "this is not TOML: Error while parsing value: could not determine value type");
}

TEST(WrongCosts, OfACoreThatThereIsNotAreAFaultOfOurs) {
    EXPECT_EQ(find_core_costs("z80").error().code, ErrorCode::internal);
}

}  // namespace
}  // namespace metamorph::app
