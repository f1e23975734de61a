// A machine without programs: those that a test puts there answer by a function.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "build/command_runner.h"

namespace metamorph::build {

class FakeRunner : public CommandRunner {
public:
    using Answer = std::function<ProcessOutcome(const ProcessRequest&)>;

    void install(const std::string& name, Answer answer) { m_programs["/fake/" + name] = std::move(answer); }

    std::optional<std::filesystem::path> find(const std::string& name) override {
        const std::string path = "/fake/" + name;
        return m_programs.contains(path) ? std::optional<std::filesystem::path>(path) : std::nullopt;
    }

    Result<ProcessOutcome> run(const ProcessRequest& request) override {
        {
            const std::lock_guard lock(m_mutex);
            m_requests.push_back(request);
        }
        return m_programs.at(request.argv.front())(request);
    }

    const std::vector<ProcessRequest>& requests() const { return m_requests; }

private:
    std::map<std::string, Answer> m_programs;
    std::vector<ProcessRequest> m_requests;
    std::mutex m_mutex;
};

inline ProcessOutcome prints(const std::string& output) {
    ProcessOutcome outcome;
    outcome.output = output;
    return outcome;
}

inline ProcessOutcome fails(int status, const std::string& errors) {
    ProcessOutcome outcome;
    outcome.status = status;
    outcome.errors = errors;
    return outcome;
}

}  // namespace metamorph::build
