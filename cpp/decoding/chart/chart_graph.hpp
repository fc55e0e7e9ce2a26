// Conversion of the chart of one sentence to the search graph.
#pragma once

#include "decoding/chart/chart_margins.hpp"
#include "decoding/chart/recombination.hpp"
#include "search/graphs/hypergraph.hpp"

namespace tunesmith {

struct GraphRequest {
  bool best_only = false;                 // the best derivation and nothing else
  bool sparse = false;                    // with the sparse values of every edge
  const ChartMargins* margins = nullptr;  // only the edges it wants
};

// A sparse feature before it has a number of the feature index.
struct SparseKey {
  static constexpr std::uint32_t of_rules = 0xFFFFFFFFu;
  // Which of the model's features across rules, then of its span features; of_rules: the key is a column of the
  // matrix.
  std::uint32_t feature;
  std::uint64_t key;
};

// What can be reached from the goal; no nodes if there is no goal. The chart must have all edges unless only the
// best derivation is asked for. Numbers of sparse features are positions in `keys`, in the order of first use.
Hypergraph to_graph(const Chart& chart, const DecoderModel& model, const EdgeScorer& scorer, SentenceRows& rows,
                    const GraphRequest& request, std::vector<SparseKey>& keys);

}  // namespace tunesmith
