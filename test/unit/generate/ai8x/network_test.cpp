// Descriptions that are read, and those that are refused: each with its place.
#include "generate/ai8x/network.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "generate/ai8x/npy.h"
#include "util/interrupt.h"

#include "small_network.h"

namespace metamorph::generate::ai8x {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

TEST(Ai8xNetwork, IsRead) {
    const auto network = read_network(k_chain, "net.yaml");
    ASSERT_TRUE(network) << describe(network.error());
    ASSERT_EQ(network->layers.size(), 4u);
    EXPECT_EQ(network->arch, "net");
    const Layer& middle = network->layers[1];
    EXPECT_EQ(network->where(middle), "net.yaml:10:5");
    EXPECT_EQ(Network::label(middle), "layer 1 (middle)");
    EXPECT_EQ(middle.processors, 0xffffu);
    EXPECT_EQ(middle.producers, std::vector<int>{0});
    EXPECT_TRUE(middle.has_weights);
    EXPECT_FALSE(network->layers[2].has_weights);
    EXPECT_EQ(network->layers[2].pool.rows, 2);
    EXPECT_EQ(network->layers[3].output_width, 32);
    EXPECT_EQ(network->output_processors(0), 0xffffu);
    EXPECT_EQ(network->output_processors(3), 0u) << "of the last layer the description does not say it";
    EXPECT_EQ(network->layers[0].producers, std::vector<int>{k_network_input});
    EXPECT_TRUE(check_network(*network, InputShape{1, 8, 8}));
}

TEST(Ai8xNetwork, ReadsEveryFormOfAMask) {
    for (const char* mask : {"0x000000000000ffff", "0x0000_0000.0000_ffff", "65535", "0x000000000000.FFFF"}) {
        const auto network = read_network(replaced(k_chain, "0xffff", mask), "net.yaml");
        ASSERT_TRUE(network) << mask << ": " << describe(network.error());
        EXPECT_EQ(network->layers[1].processors, 0xffffu) << mask;
    }
}

struct Wrong {
    const char *what, *by, *where, *message;
};
class Refused : public testing::TestWithParam<Wrong> {};

TEST_P(Refused, WithItsPlace) {
    const auto& [what, by, where, message] = GetParam();
    const auto network = read_network(replaced(k_chain, what, by), "net.yaml");
    const Status checked = network ? check_network(*network, InputShape{1, 8, 8}) : Status();
    ASSERT_FALSE(network && checked) << by;
    const Error& error = network ? checked.error() : network.error();
    EXPECT_EQ(error.code, ErrorCode::model);
    EXPECT_EQ(error.where, where) << describe(error);
    EXPECT_NE((error.message + " / " + error.hint).find(message), std::string::npos) << describe(error);
    EXPECT_FALSE(error.hint.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Ai8xNetwork, Refused,
    testing::Values(Wrong{"arch: net", "arch: [", "net.yaml:3:7", "not YAML"},
                    Wrong{"out_offset: 0x2000", "out_ofset: 0x2000", "net.yaml:4:5", "did you mean 'out_offset'"},
                    Wrong{"dataset: digits", "datset: digits", "net.yaml:2:1", "did you mean 'dataset'"},
                    Wrong{"arch: net\n", "", "net.yaml:1:1", "no 'arch'"},
                    Wrong{"arch: net", "arch: net\narch: other", "net.yaml:2:1", "a second time"},
                    Wrong{"processors: 0x1\n", "processors: 0\n", "net.yaml:5:17", "not 0"},
                    Wrong{"    processors: 0x1\n", "", "net.yaml:4:5", "no 'processors'"},
                    Wrong{"0x2000", "0x8000", "net.yaml:4:17", "from 0 to 32764"},
                    Wrong{"0x2000", "0x2002", "net.yaml:4:17", "words of 4 bytes"},
                    Wrong{"conv2d", "conv3d", "net.yaml:7:16", "did you mean 'conv1d' or 'conv2d'"},
                    Wrong{"operation: conv2d", "operation: conv2d\n    op: conv2d", "net.yaml:8:9",
                          "both 'operation' and 'op'"},
                    Wrong{"output_width: 32", "output_width: 16", "net.yaml:25:19", "8 or 32 bits"},
                    Wrong{"name: middle", "in_sequences: [1]", "net.yaml:10:20", "does not come before it"},
                    Wrong{"flatten: true", "in_sequences: midle", "net.yaml:21:19", "did you mean 'middle'"},
                    Wrong{"flatten: true", "flatten: maybe", "net.yaml:21:14", "neither true nor false"},
                    Wrong{"max_pool: 2", "max_pool: two", "net.yaml:15:15", "two whole numbers"},
                    // Channels against processors.
                    Wrong{"processors: 0xffff", "processors: 0xfff", "net.yaml:10:5", "12 processors for 16 channels"},
                    Wrong{"in_channels: 1", "in_channels: 100", "net.yaml:4:5", "52 in each of 2 passes"},
                    // Formats and streaming.
                    Wrong{"name: middle", "data_format: CHW", "net.yaml:10:5", "only the network's input"},
                    Wrong{"name: middle", "streaming: true", "net.yaml:10:5", "the layer before it does not"},
                    Wrong{"name: middle", "output_width: 32", "net.yaml:10:5", "cannot read"}));

TEST(Ai8xNetwork, FindsOutputOverInput) {
    // 8 x 8 pixels at 0x2000 end at 0x2100; the output begins at row 6 of 8, in the same data memories.
    const auto network = read_network(replaced(k_chain, "out_offset: 0\n", "out_offset: 0x20e0\n"), "net.yaml");
    ASSERT_TRUE(network);
    const Status checked = check_network(*network, InputShape{1, 8, 8});
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().where, "net.yaml:10:5");
    EXPECT_NE(checked.error().message.find("over its own input from 0x2000 to 0x2100"), std::string::npos)
        << describe(checked.error());
    EXPECT_TRUE(check_network(*network, {})) << "without sizes nothing is certain";
}

TEST(Ai8xNetwork, FindsOutputThatIsLargerThanMemory) {
    // The input is in a data memory of its own, so that nothing else is wrong.
    const auto network = read_network(replaced(k_chain, "processors: 0x1\n", "processors: 0x10000\n"), "net.yaml");
    ASSERT_TRUE(network);
    const Status checked = check_network(*network, InputShape{1, 90, 90});
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message.find("90 x 90 pixels"), std::string::npos) << describe(checked.error());
}

