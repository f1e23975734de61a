// A command line without the commands: what was asked for is kept, what was printed, too.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace metamorph::cli {

struct FakeCommands {
    std::optional<InspectOptions> inspect;
    std::optional<GenerateOptions> generate;
    std::optional<WeaveOptions> weave;
    std::optional<RunOptions> run;
    std::optional<VerifyOptions> verify;
    std::optional<CompareOptions> compare;
    std::optional<DevicesOptions> devices;
    std::optional<FrameworksOptions> frameworks;
    std::optional<DoctorOptions> doctor;
    std::optional<LibsOptions> libs;
    std::optional<InitOptions> init;
    std::optional<MatrixOptions> matrix;
    std::optional<ReportOptions> report;
    std::optional<WhyOptions> why;
    Result<int> answer = 0;
    std::string out, err;

    int operator()(const std::vector<std::string>& arguments) {
        Commands commands;
        commands.inspect = [this](const InspectOptions& options) { return keep(inspect, options); };
        commands.generate = [this](const GenerateOptions& options) { return keep(generate, options); };
        commands.weave = [this](const WeaveOptions& options) { return keep(weave, options); };
        commands.run = [this](const RunOptions& options) { return keep(run, options); };
        commands.verify = [this](const VerifyOptions& options) { return keep(verify, options); };
        commands.compare = [this](const CompareOptions& options) { return keep(compare, options); };
        commands.devices = [this](const DevicesOptions& options) { return keep(devices, options); };
        commands.frameworks = [this](const FrameworksOptions& options) { return keep(frameworks, options); };
        commands.framework_names = {"custom", "emx-onnx-cgen"};
        commands.device_names = {"host", "cortex-m4-spi"};
        commands.doctor = [this](const DoctorOptions& options) { return keep(doctor, options); };
        commands.libs = [this](const LibsOptions& options) { return keep(libs, options); };
        commands.init = [this](const InitOptions& options) { return keep(init, options); };
        commands.matrix = [this](const MatrixOptions& options) { return keep(matrix, options); };
        commands.report = [this](const ReportOptions& options) { return keep(report, options); };
        commands.why = [this](const WhyOptions& options) { return keep(why, options); };
        Doors doors;
        doors.out = [this](std::string_view text) { out += text; };
        doors.err = [this](std::string_view text) { err += text; };
        return run_command_line(arguments, commands, doors);
    }

    bool called() const {
        return inspect || generate || weave || run || verify || compare || devices || frameworks || doctor || libs ||
               init || matrix || report || why;
    }

private:
    template <typename Options>
    Result<int> keep(std::optional<Options>& slot, const Options& options) {
        slot = options;
        return answer;
    }
};

// A folder with the files net.tflite and inputs.bin, and the folder app.
class CommandLineTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "command_line_XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_folder = pattern;
        std::filesystem::create_directory(m_folder / "app");
        for (const char* name : {"net.tflite", "inputs.bin"}) {
            std::ofstream(m_folder / name) << "x";
        }
    }
    void TearDown() override { std::filesystem::remove_all(m_folder); }

    std::string path(const std::string& name) const { return (m_folder / name).string(); }

    std::filesystem::path m_folder;
    FakeCommands m_fake;
};

}  // namespace metamorph::cli
