// What tuners share about candidate lists: which rows belong to which sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "base/error.hpp"

namespace tunesmith {

// The candidates of sentence s are the rows [offsets[s], offsets[s + 1]).
class Lists {
 public:
  // Checks that the offsets divide `rows` rows; an empty list is allowed.
  Lists(std::span<const std::int64_t> offsets, std::size_t rows) : offsets_(offsets) {
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(rows))
      throw Error("offsets of candidate lists must begin with 0 and end with the number of candidates, " +
                  std::to_string(rows));
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      if (offsets[s + 1] < offsets[s]) throw Error("offsets of candidate lists must not decrease");
      if (offsets[s + 1] - offsets[s] > std::numeric_limits<std::int32_t>::max())
        throw Error("the list of sentence " + std::to_string(s) + " is too long");
    }
  }
  std::size_t size() const { return offsets_.size() - 1; }
  std::size_t rows() const { return begin(size()); }
  std::size_t begin(std::size_t sentence) const { return static_cast<std::size_t>(offsets_[sentence]); }
  std::size_t end(std::size_t sentence) const { return begin(sentence + 1); }
  std::size_t length(std::size_t sentence) const { return end(sentence) - begin(sentence); }

 private:
  std::span<const std::int64_t> offsets_;
};

}  // namespace tunesmith
