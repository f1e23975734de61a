// Command lines that are right: what the commands are asked for.
#include "unit/cli/fake_commands.h"

namespace metamorph::cli {
namespace {

using Kind = Cuts::Kind;

TEST_F(CommandLineTest, Inspect) {
    EXPECT_EQ(m_fake({"inspect", path("net.tflite"), "--json", "-q"}), 0);
    ASSERT_TRUE(m_fake.inspect);
    EXPECT_EQ(m_fake.inspect->model, path("net.tflite"));
    EXPECT_TRUE(m_fake.inspect->json);
    EXPECT_TRUE(m_fake.inspect->quiet);
    EXPECT_EQ(m_fake.out + m_fake.err, "");
}

TEST_F(CommandLineTest, Generate) {
    EXPECT_EQ(m_fake({"generate", "-o", path("new"), path("net.tflite"), "--prefix=net"}), 0);
    ASSERT_TRUE(m_fake.generate);
    EXPECT_EQ(m_fake.generate->output, path("new"));
    EXPECT_EQ(m_fake.generate->prefix, "net");
    EXPECT_FALSE(m_fake.generate->json);
    EXPECT_FALSE(std::filesystem::exists(path("new"))) << "the parser must not touch the disk";
}

TEST_F(CommandLineTest, WeaveHasDefaults) {
    EXPECT_EQ(m_fake({"weave", path("net.tflite"), "--output", path("app")}), 0);
    ASSERT_TRUE(m_fake.weave);
    EXPECT_EQ(m_fake.weave->tasks, "layer");
    EXPECT_EQ(m_fake.weave->nvm, Nvm::mapped);
    EXPECT_FALSE(m_fake.weave->explain);
    EXPECT_FALSE(m_fake.weave->dump_after);
    EXPECT_EQ(m_fake.weave->prefix, "");
}

TEST_F(CommandLineTest, WeaveInFull) {
    EXPECT_EQ(m_fake({"weave", path("net.tflite"), "-o", path("app"), "-t", "3,3,3", "--nvm", "bus", "--explain",
                      "--dump-after=cfront"}),
              0);
    ASSERT_TRUE(m_fake.weave);
    EXPECT_EQ(m_fake.weave->tasks, "3,3,3");
    EXPECT_EQ(m_fake.weave->nvm, Nvm::bus);
    EXPECT_TRUE(m_fake.weave->explain);
    EXPECT_EQ(m_fake.weave->dump_after, Stage::cfront);
}

TEST_F(CommandLineTest, MatrixHasDefaults) {
    EXPECT_EQ(m_fake({"matrix"}), 0);
    ASSERT_TRUE(m_fake.matrix);
    EXPECT_EQ(m_fake.matrix->project, "metamorph.toml");
    EXPECT_TRUE(m_fake.matrix->models.empty());
    EXPECT_FALSE(m_fake.matrix->resumes);
    EXPECT_GE(m_fake.matrix->jobs, 1);
}

TEST_F(CommandLineTest, MatrixInFull) {
    EXPECT_EQ(m_fake({"matrix",      "quick",      "--project", "x.toml", "--model",  "a,b",
                      "--generator", "native",     "--device",  "host",   "--device", "cortex-m4-spi",
                      "--toolchain", "gcc,clang",  "-t",        "3,3",    "-t",       "whole",
                      "--list",      "--sessions", "s",         "-j",     "3"}),
              0)
        << m_fake.err;
    ASSERT_TRUE(m_fake.matrix);
    const MatrixOptions& matrix = *m_fake.matrix;
    EXPECT_EQ(matrix.group, "quick");
    EXPECT_EQ(matrix.project, "x.toml");
    EXPECT_EQ(matrix.models, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(matrix.devices, (std::vector<std::string>{"host", "cortex-m4-spi"}));
    EXPECT_EQ(matrix.toolchains, (std::vector<std::string>{"gcc", "clang"}));
    EXPECT_EQ(matrix.tasks, (std::vector<std::string>{"3,3", "whole"}));
    EXPECT_TRUE(matrix.is_list);
    EXPECT_EQ(matrix.jobs, 3);
    FakeCommands fake;
    EXPECT_EQ(fake({"matrix", "--resume", "--retry", "--session", "7"}), 0) << fake.err;
    EXPECT_TRUE(fake.matrix->resumes && fake.matrix->retries);
    EXPECT_EQ(fake.matrix->session, "7");
}

TEST_F(CommandLineTest, ReportAndWhyInFull) {
    EXPECT_EQ(m_fake({"report", "4", "--columns", "run,status", "--filter", "a=b", "--fail-if", "code > 1", "--compare",
                      "3", "--sessions", "s"}),
              0)
        << m_fake.err;
    ASSERT_TRUE(m_fake.report);
    EXPECT_EQ(m_fake.report->session, "4");
    EXPECT_EQ(m_fake.report->compared, "3");
    EXPECT_EQ(m_fake.report->columns, (std::vector<std::string>{"run", "status"}));
    EXPECT_EQ(m_fake.report->fail_if, std::vector<std::string>{"code > 1"});
    EXPECT_EQ(m_fake({"report", "--format", "csv", "--sort", "-code", "--timeline", "t.json"}), 0) << m_fake.err;
    EXPECT_EQ(m_fake.report->format, ReportOptions::Format::csv);
    EXPECT_EQ(m_fake.report->sort, "-code");
    EXPECT_EQ(m_fake({"why", "a.native", "--session", "2"}), 0) << m_fake.err;
    EXPECT_EQ(m_fake.why->run, "a.native");
    EXPECT_EQ(m_fake.why->session, "2");
    EXPECT_EQ(m_fake({"init", path("app")}), 0) << m_fake.err;
    EXPECT_EQ(m_fake.init->folder, path("app"));
}

TEST_F(CommandLineTest, EveryFormOfSplit) {
    for (const std::string split : {"whole", "layer", "1", "4", "3,3", "5,4,1"}) {
        FakeCommands fake;
        EXPECT_EQ(fake({"run", path("net.tflite"), "--tasks", split}), 0) << fake.err;
        ASSERT_TRUE(fake.run);
        EXPECT_EQ(fake.run->tasks, split);
    }
    EXPECT_EQ(m_fake({"run", path("net.tflite"), "--task-count", "7"}), 0);
    EXPECT_EQ(m_fake.run->tasks, "7");
}

TEST_F(CommandLineTest, SlicesAreAList) {
    const std::vector<std::string> slices{"0=4", "conv2d_02_relu=2", "auto:4096B", "auto:50000MACs"};
    EXPECT_EQ(m_fake({"weave", path("net.tflite"), "-o", path("app"), "--slice", slices[0], "--slice=" + slices[1],
                      "--slice", slices[2], "--slice", slices[3]}),
              0)
        << m_fake.err;
    ASSERT_TRUE(m_fake.weave);
    EXPECT_EQ(m_fake.weave->slices, slices);
    FakeCommands fake;
    EXPECT_EQ(fake({"run", path("net.tflite"), "--slice", "1=4"}), 0) << fake.err;
    ASSERT_TRUE(fake.run);
    EXPECT_EQ(fake.run->slices, std::vector<std::string>{"1=4"});
    FakeCommands none;
    EXPECT_EQ(none({"run", path("net.tflite")}), 0);
    EXPECT_EQ(none.run->slices, std::vector<std::string>{});
}

TEST_F(CommandLineTest, RunHasDefaults) {
    EXPECT_EQ(m_fake({"run", path("net.tflite")}), 0);
    ASSERT_TRUE(m_fake.run);
    const RunOptions& run = *m_fake.run;
    EXPECT_FALSE(run.is_woven);
    EXPECT_EQ(run.nvm, Nvm::both);
    EXPECT_EQ(run.cuts, (Cuts{Kind::every, 0}));
    EXPECT_EQ(run.second_cuts, (Cuts{Kind::some, 1}));
    EXPECT_FALSE(run.cut_budget_seconds);
    EXPECT_EQ(run.inferences, 1);
    EXPECT_FALSE(run.seed);
    EXPECT_GE(run.jobs, 1);
    EXPECT_TRUE(run.inputs.empty() && run.dataset.empty() && run.keep.empty() && run.replay.empty());
}

TEST_F(CommandLineTest, RunInFull) {
    EXPECT_EQ(m_fake({"run",    path("net.tflite"),     "--tasks", "whole",    "--nvm",  "mapped",       "--cut",
                      "2000",   "--cut-budget",         "90",      "--second", "every",  "--inferences", "3",
                      "--seed", "18446744073709551615", "--jobs",  "2",        "--keep", path("kept"),   "--json"}),
              0);
    ASSERT_TRUE(m_fake.run) << m_fake.err;
    const RunOptions& run = *m_fake.run;
    EXPECT_EQ(run.nvm, Nvm::mapped);
    EXPECT_EQ(run.cuts, (Cuts{Kind::some, 2000}));
    EXPECT_EQ(run.cut_budget_seconds, 90U);
    EXPECT_EQ(run.second_cuts, (Cuts{Kind::every, 0}));
    EXPECT_EQ(run.inferences, 3);
    EXPECT_EQ(run.seed, UINT64_MAX);
    EXPECT_EQ(run.jobs, 2);
    EXPECT_EQ(run.keep, path("kept"));
}

TEST_F(CommandLineTest, RunOfInputsADatasetOrAReplay) {
    EXPECT_EQ(m_fake({"run", path("net.tflite"), "--inputs", path("inputs.bin")}), 0);
    EXPECT_EQ(m_fake.run->inputs, path("inputs.bin"));
    EXPECT_EQ(m_fake({"run", path("net.tflite"), "--dataset", path("inputs.bin")}), 0);
    EXPECT_EQ(m_fake.run->dataset, path("inputs.bin"));
    for (const std::string id : {"cut:17", "cut:17+3"}) {
        EXPECT_EQ(m_fake({"run", path("net.tflite"), "--nvm", "bus", "--replay", id}), 0) << m_fake.err;
        EXPECT_EQ(m_fake.run->replay, id);
    }
}

TEST_F(CommandLineTest, WithoutCutsThereIsNoSecondCut) {
    for (const std::string none : {"none", "0"}) {
        EXPECT_EQ(m_fake({"run", path("net.tflite"), "--cut", none}), 0) << m_fake.err;
        EXPECT_EQ(m_fake.run->cuts.kind, Kind::none);
        EXPECT_EQ(m_fake.run->second_cuts.kind, Kind::none);
    }
    EXPECT_EQ(m_fake({"run", path("net.tflite"), "--cut", "none", "--second", "none"}), 0) << m_fake.err;
}

TEST_F(CommandLineTest, AFolderIsAWovenProject) {
    EXPECT_EQ(m_fake({"run", path("app"), "--cut", "every"}), 0);
    ASSERT_TRUE(m_fake.run);
    EXPECT_TRUE(m_fake.run->is_woven);
}

TEST_F(CommandLineTest, VerifyHasDefaults) {
    EXPECT_EQ(m_fake({"verify", path("net.tflite")}), 0) << m_fake.err;
    ASSERT_TRUE(m_fake.verify);
    const VerifyOptions& verify = *m_fake.verify;
    EXPECT_FALSE(verify.is_woven);
    EXPECT_TRUE(verify.devices.empty() && verify.toolchain.empty() && verify.replay.empty() && verify.keep.empty());
    EXPECT_EQ(verify.tasks, "layer");
    EXPECT_EQ(verify.depth, 0);
    EXPECT_TRUE(verify.merges);
    EXPECT_EQ(verify.inferences, 1);
    EXPECT_GE(verify.jobs, 1);
}

TEST_F(CommandLineTest, VerifyInFull) {
    std::ofstream(path("board.toml")) << "x";
    EXPECT_EQ(m_fake({"verify",      path("net.tflite"),
                      "--device",    "cortex-m4-spi," + path("board.toml"),
                      "--tasks",     "3,3",
                      "--slice",     "0=4",
                      "--toolchain", "clang",
                      "--depth",     "2",
                      "--no-merge",  "--cut",
                      "90",          "--inferences",
                      "3",           "--seed",
                      "7",           "-j",
                      "2",           "--json"}),
              0)
        << m_fake.err;
    ASSERT_TRUE(m_fake.verify);
    const VerifyOptions& verify = *m_fake.verify;
    EXPECT_EQ(verify.devices, (std::vector<std::string>{"cortex-m4-spi", path("board.toml")}));
    EXPECT_EQ(verify.slices, std::vector<std::string>{"0=4"});
    EXPECT_EQ(verify.toolchain, "clang");
    EXPECT_EQ(verify.depth, 2);
    EXPECT_FALSE(verify.merges);
    EXPECT_EQ(verify.cuts_max, 90U);
    EXPECT_EQ(verify.inferences, 3);
    EXPECT_EQ(verify.seed, 7U);
    EXPECT_EQ(verify.jobs, 2);
    EXPECT_EQ(m_fake({"verify", path("app"), "--replay", "noise+17~3", "--gdb", path("core")}), 0) << m_fake.err;
    EXPECT_TRUE(m_fake.verify->is_woven);
    EXPECT_EQ(m_fake.verify->replay, "noise+17~3");
    EXPECT_EQ(m_fake({"verify", path("app"), "--replay", ""}), 2) << "is no replay, and no search either";
    EXPECT_NE(m_fake.err.find("'' is not the id of a failure"), std::string::npos) << m_fake.err;
    EXPECT_EQ(m_fake.verify->gdb, path("core"));
}

TEST_F(CommandLineTest, Compare) {
    EXPECT_EQ(m_fake({"compare", path("net.tflite"), path("inputs.bin"), "--generators", "native,custom,emx-onnx-cgen",
                      "--option", "custom:a=b=c", "--option", "custom:d=", "--tasks", "3,3", "--verify"}),
              0)
        << m_fake.err;
    ASSERT_TRUE(m_fake.compare);
    const CompareOptions& compare = *m_fake.compare;
    EXPECT_EQ(compare.models, (std::vector<std::filesystem::path>{path("net.tflite"), path("inputs.bin")}));
    ASSERT_EQ(compare.candidates.size(), 3U);
    EXPECT_EQ(compare.candidates[0].generator, "native");
    EXPECT_EQ(compare.candidates[1].options,
              (std::vector<std::pair<std::string, std::string>>{{"a", "b=c"}, {"d", ""}}));
    EXPECT_EQ(compare.device, "cortex-m4-mapped");
    EXPECT_EQ(compare.tasks, "3,3");
    EXPECT_EQ(compare.inferences, 1);
    EXPECT_TRUE(compare.proves);
}

TEST_F(CommandLineTest, Devices) {
    EXPECT_EQ(m_fake({"devices", "-q"}), 0);
    ASSERT_TRUE(m_fake.devices);
    EXPECT_FALSE(m_fake.devices->device);
    EXPECT_TRUE(m_fake.devices->quiet);
    std::ofstream(path("board.toml")) << "x";
    for (const std::string& device : {std::string("cortex-m4-spi"), path("board.toml")}) {
        FakeCommands fake;
        EXPECT_EQ(fake({"devices", device, "--json"}), 0) << fake.err;
        ASSERT_TRUE(fake.devices);
        EXPECT_EQ(fake.devices->device, device);
        EXPECT_TRUE(fake.devices->json);
        EXPECT_EQ(fake({"weave", path("net.tflite"), "-o", path("new"), "--device", device}), 0) << fake.err;
        ASSERT_TRUE(fake.weave);
        EXPECT_EQ(fake.weave->device, device);
    }
}

TEST_F(CommandLineTest, Frameworks) {
    EXPECT_EQ(m_fake({"frameworks"}), 0);
    ASSERT_TRUE(m_fake.frameworks);
    EXPECT_FALSE(m_fake.frameworks->framework);
    EXPECT_EQ(m_fake({"frameworks", "bakenn", "--show-command", path("net.tflite"), "--option", "kernels=portable",
                      "--option", "x=a=b", "--prefix", "net"}),
              0)
        << m_fake.err;
    EXPECT_EQ(m_fake.frameworks->framework, "bakenn");
    EXPECT_EQ(m_fake.frameworks->model, path("net.tflite"));
    EXPECT_EQ(m_fake.frameworks->prefix, "net");
    EXPECT_EQ(m_fake.frameworks->generator.options,
              (std::vector<std::pair<std::string, std::string>>{{"kernels", "portable"}, {"x", "a=b"}}));
    EXPECT_EQ(m_fake({"doctor", "--install", "bakenn"}), 0) << m_fake.err;
    EXPECT_EQ(m_fake.doctor->install, "bakenn");
}

TEST_F(CommandLineTest, LibsHasActions) {
    EXPECT_EQ(m_fake({"libs", "list"}), 0) << m_fake.err;
    EXPECT_EQ(m_fake.libs->action, LibsOptions::Action::list);
    EXPECT_EQ(m_fake.libs->device, "host");
    EXPECT_EQ(m_fake({"libs", "verify", "--json"}), 0) << "verify is a command, too: " << m_fake.err;
    EXPECT_EQ(m_fake.libs->action, LibsOptions::Action::verify);
    EXPECT_FALSE(m_fake.verify);
    EXPECT_EQ(m_fake({"libs", "build", "kernels", "--device", "cortex-m4-spi", "--toolchain=clang", "--feature",
                      "debug", "--feature", "trace", "-j", "3", "--rebuild-check"}),
              0)
        << m_fake.err;
    EXPECT_EQ(m_fake.libs->name, "kernels");
    EXPECT_EQ(m_fake.libs->device, "cortex-m4-spi");
    EXPECT_EQ(m_fake.libs->toolchain, "clang");
    EXPECT_EQ(m_fake.libs->features, (std::vector<std::string>{"debug", "trace"}));
    EXPECT_EQ(m_fake.libs->jobs, 3);
    EXPECT_TRUE(m_fake.libs->rebuild_check);
    EXPECT_EQ(m_fake({"libs", "explain", "ab", "cd"}), 0) << m_fake.err;
    EXPECT_EQ(m_fake.libs->name + m_fake.libs->other, "abcd");
    EXPECT_EQ(m_fake({"libs", "gc", "--bytes", "0"}), 0) << m_fake.err;
    EXPECT_EQ(m_fake.libs->bytes, 0U);
    EXPECT_EQ(m_fake({"libs", "build", "--all"}), 0) << m_fake.err;
    EXPECT_TRUE(m_fake.libs->all);
}

TEST_F(CommandLineTest, AGeneratorOfOthersIsToldMore) {
    EXPECT_EQ(m_fake({"generate", path("net.tflite"), "-o", path("new")}), 0) << m_fake.err;
    EXPECT_TRUE(m_fake.generate->generator.is_native());
    EXPECT_EQ(m_fake({"generate",
                      path("app"),
                      "-o",
                      path("new"),
                      "--generator",
                      "custom",
                      "--entry",
                      "infer",
                      "--arena",
                      "scratch=2048",
                      "--arena",
                      "#1",
                      "--define",
                      "RAM(x)=",
                      "--parameter",
                      "x=input:64",
                      "--parameter",
                      "n=constant:0",
                      "--include",
                      "inc",
                      "--parameter",
                      "spare=null",
                      "--generator-seconds",
                      "30"}),
              0)
        << m_fake.err;
    const GeneratorOptions& generator = m_fake.generate->generator;
    EXPECT_EQ(generator.name, "custom");
    EXPECT_EQ(generator.entry, "infer");
    EXPECT_EQ(generator.seconds_max, 30U);
    EXPECT_EQ(generator.defines, std::vector<std::string>{"RAM(x)="});
    EXPECT_EQ(generator.include_dirs, std::vector<std::filesystem::path>{"inc"});
    std::string parameters;
    for (const GeneratorOptions::Parameter& parameter : generator.parameters) {
        parameters += parameter.name + " " + parameter.role +
                      (parameter.number ? " " + std::to_string(*parameter.number) : "") + "; ";
    }
    EXPECT_EQ(parameters, "scratch arena 2048; #1 arena; x input 64; n constant 0; spare null; ");
    std::ofstream(path("framework.toml")) << "x";
    EXPECT_EQ(m_fake({"generate", path("net.tflite"), "-o", path("new"), "--framework", path("framework.toml")}), 0)
        << m_fake.err;
    EXPECT_EQ(m_fake.generate->generator.name, path("framework.toml"));
}

TEST_F(CommandLineTest, EveryCommandThatTakesAModelTakesAGenerator) {
    const std::vector<std::string> generator{"--generator", "custom", "--entry", "infer"};
    const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), generator.begin(), generator.end());
        return arguments;
    };
    EXPECT_EQ(m_fake(with({"inspect", path("app"), "--prefix", "net"})), 0) << m_fake.err;
    EXPECT_EQ(m_fake(with({"weave", path("app"), "-o", path("new")})), 0) << m_fake.err;
    EXPECT_EQ(m_fake(with({"run", path("app"), "--tasks", "layer"})), 0) << m_fake.err;
    EXPECT_EQ(m_fake(with({"verify", path("app")})), 0) << m_fake.err;
    EXPECT_EQ(m_fake.inspect->generator.entry, "infer");
    EXPECT_EQ(m_fake.inspect->prefix, "net");
    EXPECT_EQ(m_fake.weave->generator.name, "custom");
    EXPECT_EQ(m_fake.run->generator.name, "custom");
    EXPECT_FALSE(m_fake.run->is_woven) << "a folder of C";
    EXPECT_EQ(m_fake.verify->generator.name, "custom");
    EXPECT_FALSE(m_fake.verify->is_woven);
}

TEST_F(CommandLineTest, TheExitStatusIsTheCommands) {
    m_fake.answer = 1;
    EXPECT_EQ(m_fake({"doctor"}), 1);
    EXPECT_TRUE(m_fake.doctor);
    for (const ErrorCode code : {ErrorCode::check_failed, ErrorCode::options, ErrorCode::model, ErrorCode::toolchain,
                                 ErrorCode::system, ErrorCode::internal}) {
        m_fake.answer = fail(code, "here", "it went wrong");
        m_fake.err.clear();
        EXPECT_EQ(m_fake({"doctor"}), static_cast<int>(code));
        EXPECT_EQ(m_fake.err, "error: it went wrong\n  at here\n");
    }
}

TEST_F(CommandLineTest, AModelNamedLikeAnOptionCanBeGiven) {
    std::filesystem::rename(path("net.tflite"), path("--cut"));
    EXPECT_EQ(m_fake({"run", "--", path("--cut")}), 0) << m_fake.err;
    EXPECT_EQ(m_fake.run->model, path("--cut"));
}

}  // namespace
}  // namespace metamorph::cli
