// The hierarchical decoder: a model, its weights, and a search for each thread.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "corpus/vocab.hpp"
#include "decoding/chart_graph.hpp"
#include "decoding/hiero_search.hpp"
#include "search/hypergraph.hpp"

namespace tunesmith {

// What search found for one line.
struct Decoded {
  Hypergraph graph;
  std::vector<double> local;  // local scores of the graph's applications
  std::uint64_t pops = 0, edges = 0, bytes = 0;
  bool limited = false, timed_out = false;
};

class HieroDecoder {
 public:
  HieroDecoder(HieroModel model, std::shared_ptr<const Vocabulary> source, DecoderOptions options);

  // Weights of the features across rules; who owns the local scores changes those first. Not while decoding.
  void set_weights(std::span<const double> weights);

  // The graph of each line, in order. The same for every number of threads. `stop` ends the work between sentences;
  // lines that were not decoded have no graph then.
  std::vector<Decoded> decode(std::span<const std::string_view> lines, const GraphRequest& request, int threads,
                              const std::atomic<bool>* stop = nullptr);

  const HieroModel& model() const { return model_; }
  const DecoderOptions& options() const { return options_; }

 private:
  Decoded decode_line(HieroSearch& search, std::string_view line, const GraphRequest& request) const;

  HieroModel model_;
  std::shared_ptr<const Vocabulary> source_;
  DecoderOptions options_;
  EdgeScorer scorer_;
  std::vector<std::unique_ptr<HieroSearch>> searches_;
};

}  // namespace tunesmith
