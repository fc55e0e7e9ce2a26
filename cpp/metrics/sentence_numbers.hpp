// What every kernel of statistics asks of its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.hpp"

namespace tunesmith {

// Throws unless each of `hypotheses` has a number below `size` in `sentences`, and a row of `width` in the output.
inline void check_rows(std::size_t hypotheses, std::span<const std::int64_t> sentences, std::size_t size,
                       std::size_t width, std::size_t output) {
  if (sentences.size() != hypotheses)
    throw Error(std::to_string(hypotheses) + " hypotheses but " + std::to_string(sentences.size()) +
                " sentence numbers");
  if (output != hypotheses * width) throw Error("the output has the wrong size");
  for (const std::int64_t sentence : sentences)
    if (sentence < 0 || static_cast<std::size_t>(sentence) >= size)
      throw Error("sentence number " + std::to_string(sentence) + " is not between 0 and " + std::to_string(size) +
                  " (exclusive)");
}

}  // namespace tunesmith
