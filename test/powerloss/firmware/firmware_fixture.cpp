#include "powerloss/firmware/firmware_fixture.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/device.h"
#include "pipeline/project_folder.h"
#include "powerloss/run/run_fixture.h"
#include "util/process.h"

namespace metamorph {
namespace {

// Tests are not beside the emulator.
const bool g_is_emulator_named = ::setenv("METAMORPH_EMU", METAMORPH_EMU_PATH, 0) == 0;

app::Device device_called(const std::string& name) {
    auto device = app::find_device(name);
    EXPECT_TRUE(device.has_value()) << describe(device.error());
    return device ? *device : app::Device{};
}

}  // namespace

std::vector<std::string> emulated_devices() {
    std::vector<std::string> names;
    for (const std::string& name : app::device_names()) {
        if (!device_called(name).is_host()) {
            names.push_back(name);
        }
    }
    return names;
}

std::optional<std::string> missing_compiler(const std::string& device, const std::string& toolchain) {
    const app::Device described = device_called(device);
    const app::Compiler* compiler = described.compiler(toolchain);
    if (compiler == nullptr || !find_program(compiler->program) ||
        (toolchain == "clang" && !find_program("ld.lld-19"))) {
        return toolchain + " for " + device + " is not installed";
    }
    return std::nullopt;
}

pipeline::VerifyRequest verify_request(const std::filesystem::path& model, const std::string& split,
                                       const std::vector<std::string>& names) {
    pipeline::VerifyRequest request;
    request.model = model;
    request.split = tasks::parse_split(split).value();
    for (const std::string& name : names) {
        request.devices.push_back(device_called(name));
    }
    return request;
}

report::VerifyResult prove(const pipeline::VerifyRequest& request) {
    auto result = pipeline::verify(request);
    EXPECT_TRUE(result.has_value()) << describe(result.error());
    return result ? std::move(*result) : report::VerifyResult{};
}

double instructions_each_task(const report::VerifiedDevice& device) {
    return (static_cast<double>(device.woven_each.instructions) - static_cast<double>(device.plain_each.instructions)) /
           static_cast<double>(device.tasks.size());
}

std::string print(const report::VerifiedDevice& device) {
    report::VerifyResult result;
    result.devices.push_back(device);
    return report::text_of(result);
}

std::set<std::string> kinds_of(const report::VerifiedDevice& device) {
    std::set<std::string> kinds;
    for (const report::VerifyFailure& failure : device.failures) {
        kinds.insert(failure.kind);
    }
    return kinds;
}

std::set<std::string> symptoms_of(const report::VerifiedDevice& device) {
    std::set<std::string> symptoms;
    for (const report::VerifyFailure& failure : device.failures) {
        symptoms.insert(failure.symptom);
    }
    return symptoms;
}

FirmwareProject::FirmwareProject(const std::string& device, const std::string& split, const std::string& slice)
    : m_scratch(ScratchFolder::make("metamorph-firmware").value()) {
    const app::Device described = device_called(device);
    pipeline::WeaveRequest request;
    request.model = digits_model();
    request.prefix = "net";
    request.split = tasks::parse_split(split).value();
    if (!slice.empty()) {
        request.slices.push_back(tasks::parse_slice(slice).value());
    }
    request.device = &described;
    request.mode = described.attachment == app::Attachment::mapped ? tasks::NvmMode::mapped : tasks::NvmMode::bus;
    const auto woven = pipeline::weave_model(request);
    EXPECT_TRUE(woven.has_value()) << describe(woven.error());
    EXPECT_TRUE(woven && pipeline::write_project(folder(), woven->project.files));
}

std::string FirmwareProject::read(const std::string& file) const {
    std::ifstream stream(folder() / file);
    EXPECT_TRUE(stream.is_open()) << file;
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

void FirmwareProject::write(const std::string& file, const std::string& text) {
    std::ofstream(folder() / file) << text;
}

void FirmwareProject::edit(const std::string& file, const std::string& from, const std::string& to) {
    std::string text = read(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << "'" << from << "' is not in " << file;
    ASSERT_EQ(text.find(from, at + 1), std::string::npos) << "'" << from << "' stands twice in " << file;
    write(file, text.replace(at, from.size(), to));
}

void FirmwareProject::move(const std::string& file, const std::string& what, const std::string& place) {
    edit(file, what, "");
    edit(file, place, what + place);
}

pipeline::VerifyRequest FirmwareProject::request() const {
    pipeline::VerifyRequest request;
    request.model = folder();
    request.is_woven = true;
    return request;
}

report::VerifiedDevice FirmwareProject::verify() const {
    const report::VerifyResult result = prove(request());
    return result.devices.empty() ? report::VerifiedDevice{} : result.devices.front();
}

}  // namespace metamorph
