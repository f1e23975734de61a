// `metamorph inspect`: what a model is made of, before anything is generated: layers, shapes, MACs, weights, and a
// drawn plan of the arena.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "pipeline/pipeline.h"

namespace metamorph::pipeline {

struct Inspection {
    Model model;
    generate::GeneratedCode code;
    generate::ArenaPlan arena;
};
Result<Inspection> inspect(const std::filesystem::path& model);

// Layers are numbered as --tasks counts them: an operator that needs no code (Reshape) has no number.
std::string text_of(const Inspection& inspection);
nlohmann::ordered_json json_of(const Inspection& inspection);

}  // namespace metamorph::pipeline
