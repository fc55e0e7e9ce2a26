// The upper envelopes of a graph along lines of weights, found by looking for the best derivation here and there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/many_viterbi.hpp"
#include "tuning/losses/upper_envelope.hpp"

namespace tunesmith {

// The envelope of all derivations is convex: where two derivations that are the best at two steps meet, either
// nothing is better, and the envelope between these steps is known, or another derivation is, and divides them. So
// an envelope of n lines between two finite steps takes at most 2n + 1 best derivations, eight of which are found
// in one pass (many_viterbi.hpp). Exact as GraphEnvelope is, which follows the whole graph and has no limits; that
// one takes longer unless an envelope has dozens of lines. Keeps its memory from one graph to the next.
class ProbedEnvelope {
 public:
  // One derivation, the best from `start` to the start of the next: places of edges() in pre-order.
  struct Line {
    double height, slope, start;
    std::size_t begin, end;
  };

  // heights, slopes: as for ManyViterbi. best: the best derivation at step 0, edges in pre-order. low, high:
  // finite limits of each line, at most ManyViterbi::lines of them.
  void compute(const Hypergraph& graph, std::span<const double> heights, std::span<const double> slopes,
               std::span<const EdgeId> best, std::span<const double> low, std::span<const double> high);
  // Lines by ascending start, the first -∞.
  std::span<const Line> line(std::size_t i) const { return found_[i]; }
  std::span<const EdgeId> edges(const Line& line) const {
    return {edges_.data() + line.begin, edges_.data() + line.end};
  }

 private:
  // Two derivations (places of candidates_) that are the best at two steps; nothing is known of what is between.
  struct Gap {
    std::size_t line, left, right;
    double meeting;
  };
  Line read(std::span<const EdgeId> derivation, std::size_t line);
  Line probed(std::size_t probe);
  bool same(const Line& a, const Line& b) const;
  std::size_t add(std::size_t line, const Line& found);
  void open(std::size_t line, std::size_t left, std::size_t right);
  void probe_ends(std::span<const EdgeId> best, std::span<const double> low, std::span<const double> high);
  void probe_gaps();
  void keep_visible(std::size_t line, double low, double high);

  ManyViterbi viterbi_;
  const Hypergraph* graph_ = nullptr;
  std::span<const double> heights_, slopes_;
  std::vector<std::vector<Line>> candidates_{ManyViterbi::lines}, found_{ManyViterbi::lines};
  std::vector<EdgeId> edges_, derivation_;
  std::vector<Gap> gaps_;  // those from some place on are still to be examined
  std::vector<Probe> probes_;
  std::vector<std::pair<double, double>> sums_;
  // Scores and slopes of candidates of one line.
  std::vector<double> scores_, steepness_;
  EnvelopeSpace space_;
  std::vector<Segment> segments_;
};

}  // namespace tunesmith
