// What a part's own program writes into the accelerator's registers, weights and biases before it waits for it: read
// off the statements of its functions, none of which may be left that is not understood.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parts/part_text.h"
#include "util/result.h"

namespace metamorph::parts {

class AcceleratorSetup {
public:
    // `arrays`: the constant arrays of the part's program by name; not owned.
    explicit AcceleratorSetup(const std::map<std::string, std::vector<std::uint32_t>>& arrays) : m_arrays(arrays) {}

    // Does what a function does, cnn_init, cnn_load_weights, cnn_load_bias, cnn_configure or cnn_start, in the order in
    // which they are called. `source`: the file, for errors. Errors: model, with file and line: a statement that is not
    // understood, or that writes beside the accelerator.
    Status apply(const std::vector<Statement>& statements, const std::string& source);

    // As ai8x_replay.c sums up what it finds.
    std::uint64_t sum() const;
    const std::map<std::uint32_t, std::uint32_t>& words() const { return m_words; }

private:
    Status apply_one(const Statement& statement, const std::string& source);
    Result<bool> apply_write(const Statement& statement, const std::string& where);
    Result<bool> apply_copy(const Statement& statement, const std::string& where);
    Result<bool> apply_kernel_list(const Statement& statement, const std::string& where);
    Status store(std::uint32_t address, std::uint32_t value, const std::string& where);
    Status copy(std::uint32_t address, const std::string& array, std::uint64_t words, const std::string& where);

    const std::map<std::string, std::vector<std::uint32_t>>& m_arrays;
    std::map<std::uint32_t, std::uint32_t> m_words;
    std::string m_pointer;  // the array that `ptr` is set to
};

// The address, the array and the number of words of "memcpy32((uint32_t *) 0x50400000, input_0, 64)". Nothing: it is
// something else.
struct WordCopy {
    std::uint32_t address = 0;
    std::string array;
    std::uint32_t words = 0;
};
std::optional<WordCopy> word_copy_of(const std::string& statement);

}  // namespace metamorph::parts
