// What search found for one sentence: hypotheses by span, and the edges they were made by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/blocks.hpp"
#include "decoding/chart/arena.hpp"
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

  // An edge that appends has one tail and its own span, which stands in the place of the other one.
  void set_span(std::uint32_t begin, std::uint32_t end) { tails[1] = begin << 16 | end; }
  std::uint16_t begin() const { return static_cast<std::uint16_t>(tails[1] >> 16); }
  std::uint16_t end() const { return static_cast<std::uint16_t>(tails[1]); }
};

// Hypotheses of a span, best first.
struct Cell {
  HypothesisId begin = 0, end = 0;
  bool empty() const { return begin == end; }
  std::uint32_t size() const { return end - begin; }
};

// How much of what was scored is kept: the best edge of each hypothesis, or all, for lists or for a graph.
enum class Keep { best, lists, graph };

// Of hierarchical search: spans up to `longest` words, from right to left by their begin; then prefixes, which
// glue puts together. Of searches that append there are hypotheses and edges alone; edges have spans of their own.
class Chart {
 public:
  // dense: values that the features across rules have for an edge.
  explicit Chart(std::size_t dense_count) : dense(dense_count), dense_count_(dense_count) {}
  void reset(std::size_t words, std::size_t longest, Keep keep);
  void reset_for_appending(std::size_t words, Keep keep);
  bool appended() const { return longest_ == 0; }

  Cell& cell(std::size_t begin, std::size_t end) { return cells_[begin * longest_ + (end - begin - 1)]; }
  const Cell& cell(std::size_t begin, std::size_t end) const {
    return cells_[begin * longest_ + (end - begin - 1)];
  }
  // Words [0, end), after <s>.
  Cell& prefix(std::size_t end) { return prefixes_[end]; }
  const Cell& prefix(std::size_t end) const { return prefixes_[end]; }
  std::size_t words() const { return words_; }
  std::size_t longest() const { return longest_; }

  std::vector<Hypothesis> hypotheses;
  Blocks<ChartEdge> edges;
  Blocks<float> dense;  // of each edge
  Cell goal;            // at most one hypothesis
  // Of left-to-right search: edges whose tail is `glued` have the score of glue in theirs. Glue is an edge of its
  // own in the graph, and not here, where there would be one for each span that may come next.
  const TargetOption* glue = nullptr;
  std::vector<bool> glued;  // by hypothesis; empty in other searches
  bool is_glued(HypothesisId tail) const { return tail < glued.size() && glued[tail]; }

  bool keeps_all() const { return keep_ != Keep::best; }
  std::size_t dense_count() const { return dense_count_; }
  // What the sentence takes, with the graph that will be made of it: lists are made of a small part, a graph of
  // all edges.
  std::uint64_t bytes() const {
    const std::size_t of_edge = sizeof(ChartEdge) + dense_count_ * sizeof(float);
    const std::size_t of_graph = keep_ == Keep::graph ? graph_bytes + dense_count_ * sizeof(float) : 0;
    return beside + arena.used() + hypotheses.size() * sizeof(Hypothesis) + edges.size() * (of_edge + of_graph);
  }

  // Memory of search: the state and options of this sentence live here.
  Arena arena;
  std::uint64_t beside = 0;  // bytes that the search of this sentence holds elsewhere
  std::uint64_t pops = 0;
  bool limited = false, timed_out = false, too_long = false;

 private:
  void start(std::size_t words, std::size_t longest, Keep keep);

  // Of an edge of a graph: offsets, application, score, two tails, and six symbols, which few rules exceed.
  static constexpr std::size_t graph_bytes = 3 * 4 + 8 + 2 * 4 + 6 * 4;

  std::size_t dense_count_;
  Keep keep_ = Keep::best;
  std::size_t words_ = 0, longest_ = 0;
  std::vector<Cell> cells_, prefixes_;
};

}  // namespace tunesmith
