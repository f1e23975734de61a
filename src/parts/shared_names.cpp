// A greatest fixed point: first all functions of the same text and macros are taken to be shared; then those that refer
// to what is not are struck out, until none is left.
#include "parts/shared_names.h"

#include <algorithm>

#include "parts/part_text.h"

namespace metamorph::parts {
namespace {

const std::string* text_of_definition(const PartSource& part, const std::string& name) {
    if (const auto function = part.functions.find(name); function != part.functions.end()) {
        return &function->second.text;
    }
    const auto variable = part.variables.find(name);
    return variable == part.variables.end() ? nullptr : &variable->second.text;
}

void add_macros(const PartSource& part, const std::string& text, std::map<std::string, std::string>& used) {
    for (const std::string& word : words_of(text)) {
        const auto macro = part.macros.find(word);
        if (macro != part.macros.end() && used.emplace(word, macro->second).second) {
            add_macros(part, macro->second, used);
        }
    }
}

bool is_same_everywhere(const std::vector<PartSource>& parts, const std::string& name) {
    const std::string* first = nullptr;
    std::map<std::string, std::string> macros;
    for (const PartSource& part : parts) {
        const auto found = part.functions.find(name);
        if (found == part.functions.end() || (first != nullptr && *first != found->second.text)) {
            return false;
        }
        std::map<std::string, std::string> used;
        add_macros(part, found->second.text, used);
        if (first != nullptr && used != macros) {
            return false;
        }
        first = &found->second.text;
        macros = std::move(used);
    }
    return true;
}

}  // namespace

std::set<std::string> shared_functions(const std::vector<PartSource>& parts) {
    std::set<std::string> shared;
    if (parts.size() < 2) {
        return shared;
    }
    for (const auto& [name, function] : parts[0].functions) {
        const bool is_woven =
            function.part_class != PartClass::known_answer && function.part_class != PartClass::program;
        if (is_woven && is_same_everywhere(parts, name)) {
            shared.insert(name);
        }
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (const std::string& name : std::set<std::string>(shared)) {
            for (const std::string& word : words_of(parts[0].functions.at(name).text)) {
                const bool is_defined = text_of_definition(parts[0], word) != nullptr;
                if (is_defined && word != k_stopwatch && !shared.contains(word) && shared.erase(name) > 0) {
                    has_changed = true;
                }
            }
        }
    }
    return shared;
}

std::set<std::string> reached_from(const PartSource& part, const std::vector<std::string>& roots) {
    std::set<std::string> reached;
    std::vector<std::string> left = roots;
    while (!left.empty()) {
        const std::string name = left.back();
        left.pop_back();
        const std::string* text = text_of_definition(part, name);
        if (text == nullptr || !reached.insert(name).second) {
            continue;
        }
        for (const std::string& word : words_of(*text)) {
            left.push_back(word);
        }
        std::map<std::string, std::string> used;
        add_macros(part, *text, used);
        for (const auto& [macro, body] : used) {
            for (const std::string& word : words_of(body)) {
                left.push_back(word);
            }
        }
    }
    return reached;
}

}  // namespace metamorph::parts
