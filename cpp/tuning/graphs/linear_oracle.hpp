// Hope and fear in a whole graph, with BLEU made linear.
#pragma once

#include "tuning/graphs/graph_gains.hpp"
#include "tuning/graphs/graph_oracle.hpp"
#include "tuning/graphs/split_graph.hpp"
#include "tuning/graphs/token_numbers.hpp"

namespace tunesmith {

// The gain is BLEU inside the pseudo-corpus, made linear in words and (unclipped) matches: at what a good
// translation has, then twice more at what was found. Where some matches of what was found are clipped the same is
// done with so much less for matches of that order. A fear also begins at what the model's best derivation has:
// BLEU is concave in the matches, so that there is more than one place from which nothing is worse. Each time the
// best derivation is found exactly, and of all derivations found the one counts whose exact objective, with
// clipped matches, is the highest; that of the model's best derivation is among them.
class LinearOracle : public GraphOracle {
 public:
  // tokens outlive this. most: edges of the graph once its nodes are split.
  LinearOracle(const Hypergraph& graph, const std::vector<std::vector<std::int32_t>>& references, int order,
               LengthRule length, const TokenNumbers& tokens, std::size_t most);

  ScoredDerivation find(std::span<const double> scores, double model, double metric,
                        std::span<const double> background, const PseudoCorpusOptions& options) override;

 private:
  void best_split(std::span<const double> scores, double model, double metric, const LinearGain& linear,
                  std::vector<EdgeId>& edges);

  GraphGains gains_;
  const TokenNumbers& tokens_;
  SplitGraph split_;
  // Space.
  std::vector<double> value_, matches_;  // matches of the last derivation, not clipped
  std::vector<std::uint32_t> choice_, open_;
  std::vector<std::int32_t> words_, counted_;
};

}  // namespace tunesmith
