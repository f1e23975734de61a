// Layers per task become commands; flags go to the part that they are for.
#include "generate/ai8x/commands.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "small_network.h"

namespace metamorph::generate::ai8x {
namespace {

CommandRequest request(std::vector<std::string> flags = {}) {
    CommandRequest r;
    r.program = "/tools/ai8x-synthesis/ai8xize.py";
    r.network = "/user/net.yaml";
    r.checkpoint = "/user/net-q.pth.tar";
    r.folder = "/user/out dir";
    r.flags = std::move(flags);
    return r;
}

Network chain() {
    return read_network(k_chain, "net.yaml").value();
}

bool has(const PartCommand& part, const std::vector<std::string>& words) {
    return std::search(part.argv.begin(), part.argv.end(), words.begin(), words.end()) != part.argv.end();
}

TEST(Ai8xCommands, OneAPart) {
    const auto parts = plan_commands(chain(), {1, 2, 1}, request());
    ASSERT_TRUE(parts) << describe(parts.error());
    EXPECT_EQ(print_commands(*parts),
              "cd /tools/ai8x-synthesis && python3 ai8xize.py --test-dir '/user/out dir' --prefix part_0 "
              "--checkpoint-file /user/net-q.pth.tar --config-file /user/net.yaml --device MAX78000 --overwrite "
              "--stop-after 0 --sample-numpy-filename part_0_output\n"
              "cd /tools/ai8x-synthesis && python3 ai8xize.py --test-dir '/user/out dir' --prefix part_1 "
              "--checkpoint-file /user/net-q.pth.tar --config-file /user/net.yaml --device MAX78000 --overwrite "
              "--skip-yaml-layers 1 --skip-checkpoint-layers 1 --input-offset 0x2000 --sample-input '/user/out "
              "dir/part_0/part_0_output.npy' --stop-after 2 --sample-numpy-filename part_1_output\n"
              "cd /tools/ai8x-synthesis && python3 ai8xize.py --test-dir '/user/out dir' --prefix part_2 "
              "--checkpoint-file /user/net-q.pth.tar --config-file /user/net.yaml --device MAX78000 --overwrite "
              "--skip-yaml-layers 3 --skip-checkpoint-layers 2 --input-offset 0x2000 --sample-input '/user/out "
              "dir/part_1/part_1_output.npy'\n");
}

TEST(Ai8xCommands, FlagsGoToTheirPart) {
    const auto parts =
        plan_commands(chain(), {2, 2}, request({"--timer", "0", "--softmax", "--fifo", "--output-width=32"}));
    ASSERT_TRUE(parts) << describe(parts.error());
    EXPECT_TRUE(has((*parts)[0], {"--timer", "0"}) && has((*parts)[1], {"--timer", "0"}));
    EXPECT_TRUE(has((*parts)[0], {"--fifo"}) && !has((*parts)[1], {"--fifo"}));
    EXPECT_TRUE(!has((*parts)[0], {"--softmax"}) && has((*parts)[1], {"--softmax"}));
    EXPECT_TRUE(!has((*parts)[0], {"--output-width"}) && has((*parts)[1], {"--output-width", "32"}));
}

TEST(Ai8xCommands, TheUsersSampleIsOfTheFirstPart) {
    CommandRequest r = request();
    r.sample_input = "/user/s.npy";
    const auto parts = plan_commands(chain(), {2, 2}, r);
    ASSERT_TRUE(parts);
    EXPECT_TRUE(has((*parts)[0], {"--sample-input", "/user/s.npy"}));
    EXPECT_FALSE(has((*parts)[1], {"/user/s.npy"}));
}

struct WrongFlags {
    std::vector<std::string> flags;
    const char *where, *message;
};
class RefusedFlags : public testing::TestWithParam<WrongFlags> {};

TEST_P(RefusedFlags, SayWhy) {
    const auto parts = plan_commands(chain(), {2, 2}, request(GetParam().flags));
    ASSERT_FALSE(parts);
    EXPECT_EQ(parts.error().code, ErrorCode::options);
    EXPECT_EQ(parts.error().where, GetParam().where);
    EXPECT_NE((parts.error().message + " / " + parts.error().hint).find(GetParam().message), std::string::npos)
        << describe(parts.error());
    EXPECT_FALSE(parts.error().hint.empty());
}

INSTANTIATE_TEST_SUITE_P(Ai8xCommands, RefusedFlags,
                         testing::Values(WrongFlags{{"--sofmax"}, "--option flag=", "did you mean '--softmax'"},
                                         WrongFlags{{"--stop-after", "1"}, "--stop-after", "--tasks says"},
                                         WrongFlags{{"--no-kat"}, "--no-kat", "known-answer test"},
                                         WrongFlags{{"--riscv"}, "--riscv", "second core"},
                                         WrongFlags{{"--timer"}, "--timer", "takes a value"},
                                         WrongFlags{{"--softmax=1"}, "--softmax", "takes no value"},
                                         WrongFlags{{"--timer", "0", "--timer", "1"}, "--timer", "twice"},
                                         WrongFlags{{"--timer", "0", "--no-timer"}, "--timer", "exclude each other"},
                                         WrongFlags{
                                             {"--softmax", "--output-width", "8"}, "--softmax", "exclude each other"},
                                         WrongFlags{{"--output-width", "16"}, "--output-width", "not '16'"},
                                         WrongFlags{{"--no-bias", "1"}, "--no-bias", "several parts"}));

TEST(Ai8xCommands, SumsAreChecked) {
    const auto parts = plan_commands(chain(), {1, 2}, request());
    ASSERT_FALSE(parts);
    EXPECT_EQ(parts.error().where, "--tasks");
    EXPECT_NE(parts.error().message.find("3 layers in the parts 1,2, but net.yaml has 4"), std::string::npos);
    EXPECT_FALSE(plan_commands(chain(), {4, 0}, request()));
}

TEST(Ai8xCommands, FifosFeedTheFirstSixteenProcessors) {
    Network network = chain();
    network.layers[0].processors = 0x10000;
    const auto parts = plan_commands(network, {4}, request({"--fifo"}));
    ASSERT_FALSE(parts);
    EXPECT_EQ(parts.error().where, "--fifo");
    network = chain();
    network.layers[0].is_streaming = true;
    EXPECT_FALSE(plan_commands(network, {4}, request()));
    EXPECT_TRUE(plan_commands(network, {4}, request({"--fifo"})));
}

}  // namespace
}  // namespace metamorph::generate::ai8x
