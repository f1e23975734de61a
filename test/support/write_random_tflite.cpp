// mm_write_random_tflite SEED OUT.tflite: writes the random network of a seed, for tests that give it to other
// programs.
#include <charconv>
#include <cstdio>
#include <cstring>

#include "support/random_network.h"
#include "support/tflite_writer.h"
#include "util/file.h"

int main(int argc, char** argv) {
    std::uint64_t seed = 0;
    if (argc != 3 || std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), seed).ec != std::errc()) {
        std::fprintf(stderr, "usage: mm_write_random_tflite SEED OUT.tflite\n");
        return 2;
    }
    const auto graph = metamorph::test_support::random_network(seed);
    if (const auto status = metamorph::graph::verify(graph); !status) {
        std::fprintf(stderr, "%s", metamorph::describe(status.error()).c_str());
        return 70;
    }
    const auto bytes = metamorph::test_support::write_tflite(graph);
    const auto written = metamorph::write_file_if_changed(
        argv[2], std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    if (!written) {
        std::fprintf(stderr, "%s", metamorph::describe(written.error()).c_str());
        return 5;
    }
    return 0;
}
