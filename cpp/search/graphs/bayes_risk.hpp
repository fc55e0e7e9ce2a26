// Minimum Bayes risk over whole search graphs: the derivation that shares most n-grams with all others (Tromble et
// al. 2008 on lattices, Kumar et al. 2009 on forests).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/graphs/hypergraph.hpp"
#include "search/graphs/ngram_graph.hpp"
#include "search/graphs/prune.hpp"

namespace tunesmith {

// What is known of an n-gram: how often it is in a translation in expectation (DeNero et al. 2009), or with what
// probability it is there at least once (Tromble et al. 2008).
enum class NgramEvidence { expected, once };

// A number for each n-gram of the graph, under p(derivation) ∝ exp(score) for one finite score per edge of the
// search graph. `expected` takes one pass over the edges; `once` takes, for each n-gram, a pass over the nodes
// that it can be below of.
std::vector<double> ngram_posteriors(const NgramGraph& graph, std::span<const double> scores,
                                     NgramEvidence evidence);

// A gain that is linear in words and in n-grams of known evidence: θ_0 for each word, θ_n times the evidence for
// each n-gram of length n (Tromble et al. 2008).
struct LinearThetas {
  double per_word = 0;
  std::vector<double> per_ngram;
};

struct BayesRiskOptions {
  double scale = 1;  // of scores, before they become probabilities
  NgramEvidence evidence = NgramEvidence::expected;
  LinearThetas thetas;
  double density = 0;    // edges per word of the best translation that the graph is pruned to; 0 for all edges
  std::size_t most = 0;  // edges once nodes are split; where there are more the graph is pruned to half its edges
};

// The graph whose n-grams are counted: pruned as the options say, by max-marginals.
struct NgramEvidenceGraph {
  Subgraph part;
  std::vector<double> scores;  // scaled, of the part
  NgramGraph split;
};
NgramEvidenceGraph evidence_graph(const Hypergraph& graph, std::span<const double> scores,
                                  const BayesRiskOptions& options);

struct BayesRiskBest {
  std::vector<EdgeId> edges;  // of the search graph, in pre-order; none where it has no nodes
  double gain = 0;
};

// The derivation of highest gain; of equal ones the one with the first edges.
BayesRiskBest best_by_gain(const NgramGraph& graph, std::span<const double> posteriors,
                           const LinearThetas& thetas);
// The same from a search graph and the scores of its edges.
BayesRiskBest bayes_risk(const Hypergraph& graph, std::span<const double> scores, const BayesRiskOptions& options);

}  // namespace tunesmith
