// Hundreds of mutated and truncated files: each gives an error of the model, or a graph that passes verify; no crash,
// and never more than 1 GiB of address space (in builds without sanitizers, which need more for themselves).
//
// Mutations are of four kinds: single bits, bytes overwritten at random, 32-bit words replaced by values that hurt (0,
// -1, the largest, small offsets), and files cut off. All are seeded: a failure names the file and the seed that make
// it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "import/import.h"
#include "support/random_network.h"
#include "support/random_source.h"
#include "support/tflite_writer.h"
#include "util/file.h"

namespace metamorph {
namespace {

using test_support::RandomSource;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool k_has_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool k_has_sanitizer = true;
#else
constexpr bool k_has_sanitizer = false;
#endif
#else
constexpr bool k_has_sanitizer = false;
#endif

struct Sample {
    std::string name;
    std::vector<std::byte> bytes;
};

std::vector<Sample> samples() {
    std::vector<Sample> result;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        result.push_back(
            {fmt::format("random network {}", seed), test_support::write_tflite(test_support::random_network(seed))});
    }
    std::vector<std::filesystem::path> files = {METAMORPH_SOURCE_DIR "/models/digits/digits_int8.tflite"};
    if (const char* zoo = std::getenv("METAMORPH_MODEL_ZOO")) {
        for (const char* name : {"hello_world_int8", "hello_world_float", "kws_ref_model", "pretrainedResnet_quant"}) {
            files.push_back(std::filesystem::path(zoo) / (std::string(name) + ".tflite"));
        }
    }
    for (const auto& file : files) {
        if (auto bytes = read_file(file, 1 << 20)) {
            result.push_back({file.filename().string(), std::move(*bytes)});
        }
    }
    return result;
}

std::vector<std::byte> mutated(const std::vector<std::byte>& sound, std::uint64_t seed) {
    RandomSource random(seed);
    std::vector<std::byte> bytes = sound;
    const auto position = [&](std::size_t width) {
        // Tables lie at both ends, weights between: half of the changes go to the ends, where they mean something.
        const auto size = static_cast<std::int64_t>(bytes.size() - width);
        const std::int64_t edge = std::min<std::int64_t>(size, 4000);
        const std::int64_t at = random.chance(0.5)   ? random.between(0, size)
                                : random.chance(0.5) ? random.between(0, edge)
                                                     : random.between(size - edge, size);
        return static_cast<std::size_t>(at);
    };
    const int kind = random.small(0, 3);
    const int count = random.small(1, 6);
    for (int i = 0; i < count; ++i) {
        if (kind == 0) {
            bytes[position(1)] ^= static_cast<std::byte>(1 << random.small(0, 7));
        } else if (kind == 1) {
            bytes[position(1)] = static_cast<std::byte>(random.small(0, 255));
        } else if (kind == 2) {
            static const std::vector<std::uint32_t> k_words = {0,          1,  2,  4,  16,   0xFFFFFFFF, 0x7FFFFFFF,
                                                               0x80000000, 32, 64, 90, 1000, 0x10000,    0x1000000};
            const std::uint32_t word = random.pick(k_words);
            std::memcpy(bytes.data() + (position(4) & ~std::size_t{3}), &word, sizeof word);
        }
    }
    if (kind == 3) {
        bytes.resize(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(bytes.size()) - 1)));
    }
    return bytes;
}

struct Tally {
    int refused = 0, imported = 0;
};

// Imports one file and says in words what is wrong with the outcome; empty if nothing is.
std::string check(const std::vector<std::byte>& bytes, Tally& tally) {
    const auto graph = import::import_tflite(bytes, "mutated");
    if (!graph) {
        ++tally.refused;
        const bool is_explained = graph.error().code == ErrorCode::model && !graph.error().message.empty();
        return is_explained && !graph.error().where.empty() ? "" : "unexplained: " + describe(graph.error());
    }
    ++tally.imported;
    const Status status = graph::verify(*graph);
    return status ? "" : "the graph does not pass verify: " + describe(status.error());
}

// Runs in a child process, whose death or complaint is the parent's to report.
void run_in_child(const std::vector<Sample>& all, int rounds) {
    if (!k_has_sanitizer) {
        const rlimit limit = {1U << 30U, 1U << 30U};
        if (::setrlimit(RLIMIT_AS, &limit) != 0) {
            std::fprintf(stderr, "setrlimit failed\n");
            ::_exit(3);
        }
    }
    Tally tally;
    for (std::size_t s = 0; s < all.size(); ++s) {
        for (int round = 0; round < rounds; ++round) {
            const std::uint64_t seed = s * 1000 + static_cast<std::uint64_t>(round);
            // Written before, so that it is the last line if the import crashes.
            const std::string id = fmt::format("{}, mutation seed {}", all[s].name, seed);
            std::fprintf(stderr, "\r%s", id.c_str());
            if (const std::string complaint = check(mutated(all[s].bytes, seed), tally); !complaint.empty()) {
                std::fprintf(stderr, ": %s\n", complaint.c_str());
                ::_exit(1);
            }
        }
    }
    std::fprintf(stderr, "\n%d refused, %d imported\n", tally.refused, tally.imported);
    // Mutations that only ever bounce off, or never matter, would test nothing.
    ::_exit(tally.refused > 100 && tally.imported > 50 ? 0 : 2);
}

TEST(Damage, ErrorOrSoundGraphWithinOneGibibyte) {
    const std::vector<Sample> all = samples();
    const int rounds = 40;
    ASSERT_GE(static_cast<int>(all.size()) * rounds, 500);
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        run_in_child(all, rounds);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_FALSE(WIFSIGNALED(status)) << "died of signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace metamorph