TEST(Ai8xNetwork, SharedMemoriesAreRefusedForChw) {
    std::string text = replaced(k_chain, "data_format: HWC", "data_format: CHW");
    text = replaced(replaced(text, "processors: 0x1\n", "processors: 0x3\n"), "in_channels: 1", "in_channels: 2");
    const auto network = read_network(text, "net.yaml");
    ASSERT_TRUE(network);
    const Status checked = check_network(*network, {});
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message.find("processors 0 to 3 share one"), std::string::npos);
}

TEST(Ai8xNpy, HeadIsRead) {
    const auto scratch = ScratchFolder::make("metamorph-npy");
    ASSERT_TRUE(scratch);
    const auto path = scratch->path() / "s.npy";
    const auto write = [&](const std::string& head) {
        std::ofstream(path, std::ios::binary)
            << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(head.size()) << '\0' << head;
    };
    write("{'descr': '<i8', 'fortran_order': False, 'shape': (3, 32, 16), }\n");
    const auto head = read_npy_head(path);
    ASSERT_TRUE(head) << describe(head.error());
    EXPECT_EQ(head->shape, (std::vector<std::int64_t>{3, 32, 16}));
    EXPECT_EQ(head->type, "<i8");
    write("{'descr': '<i8', 'shape': (5,), }");
    EXPECT_EQ(read_npy_head(path)->shape, std::vector<std::int64_t>{5});
    for (const char* wrong :
         {"{'shape': 3}", "{'descr': '<i8', 'shape': (3, x), }", "", "{'descr': '<i8', 'shape': (3,"}) {
        write(wrong);
        ASSERT_FALSE(read_npy_head(path)) << wrong;
        EXPECT_EQ(read_npy_head(path).error().code, ErrorCode::model);
    }
    std::ofstream(path) << "text";
    EXPECT_FALSE(read_npy_head(path));
    EXPECT_EQ(read_npy_head(scratch->path() / "none").error().code, ErrorCode::system);
}

}  // namespace
}  // namespace metamorph::generate::ai8x
