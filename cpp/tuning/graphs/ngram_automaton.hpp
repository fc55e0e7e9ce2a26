// Which n-grams of the references end at a word, told from the words before it by one number.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tunesmith {

// The automaton of Aho and Corasick (1975) over all n-grams of the references of one sentence, up to an order. A
// state is an n-gram of the references (0 is the empty one); every part of it is one too. Words are numbers of the
// caller's; a negative one is in no reference.
class NgramAutomaton {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  NgramAutomaton(const std::vector<std::vector<std::int32_t>>& references, int order);

  // The state n-gram + word, `none` if no reference has it.
  std::uint32_t child(std::uint32_t state, std::int32_t word) const;
  // The longest end of n-gram + word that is an n-gram of the references. The n-grams of the references that end
  // at the word have lengths 1 … length(next).
  std::uint32_t next(std::uint32_t state, std::int32_t word) const;
  std::size_t states() const { return nodes_.size(); }
  std::size_t length(std::uint32_t state) const { return nodes_[state].length; }
  // The longest end of an n-gram that is shorter than it.
  std::uint32_t suffix(std::uint32_t state) const { return nodes_[state].suffix; }
  // The longest end of at most `most` words.
  std::uint32_t shortened(std::uint32_t state, std::size_t most) const {
    while (nodes_[state].length > most) state = nodes_[state].suffix;
    return state;
  }
  // Writes the words of a state.
  void words(std::uint32_t state, std::vector<std::int32_t>& out) const;

 private:
  struct Node {
    std::uint32_t parent, suffix;
    std::int32_t word;
    std::uint32_t length;
  };
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> child_;
};

}  // namespace tunesmith
