// What the front end found, against what really happens: every recorded access lies within what was found, every byte
// that is surely written is written, every byte that is written once is written once and not read. On code of our own
// generator the two must agree to the byte.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cfront/front_end.h"
#include "generate/generator.h"
#include "import/import.h"
#include "recorded_run.h"
#include "support/random_network.h"

namespace metamorph::cfront {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "mm-compare-XXXXXX").string();
        m_path = mkdtemp(pattern.data());
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((m_path / name).parent_path());
        std::ofstream(m_path / name) << text;
    }
    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

struct Found {
    IntervalSet reads, reads_from_before, writes, must_writes, written_once;
};

Found found_in(const Step& step, ObjectId object) {
    Found found;
    for (const Access& access : step.accesses) {
        if (access.object == object) {
            found.reads.add(access.reads);
            IntervalSet from_before = access.reads;
            from_before.subtract(access.read_back);
            found.reads_from_before.add(from_before);
            found.writes.add(access.writes);
            found.must_writes.add(access.must_writes);
            found.written_once.add(access.written_once);
        }
    }
    return found;
}

enum class Expectation { sound, exact };

struct Totals {
    std::int64_t recorded_reads = 0, found_reads = 0, recorded_writes = 0, found_writes = 0;
};

void compare(const CodeModel& model, const Recording& recording, Expectation expectation, Totals& totals) {
    for (std::size_t s = 0; s < model.entry.steps.size(); ++s) {
        for (std::size_t id = 0; id < model.entry.objects.size(); ++id) {
            const RecordedAccess& recorded = recording[s][id];
            const Found found = found_in(model.entry.steps[s], static_cast<ObjectId>(id));
            const std::string where =
                fmt::format("step {} {} object {}", s, model.entry.steps[s].callee, model.entry.objects[id].name);
            EXPECT_TRUE(found.reads.contains(recorded.reads))
                << where << " reads " << recorded.reads.print() << " found " << found.reads.print();
            EXPECT_TRUE(found.reads_from_before.contains(recorded.reads_from_before))
                << where << " reads " << recorded.reads_from_before.print() << " before it writes it, found "
                << found.reads_from_before.print();
            EXPECT_TRUE(found.writes.contains(recorded.writes))
                << where << " writes " << recorded.writes.print() << " found " << found.writes.print();
            EXPECT_TRUE(found.writes.contains(found.must_writes)) << where;
            EXPECT_TRUE(found.must_writes.contains(found.written_once)) << where;
            if (!is_recorded(model, static_cast<ObjectId>(id))) {
                continue;
            }
            EXPECT_TRUE(recorded.writes.contains(found.must_writes)) << where << " must " << found.must_writes.print();
            EXPECT_TRUE(recorded.written_once.contains(found.written_once))
                << where << " once " << found.written_once.print();
            if (expectation == Expectation::exact) {
                EXPECT_EQ(found.writes.print(), recorded.writes.print()) << where;
                EXPECT_EQ(found.must_writes.print(), found.writes.print()) << where;
                EXPECT_EQ(found.written_once.print(), found.writes.print()) << where;
            }
            totals.recorded_reads += recorded.reads.bytes();
            totals.found_reads += found.reads.bytes();
            totals.recorded_writes += recorded.writes.bytes();
            totals.found_writes += found.writes.bytes();
        }
    }
}

double ratio(std::int64_t found, std::int64_t recorded) {
    return recorded == 0 ? (found == 0 ? 1.0 : 1e9) : static_cast<double>(found) / static_cast<double>(recorded);
}

Totals check(const FrontEndInput& input, Expectation expectation) {
    Totals totals;
    const auto begin = std::chrono::steady_clock::now();
    const Result<CodeModel> model = analyse(input);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(model) << describe(model.error());
    if (!model) {
        return totals;
    }
    for (const std::uint32_t seed : {1U, 77U}) {
        const Result<Recording> recording = record_accesses(input, *model, seed);
        EXPECT_TRUE(recording) << describe(recording.error());
        if (recording) {
            compare(*model, *recording, expectation, totals);
        }
    }
    EXPECT_GT(totals.recorded_writes, 0);
    std::cout << fmt::format("{}: {} steps, {:.2f} s; found/recorded bytes: reads {:.4f}, writes {:.4f}\n", input.entry,
                             model->entry.steps.size(), seconds.count(),
                             ratio(totals.found_reads, totals.recorded_reads),
                             ratio(totals.found_writes, totals.recorded_writes));
    return totals;
}

