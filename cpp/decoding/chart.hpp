// What search found for one sentence: hypotheses by span, and the edges they were made by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/arena.hpp"
#include "decoding/target_options.hpp"

namespace tunesmith {

using HypothesisId = std::uint32_t;

// All ways to translate a span that look alike from outside, with the best one of them.
struct Hypothesis {
  float score;         // of the best edge and all below it
  std::uint32_t edge;  // the best one; the others follow by ChartEdge::next
  const std::byte* state;
};

struct ChartEdge {
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  const TargetOption* option;
  HypothesisId tails[2];  // those of gaps -1 and -2; as many as the option has gaps
  float score;            // with all below
  std::uint32_t next;     // a further edge of the same hypothesis, or none
};

// Hypotheses of a span, best first.
struct Cell {
  HypothesisId begin = 0, end = 0;
  bool empty() const { return begin == end; }
  std::uint32_t size() const { return end - begin; }
};

// Spans up to `longest` words, from right to left by their begin; then prefixes, which glue puts together.
class Chart {
 public:
  void reset(std::size_t words, std::size_t longest);

  Cell& cell(std::size_t begin, std::size_t end) { return cells_[begin * longest_ + (end - begin - 1)]; }
  const Cell& cell(std::size_t begin, std::size_t end) const {
    return cells_[begin * longest_ + (end - begin - 1)];
  }
  // Words [0, end), behind <s>.
  Cell& prefix(std::size_t end) { return prefixes_[end]; }
  const Cell& prefix(std::size_t end) const { return prefixes_[end]; }
  std::size_t words() const { return words_; }
  std::size_t longest() const { return longest_; }

  std::vector<Hypothesis> hypotheses;
  std::vector<ChartEdge> edges;
  std::vector<float> dense;  // of each edge, as many as the features across rules have
  Cell goal;                 // at most one hypothesis

  std::uint64_t bytes() const {
    return arena.used() + hypotheses.size() * sizeof(Hypothesis) + edges.size() * sizeof(ChartEdge);
  }

  // Of search: the state and options of this sentence live here.
  Arena arena;
  std::uint64_t pops = 0;
  bool limited = false, timed_out = false;

 private:
  std::size_t words_ = 0, longest_ = 0;
  std::vector<Cell> cells_, prefixes_;
};

}  // namespace tunesmith
