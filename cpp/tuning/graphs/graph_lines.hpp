// Search graphs of many sentences along lines of weights: MERT on lattices and forests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "metrics/bleu.hpp"
#include "search/graphs/hypergraph.hpp"
#include "tuning/graphs/edge_slopes.hpp"
#include "tuning/graphs/graph_envelope.hpp"
#include "tuning/graphs/graph_features.hpp"
#include "tuning/graphs/kept_derivations.hpp"
#include "tuning/graphs/known_translations.hpp"
#include "tuning/graphs/numbered_derivations.hpp"
#include "tuning/graphs/probed_envelope.hpp"
#include "tuning/losses/corpus_envelope.hpp"

namespace tunesmith {

// A translation is the best of its sentence from step `start` on.
struct BestFrom {
  double start;
  std::uint32_t translation;  // a number of KnownTranslations
};

// What is the best along some lines that begin in one point: per line and sentence. Graphs come block by block, so
// that they need not all be in memory; then statistics of new translations are added; then lines are swept.
class GraphLines {
 public:
  // The graph of a sentence stays the same. most: features whose values on all edges are kept (edge_slopes.hpp).
  explicit GraphLines(std::size_t sentences, std::size_t most = 0)
      : slopes_(sentences, most), numbered_(sentences), sentences_(sentences), visited_(sentences) {}

  struct Ranges {
    std::span<const double> low, high;
  };
  // directions: one after the other, as long as the point; graphs: those of sentences `first`, `first` + 1, …
  // Lines of earlier calls stay where these sentences are not among them.
  void follow(std::span<const Hypergraph* const> graphs, std::size_t first, const GraphFeatures& features,
              KnownTranslations& known, std::span<const double> point, std::span<const double> directions,
              const Ranges& ranges, int threads);

  std::size_t size() const { return lines_; }
  CorpusEnvelope envelope(std::size_t line, const KnownTranslations& known) const;
  LineOptimum best_bleu(std::size_t line, const KnownTranslations& known, const LineRange& range,
                        const BleuOptions& options) const;

  // Remembers the derivations that are the best somewhere on a line, for later rounds.
  void visit(std::size_t line);
  void forget_visited() { visited_ = VisitedDerivations(sentences_); }
  std::span<const DerivationEdges> visited() const { return visited_.lists(); }

  // The best derivation of each graph at a point: number of its translation, -1 for a graph without any.
  std::vector<std::int64_t> best(std::span<const Hypergraph* const> graphs, std::size_t first,
                                 const GraphFeatures& features, KnownTranslations& known,
                                 std::span<const double> point, int threads);

  struct Found {
    std::vector<BestFrom> best;
    DerivationEdges derivations;
  };
  // Memory of one thread, kept from one call to the next.
  struct Space {
    ProbedEnvelope probed;
    GraphEnvelope whole;
    EdgeSlopes::Point point;
    std::vector<double> slopes, scores;
    std::vector<std::int32_t> words;
  };

 private:
  std::unique_ptr<Space> take_space();
  void give_back(std::unique_ptr<Space> space);

  EdgeSlopes slopes_;
  NumberedDerivations numbered_;
  std::size_t lines_ = 0, sentences_ = 0;
  std::vector<Found> found_;  // sentence × lines + line
  VisitedDerivations visited_;
  std::mutex spaces_mutex_;
  std::vector<std::unique_ptr<Space>> spaces_;
};

}  // namespace tunesmith
