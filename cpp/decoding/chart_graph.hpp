// From the chart of one sentence to the search graph.
#pragma once

#include "decoding/chart.hpp"
#include "decoding/recombination.hpp"
#include "search/hypergraph.hpp"

namespace tunesmith {

struct GraphRequest {
  bool best_only = false;  // the best derivation and nothing else
  bool sparse = false;     // with the sparse values of every edge
};

// What can be reached from the goal; no nodes if there is no goal. The chart must have all edges unless only the
// best derivation is asked for.
Hypergraph to_graph(const Chart& chart, const HieroModel& model, const EdgeScorer& scorer,
                    const Sentence& sentence, const GraphRequest& request);

}  // namespace tunesmith
