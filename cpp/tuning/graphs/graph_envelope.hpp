// The upper envelope of all derivations of a graph along a line of weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/graphs/derivations.hpp"
#include "search/graphs/hypergraph.hpp"
#include "tuning/losses/upper_envelope.hpp"

namespace tunesmith {

// The envelope semiring: envelopes of a node's edges are merged, those of an edge's tails are added up (Macherey
// et al. 2008 for lattices, Kumar et al. 2009 for hypergraphs). Exact between `low` and `high`, nothing is pruned.
// Keeps its memory from one graph to the next.
class GraphEnvelope {
 public:
  // One derivation: its score is height + step · slope, the highest from `start` to the start of the next line.
  struct Line {
    double height, slope, start;
    EdgeId edge;          // the topmost
    std::uint32_t ranks;  // of its tails' lines: places of ranks_
  };

  // heights, slopes: a score of each edge at step 0 and its change, all finite. Crossings are computed from
  // heights and slopes of whole derivations at every node; slopes that differ by less than 1e-12 of the largest
  // count as equal. At step 0 the derivation is that of `viterbi`, ties included.
  void compute(const Hypergraph& graph, std::span<const double> heights, std::span<const double> slopes,
               double low, double high);
  // Lines of the goal by ascending start, the first -∞; none for a graph without nodes.
  std::span<const Line> goal() const { return {lines_.data() + goal_, lines_.size() - goal_}; }
  // Appends the edges of a goal's line in pre-order.
  void append_derivation(const Hypergraph& graph, std::size_t line, std::vector<EdgeId>& edges) const;

 private:
  void collect(const Hypergraph& graph, EdgeId edge, double height, double slope);
  void add_line(double height, double slope, EdgeId edge);
  void keep_visible(double low, double high, double parallel);

  std::vector<std::size_t> first_;  // per node, and the end: its lines
  std::vector<Line> lines_;
  std::vector<std::uint32_t> ranks_;
  std::size_t goal_ = 0;
  // Lines of all edges of the node at work.
  std::vector<double> heights_, slopes_;
  std::vector<EdgeId> edges_;
  std::vector<std::uint32_t> new_ranks_, rank_at_;
  std::vector<std::uint32_t> at_;
  EnvelopeSpace space_;
  std::vector<Segment> segments_;
};

}  // namespace tunesmith
