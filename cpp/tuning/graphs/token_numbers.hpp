// What a metric counts for each word of a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// Numbers of the tokens that each word of the graphs becomes when a metric lower-cases and tokenises it: none, one
// or several. A negative number is a token that no reference has. Without offsets every word is its own token.
struct TokenNumbers {
  std::vector<std::uint32_t> offsets;
  std::vector<std::int32_t> tokens;

  // The word outlives the result.
  std::span<const std::int32_t> of(const std::int32_t& word) const {
    if (offsets.empty()) return {&word, 1};
    const auto at = static_cast<std::size_t>(word);
    return {tokens.data() + offsets[at], tokens.data() + offsets[at + 1]};
  }
  void append(std::span<const std::int32_t> words, std::vector<std::int32_t>& out) const {
    for (const std::int32_t& word : words) {
      const std::span<const std::int32_t> found = of(word);
      out.insert(out.end(), found.begin(), found.end());
    }
  }
  // Throws Error for offsets that do not rise to the number of tokens.
  void check() const {
    if (offsets.empty()) return;
    bool rises = offsets.front() == 0 && offsets.back() == tokens.size();
    for (std::size_t i = 1; i < offsets.size(); ++i) rises = rises && offsets[i - 1] <= offsets[i];
    if (!rises) throw Error("offsets of the tokens of words must rise from 0 to their number");
  }
  // Throws Error for a graph that has other words.
  void check(const Hypergraph& graph) const {
    if (offsets.empty()) return;
    for (const std::int32_t symbol : graph.symbols)
      if (symbol >= 0 && static_cast<std::size_t>(symbol) + 1 >= offsets.size())
        throw Error("a graph has a word whose tokens are not known");
  }
};

}  // namespace tunesmith
