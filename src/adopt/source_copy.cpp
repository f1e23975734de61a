#include "adopt/source_copy.h"

#include <algorithm>

#include "cfront/external_statics.h"

namespace metamorph::adopt {

std::vector<cfront::SourceLocation> written_statics(const cfront::CodeModel& model) {
    std::vector<cfront::SourceLocation> found;
    for (std::size_t id = 0; id < model.entry.objects.size(); ++id) {
        const cfront::Object& object = model.entry.objects[id];
        if (object.kind != cfront::ObjectKind::variable || object.is_const) {
            continue;
        }
        const cfront::Variable& variable = model.variables[static_cast<std::size_t>(object.variable)];
        const bool is_written =
            std::any_of(model.entry.steps.begin(), model.entry.steps.end(), [&](const cfront::Step& step) {
                return std::any_of(step.accesses.begin(), step.accesses.end(), [&](const cfront::Access& access) {
                    return access.object == static_cast<cfront::ObjectId>(id) && !access.writes.empty();
                });
            });
        if (is_written && (variable.is_static || !variable.local_to.empty()) && variable.location.line > 0) {
            found.push_back(variable.location);
        }
    }
    return found;
}

Result<std::map<std::string, std::string>> copy_with_names(const cfront::FrontEndInput& input,
                                                           const std::map<std::string, std::string>& files,
                                                           const std::vector<cfront::SourceLocation>& statics,
                                                           const std::string& prefix) {
    MM_TRY(cfront::ExternalStatics external, cfront::externalise(input, statics, prefix));
    std::map<std::string, std::string> copies;
    for (const auto& [path, text] : files) {
        const std::string name = std::string(k_generated_folder) + "/" + path;
        const std::string& head = external.head[name];
        copies[path] = (head.empty() ? "" : head + "#line 1\n") + cfront::edited(text, name, external.edits);
        if (const std::string& tail = external.tail[name]; !tail.empty()) {
            copies[path] +=
                "\n/* Static variables of functions, where the tables of the application can name them: */\n" + tail;
        }
    }
    return copies;
}

std::string of_generated(std::string text) {
    const std::string copy = std::string(k_copy_folder) + "/";
    for (std::size_t at = text.find(copy); at != std::string::npos; at = text.find(copy, at)) {
        text.replace(at, copy.size(), std::string(k_generated_folder) + "/");
    }
    return text;
}

}  // namespace metamorph::adopt
