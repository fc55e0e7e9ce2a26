// The best derivations of one graph at several steps along several lines, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// A place on one of `lines` lines that begin in one point.
struct Probe {
  std::uint32_t line;
  double step;
};

// Viterbi for up to `lanes` probes at once: the graph is read once, and numbers of all probes are in one vector of
// the machine. Probes do not influence each other. Keeps its memory from one graph to the next.
class ManyViterbi {
 public:
  static constexpr std::size_t lines = 4, lanes = 8;

  // heights: a score of each edge at step 0. slopes: its change along each line, line after line, `lines` of them.
  // Scores are heights + step · slopes; sums over derivations must not overflow. 1 to `lanes` probes.
  void run(const Hypergraph& graph, std::span<const double> heights, std::span<const double> slopes,
           std::span<const Probe> probes);
  // Writes the edges of the goal's best derivation at a probe in pre-order; of equally good edges of a node the
  // first one counts, as in `viterbi`.
  void derivation(const Hypergraph& graph, std::size_t probe, std::vector<EdgeId>& edges);

 private:
  std::vector<double> values_;         // node × lanes
  std::vector<std::int64_t> choices_;  // node × lanes: the topmost edge
  std::vector<NodeId> open_;
};

}  // namespace tunesmith