// Generates native code for a network and compares; everything must be exact.
void check_network(const graph::Graph& graph) {
    const Result<generate::GeneratedCode> code = generate::generate_native(graph, {});
    ASSERT_TRUE(code) << describe(code.error());
    const Folder folder;
    for (const auto& [name, text] : code->files) {
        folder.write(name, text);
    }
    const Totals totals =
        check({folder.path(), code->sources, {code->include_dir}, {}, code->entry}, Expectation::exact);
    EXPECT_LE(ratio(totals.found_reads, totals.recorded_reads), 1.05);
}

void check_model_file(const fs::path& file) {
    const Result<graph::Graph> graph = import::import_file(file);
    ASSERT_TRUE(graph) << describe(graph.error());
    check_network(*graph);
}

class CfrontComparison : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::string(METAMORPH_CLANG).find("NOTFOUND") != std::string::npos) {
            GTEST_SKIP() << "clang-19 is not installed";
        }
    }
};

class CfrontComparisonZoo : public CfrontComparison, public ::testing::WithParamInterface<const char*> {};

TEST_P(CfrontComparisonZoo, NativeCodeIsExact) {
    const char* zoo = std::getenv("METAMORPH_MODEL_ZOO");
    if (zoo == nullptr) {
        GTEST_SKIP() << "METAMORPH_MODEL_ZOO names no folder of models";
    }
    check_model_file(fs::path(zoo) / GetParam());
}

INSTANTIATE_TEST_SUITE_P(Models, CfrontComparisonZoo,
                         ::testing::Values("ad01_int8.tflite", "hello_world_int8.tflite", "kws_ref_model.tflite",
                                           "pretrainedResnet_quant.tflite"),
                         [](const auto& tested) {
                             return std::string(tested.param).substr(0, std::string(tested.param).find('.'));
                         });

