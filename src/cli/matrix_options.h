// What the commands on project files and sessions are asked for. Names of a project are checked where it is read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/shared_options.h"

namespace metamorph::cli {

struct MatrixOptions : CommonOptions {
    std::filesystem::path project = "metamorph.toml";
    std::string group;  // empty: all
    // Instead of the project's; empty: as it says.
    std::vector<std::string> models, generators, devices, toolchains, tasks;
    bool is_list = false;
    bool resumes = false;            // then all of the above have their defaults and mean nothing
    bool retries = false;            // with it: those that are not right are done anew
    std::string session = "latest";  // with it: "latest" or a number
    std::filesystem::path sessions;  // empty: metamorph-sessions beside the project file
    int jobs = 1;
};

struct InitOptions : CommonOptions {
    std::filesystem::path folder = ".";
};

struct ReportOptions : CommonOptions {
    enum class Format { text, csv, markdown } format = Format::text;
    std::string session = "latest";
    std::filesystem::path sessions = "metamorph-sessions";
    std::vector<std::string> columns;  // empty: the usual ones
    std::string sort;
    std::vector<std::string> filters;
    std::string compared;                                                     // an earlier session; empty: none
    std::vector<std::string> fail_if;                                         // never without it
    enum class Sizes { none, library, layer, function } sizes = Sizes::none;  // instead of the table
    std::filesystem::path timeline;                                           // a file to write; empty: none
};

struct WhyOptions : CommonOptions {
    std::string run;
    std::string session = "latest";
    std::filesystem::path sessions = "metamorph-sessions";
};

}  // namespace metamorph::cli
