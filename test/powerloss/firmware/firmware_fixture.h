// A woven project for a device, which tests may spoil, and its verdict in the emulator.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pipeline/verify.h"
#include "util/interrupt.h"

namespace metamorph {

// The devices that come with Metamorph and have an emulator.
std::vector<std::string> emulated_devices();

// Nothing if the compiler of a device is there; else why a test is skipped.
std::optional<std::string> missing_compiler(const std::string& device, const std::string& toolchain = "gcc");

// All devices of `names`, for the model, with everything proven.
pipeline::VerifyRequest verify_request(const std::filesystem::path& model, const std::string& split,
                                       const std::vector<std::string>& names);

// `metamorph verify`; a failed expectation and no devices where it is an error.
report::VerifyResult prove(const pipeline::VerifyRequest& request);

std::string print(const report::VerifiedDevice& device);
double instructions_each_task(const report::VerifiedDevice& device);   // more than the plain program's
std::set<std::string> kinds_of(const report::VerifiedDevice& device);  // causes where they are known
std::set<std::string> symptoms_of(const report::VerifiedDevice& device);

class FirmwareProject {
public:
    // The digits network, split 3,3 unless said otherwise. `slice`: as for --slice.
    explicit FirmwareProject(const std::string& device, const std::string& split = "3,3",
                             const std::string& slice = "");

    std::filesystem::path folder() const { return m_scratch.path() / "app"; }
    std::string read(const std::string& file) const;
    // Replaces the one occurrence of `from`.
    void edit(const std::string& file, const std::string& from, const std::string& to);
    // Moves the one occurrence of `what` to right before that of `place`.
    void move(const std::string& file, const std::string& what, const std::string& place);

    pipeline::VerifyRequest request() const;
    report::VerifiedDevice verify() const;

private:
    void write(const std::string& file, const std::string& text);
    ScratchFolder m_scratch;
};

}  // namespace metamorph