TEST_F(CfrontComparison, DigitsNativeCodeIsExact) {
    check_model_file(fs::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8.tflite");
}

TEST_F(CfrontComparison, DigitsLogitsNativeCodeIsExact) {
    check_model_file(fs::path(METAMORPH_SOURCE_DIR) / "models/digits/digits_int8_logits.tflite");
}

class CfrontComparisonRandom : public CfrontComparison, public ::testing::WithParamInterface<int> {};

TEST_P(CfrontComparisonRandom, NativeCodeIsExact) {
    std::cout << "random network " << GetParam() << "\n";
    check_network(test_support::random_network(static_cast<std::uint64_t>(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Seeds, CfrontComparisonRandom, ::testing::Range(1, 7));

// Not of our generator: shapes as scalar arguments, kernels elsewhere, an arena without extent, a concatenation in
// parts.
TEST_F(CfrontComparison, ScalarShapesAreSound) {
    const Folder folder;
    folder.write("include/kernels.h", R"(#include <stdint.h>
#include <string.h>
void dense(const int8_t *restrict in, const int8_t *w, int8_t *restrict out, uint32_t n, uint32_t m);
void conv(const int8_t *restrict in, const int8_t *w, int8_t *restrict out, int h, int wd, int c, int m, int k, int stride, int pad);
void concat(const int8_t *in, int8_t *out, uint32_t rows, uint32_t bytes, uint32_t pitch);
void softmax(const int8_t *in, int8_t *out, uint32_t n);
void smooth(const int8_t *in, int8_t *out, int8_t *pad, uint32_t n);
)");
    folder.write("kernels.c", R"(#include "kernels.h"
void dense(const int8_t *restrict in, const int8_t *w, int8_t *restrict out, uint32_t n, uint32_t m) {
    for (uint32_t o = 0; o < m; o++) {
        int32_t acc = 0;
        for (uint32_t i = 0; i < n; i++) { acc += in[i] * w[(o * n + i) & 63u]; }
        *out++ = (int8_t)(acc >> 4);
    }
}
static int least(int a, int b) { return a < b ? a : b; }
void conv(const int8_t *restrict in, const int8_t *w, int8_t *restrict out, int h, int wd, int c, int m, int k, int stride, int pad) {
    const int oh = (h + 2 * pad - k) / stride + 1, ow = (wd + 2 * pad - k) / stride + 1;
    for (int y = 0; y < oh; y++) {
        for (int x = 0; x < ow; x++) {
            const int y0 = y * stride - pad, x0 = x * stride - pad;
            for (int o = 0; o < m; o++) {
                int32_t acc = 0;
                for (int ky = y0 < 0 ? -y0 : 0; ky < least(k, h - y0); ky++) {
                    const int8_t *row = in + ((y0 + ky) * wd + x0) * c;
                    for (int kx = 0; kx < k; kx++) {
                        if (x0 + kx < 0 || x0 + kx >= wd) { continue; }
                        for (int i = 0; i < c; i++) { acc += row[kx * c + i] * w[(o * k + kx + i) & 63]; }
                    }
                }
                out[(y * ow + x) * m + o] = (int8_t)(acc >> 3);
            }
        }
    }
}
void concat(const int8_t *in, int8_t *out, uint32_t rows, uint32_t bytes, uint32_t pitch) {
    while (rows-- > 0u) { memcpy(out, in, bytes); in += bytes; out += pitch; }
}
void smooth(const int8_t *in, int8_t *out, int8_t *pad, uint32_t n) {
    pad[0] = pad[n + 1] = 0;
    memcpy(pad + 1, in, n);
    for (uint32_t i = 0; i < n; i++) { out[i] = (int8_t)((pad[i] + pad[i + 1] + pad[i + 2]) / 3); }
}
void softmax(const int8_t *in, int8_t *out, uint32_t n) {
    int32_t best = in[0], sum = 0;
    for (uint32_t i = 1; i < n; i++) { best = in[i] > best ? in[i] : best; }
    for (uint32_t i = 0; i < n; i++) { sum += 1 << ((in[i] - best) & 7); }
    for (uint32_t i = 0; i < n; i++) { out[i] = (int8_t)((1 << ((in[i] - best) & 7)) * 100 / sum); }
}
)");
    folder.write("net.c", R"(#include "kernels.h"
static const int8_t w[64] = {3, -5, 7, 1, 2, -9, 4, 4, -1, 8};
int32_t counter = 3;
static void count(const int8_t *in) { if (in[0] > 0) { counter += in[0]; } }
void net(uint8_t *arena, const int8_t *input, int8_t *output) {
    conv(input, w, (int8_t *)(arena + 512u), 9, 7, 2, 4, 3, 2, 1);
    conv(input, w, (int8_t *)(arena + 640u), 9, 7, 2, 3, 3, 2, 1);
    concat((const int8_t *)(arena + 512u), (int8_t *)(arena + 0u), 20u, 4u, 7u);
    concat((const int8_t *)(arena + 640u), (int8_t *)(arena + 4u), 20u, 3u, 7u);
    count((const int8_t *)arena);
    dense((const int8_t *)arena, w, (int8_t *)(arena + 256u), 140u, 10u);
    smooth((const int8_t *)(arena + 256u), (int8_t *)(arena + 288u), (int8_t *)arena, 10u);
    softmax((const int8_t *)(arena + 288u), output, 10u);
}
)");
    const Totals totals = check({folder.path(), {"net.c", "kernels.c"}, {"include"}, {}, "net"}, Expectation::sound);
    EXPECT_EQ(totals.found_reads, totals.recorded_reads);
    EXPECT_EQ(totals.found_writes, totals.recorded_writes);
}

}  // namespace
}  // namespace metamorph::cfront
