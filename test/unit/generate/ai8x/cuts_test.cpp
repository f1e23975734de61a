// Where a network can be cut, and why not.
#include <gtest/gtest.h>

#include "generate/ai8x/network.h"

#include "small_network.h"

namespace metamorph::generate::ai8x {
namespace {

// `lines`: of each layer, besides its processors.
Network network_of(const std::vector<std::string>& lines) {
    std::string text = "arch: net\ndataset: digits\nlayers:\n";
    for (const std::string& line : lines) {
        text += "  - processors: 0xff\n    op: conv2d\n";
        if (!line.empty()) {
            text += "    " + line + "\n";
        }
    }
    const auto network = read_network(text, "net.yaml");
    EXPECT_TRUE(network) << describe(network.error());
    return network.value_or(Network{});
}

void expect_no_cut(const Network& network, int layer, const std::string& why) {
    EXPECT_NE(why_no_cut(network, layer).find(why), std::string::npos) << why_no_cut(network, layer);
}

TEST(Ai8xCuts, AreEverywhereInAChain) {
    const Network network = network_of({"", "", ""});
    EXPECT_EQ(why_no_cut(network, 0), "");
    EXPECT_EQ(why_no_cut(network, 1), "");
    expect_no_cut(network, 2, "the last layer");
}

TEST(Ai8xCuts, ResidualEdgesAreRefused) {
    const Network network = network_of({"", "", "", "in_sequences: [2, 0]", ""});
    EXPECT_EQ(why_no_cut(network, 0), "") << "what layer 0 wrote is all that crosses";
    expect_no_cut(network, 1, "layer 3 reads layer 0, an edge across the cut");
    expect_no_cut(network, 2, "layer 3 reads layer 0, an edge across the cut");
    EXPECT_EQ(why_no_cut(network, 3), "");
}

TEST(Ai8xCuts, TheNetworksInputIsAnEdgeToo) {
    expect_no_cut(network_of({"", "", "in_sequences: [1, -1]"}), 0, "layer 2 reads the network's input");
}

TEST(Ai8xCuts, ATensorThatIsReadTwiceIsOneTensor) {
    EXPECT_EQ(why_no_cut(network_of({"", "", "in_sequences: [1, 0]"}), 0), "");
}

TEST(Ai8xCuts, NamesAreNotFoundAcrossACut) {
    expect_no_cut(network_of({"name: a", "in_sequences: a"}), 0, "write its number, 0");
}

TEST(Ai8xCuts, NoneInsideAStreamingRun) {
    const Network network = network_of({"streaming: true", "streaming: true", "", ""});
    expect_no_cut(network, 0, "never in memory as a whole");
    EXPECT_EQ(why_no_cut(network, 1), "");
    expect_no_cut(network_of({"", "streaming: true"}), 0, "only the first part can stream");
}

TEST(Ai8xCuts, KeysThatCountLayersForbidThem) {
    expect_no_cut(network_of({"", "next_sequence: stop"}), 0, "'next_sequence' of layer 1");
    expect_no_cut(network_of({"in_offset: 4", "in_offset: 8"}), 0, "reads from 0x8 on");
}

TEST(Ai8xCuts, TheErrorListsWhereTheyArePossible) {
    const Network network = network_of({"", "", "", "in_sequences: [2, 0]", "", ""});
    EXPECT_TRUE(check_cuts(network, {0, 3}));
    const Status checked = check_cuts(network, {1});
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::options);
    EXPECT_EQ(checked.error().where, "--tasks");
    EXPECT_NE(checked.error().message.find("behind layer 1 (net.yaml:6:5)"), std::string::npos)
        << describe(checked.error());
    EXPECT_EQ(checked.error().hint, "cuts are possible behind the layers 0, 3, 4");
}

}  // namespace
}  // namespace metamorph::generate::ai8x
