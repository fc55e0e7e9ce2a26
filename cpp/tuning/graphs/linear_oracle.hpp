// Hope and fear in a whole graph, with BLEU made linear.
#pragma once

#include "tuning/graphs/graph_gains.hpp"
#include "tuning/graphs/graph_oracle.hpp"
#include "tuning/graphs/split_graph.hpp"
#include "tuning/graphs/token_numbers.hpp"

namespace tunesmith {

// The gain is BLEU inside the pseudo-corpus (or NIST), made linear: so much for each word, and for each n-gram of
// the references so much every time it is there. Under such a gain the best derivation is found exactly, by
// Viterbi; of all derivations found that way the one counts whose exact objective, with clipped matches, is the
// highest. That of the model's best derivation is among them. The gain is made linear
//
// - at what a good translation has, and again at what was found, until that stays the same. A hope that has an
//   n-gram more often than the references is searched again with less for it (the multipliers of a Lagrangian
//   relaxation of clipping); for a fear, n-grams that are clipped cost nothing, as more of them change nothing;
// - for a fear, also at what the model's best derivation has: BLEU is concave in the matches, so that there is
//   more than one place from which nothing is worse;
// - at a quarter and at twice of what was found, and between the two, where derivations of both are equally good:
//   the brevity penalty has a corner, on either side of which a word is worth something else.
//
// The best of these may be at no corner of what is linear: last come the derivations nearest to it, which have
// another edge at one place and what is best below.
// In a large pseudo-corpus these are nearly the same, and a search that nearly repeats another is left out.
class LinearOracle : public GraphOracle {
 public:
  // Measure and tokens outlive this. most: edges of the graph once its nodes are split.
  LinearOracle(const Hypergraph& graph, const std::vector<std::vector<std::int32_t>>& references,
               const GainMeasure& measure, const TokenNumbers& tokens, std::size_t most);

  ScoredDerivation find(std::span<const double> scores, double model, double metric,
                        std::span<const double> background) override;

 private:
  // What a word is worth, then what each n-gram is (a state of the automaton).
  using Worth = std::vector<double>;
  struct Candidate {
    ScoredDerivation derivation;
    std::vector<double> counts;  // in the order of a Worth
    double objective;
  };
  // The best candidate under a linear gain: a place of candidates_.
  struct Answer {
    Worth worth;
    std::size_t best;
  };

  Answer answer(Worth worth);
  Answer descend(std::vector<double> row, Worth& shares, int steps);
  void search_between(const Answer& left, const Answer& right, int depth);
  Worth worth_at(std::span<const double> row, const Worth& shares) const;
  void update(Worth& shares, const Candidate& found) const;
  double linear(const Worth& worth, const Candidate& found) const;
  std::size_t best_so_far() const;
  void search_near(std::size_t best);
  // Viterbi under a linear gain, and the derivation that it found, with another edge at one place.
  void best_split(const Worth& worth);
  double split_value(const Worth& worth, std::uint32_t edge) const;
  void read(std::size_t place, std::uint32_t instead);
  void read() { read(~std::size_t{0}, 0); }
  std::size_t add_read();

  GraphGains gains_;
  const TokenNumbers& tokens_;
  std::vector<std::size_t> lengths_;  // of the automaton's states
  std::vector<double> most_;          // of each state: occurrences in the reference that has most of it
  std::vector<double> information_;   // of each state, where n-grams count by that
  SplitGraph split_;
  // One call of `find`.
  std::span<const double> scores_, background_;
  double model_ = 0, metric_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<Answer> answers_;
  // Values of split nodes, once `best_split` has been called.
  std::vector<double> value_;
  std::vector<std::uint32_t> choice_;
  // The derivation that was read last: edges in pre-order, the split nodes that they lead to, counts as of a
  // candidate.
  std::vector<EdgeId> edges_;
  std::vector<std::uint32_t> nodes_;
  std::vector<double> counts_;
  // Space.
  std::vector<std::uint32_t> open_;
  std::vector<std::int32_t> words_, counted_;
};

}  // namespace tunesmith
