// The derivation with the best metric in a graph, and the hopes and fears of tuners: any mixture of model score
// and BLEU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/bleu.hpp"
#include "metrics/ngram_statistics.hpp"
#include "search/graphs/derivations.hpp"
#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

// What is searched for maximizes model × (sum of edge scores) + metric × BLEU. Oracle: 0 and 1; hope: 1 and 1;
// fear: 1 and -1.
struct OracleOptions {
  double model = 0;
  double metric = 1;
  std::size_t k = 1;
  // Hypotheses kept at each node. If no node had more, the result is exact.
  std::size_t beam = 50;
  int order = 4;
  LengthRule length = LengthRule::closest;
  BleuPlusOneOptions smoothing{};
  // Statistics (ngram_statistics.hpp) of other sentences. If given, BLEU is that of them and this one together, as
  // in pseudo-corpus and document BLEU; otherwise BLEU+1 of this sentence alone.
  std::vector<double> background{};
  bool scale_by_reference = false;  // and is multiplied by the length of all these references
};

// Derivations by falling objective, each with other statistics, and their parts: derivations.scores are model
// scores. derivations.cut: the beam was too small to be sure that there is nothing better.
struct Oracles {
  Derivations derivations;
  std::vector<double> objective, metric;
  std::vector<double> statistics;  // rows of statistics_width(order) numbers
};

// references: words as numbers of the caller's; symbol_numbers: per symbol of the graph the number of its word,
// negative if no reference has it (the entries of tail slots are not read).
//
// Bottom up, with a beam of hypotheses at each node that are put together as in cube pruning (Chiang 2007).
// Hypotheses with the same outermost words, length and n-grams of the references have the same future; the better
// one stays. Whole sentences are compared by the metric itself, parts of them by a linear approximation (Tromble
// et al. 2008): its gradient, first at what a good translation would get, then, if a beam was full, at what was
// found. The better of both results counts.
Oracles oracle(const Hypergraph& graph, std::span<const double> scores,
               const std::vector<std::vector<std::int32_t>>& references,
               std::span<const std::int32_t> symbol_numbers, const OracleOptions& options);

}  // namespace tunesmith
