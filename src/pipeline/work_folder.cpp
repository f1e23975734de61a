#include "pipeline/work_folder.h"

namespace metamorph::pipeline {

bool names(const Error& error, const std::string& path) {
    for (const std::string* text : {&error.where, &error.message, &error.hint}) {
        if (text->find(path) != std::string::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace metamorph::pipeline
