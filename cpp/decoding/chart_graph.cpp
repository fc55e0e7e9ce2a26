#include "decoding/chart_graph.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/number_table.hpp"

namespace tunesmith {
namespace {

struct Span {
  std::uint16_t begin, end;
};

// The span of each hypothesis of hierarchical search.
std::vector<Span> spans(const Chart& chart) {
  std::vector<Span> out(chart.hypotheses.size());
  if (chart.of_phrases()) return out;
  const auto put = [&](const Cell& cell, std::size_t begin, std::size_t end) {
    const Span span{static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end)};
    for (HypothesisId id = cell.begin; id < cell.end; ++id) out[id] = span;
  };
  for (std::size_t begin = 0; begin < chart.words(); ++begin)
    for (std::size_t end = begin + 1; end <= std::min(chart.words(), begin + chart.longest()); ++end)
      put(chart.cell(begin, end), begin, end);
  for (std::size_t end = 0; end <= chart.words(); ++end) put(chart.prefix(end), 0, end);
  put(chart.goal, 0, chart.words());
  return out;
}

// Calls `visit(edge number)` for the edges of a hypothesis that are wanted, the best one first and always.
template <class Visit>
void for_each_edge(const Chart& chart, HypothesisId id, const GraphRequest& request, Visit visit) {
  const std::uint32_t first = chart.hypotheses[id].edge;
  visit(first);
  if (request.best_only) return;
  for (std::uint32_t edge = chart.edges[first]->next; edge != ChartEdge::none; edge = chart.edges[edge]->next)
    if (request.margins == nullptr || request.margins->wants(id, static_cast<double>(chart.edges[edge]->score)))
      visit(edge);
}

// Numbers for applications, each once.
class ApplicationIndex {
 public:
  explicit ApplicationIndex(std::vector<Application>& applications) : applications_(applications), slots_(256) {}

  std::uint32_t number(const Application& application) {
    if (2 * applications_.size() >= slots_.size()) grow();
    std::size_t at = place(application);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
      if (applications_[slots_[at] - 1] == application) return slots_[at] - 1;
    applications_.push_back(application);
    slots_[at] = narrow<std::uint32_t>(applications_.size());
    return slots_[at] - 1;
  }

 private:
  std::size_t place(const Application& application) const {
    return mix(application.rule, static_cast<std::uint64_t>(application.begin) << 16 | application.end) &
           (slots_.size() - 1);
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < applications_.size(); ++i) {
      std::size_t at = place(applications_[i]);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::vector<Application>& applications_;
  std::vector<std::uint32_t> slots_;  // number + 1, 0: empty
};

}  // namespace

Hypergraph to_graph(const Chart& chart, const DecoderModel& model, const EdgeScorer& scorer, SentenceRows& rows,
                    const GraphRequest& request, std::vector<SparseKey>& keys) {
  Hypergraph graph;
  graph.vocabulary = model.target_vocabulary();
  for (const auto& feature : model.features)
    graph.dense_ids.insert(graph.dense_ids.end(), feature->dense_ids().begin(), feature->dense_ids().end());
  if (chart.goal.empty()) return graph;

  // Tails have smaller numbers than what they are part of. Counted first: arrays that grow would take more.
  std::size_t nodes_used = 0, edges = 0, tails = 0, symbols_used = 0;
  const HypothesisId goal = chart.goal.begin;
  std::vector<NodeId> node_of(goal + 1, 0);
  node_of[goal] = 1;
  for (HypothesisId id = goal + 1; id-- > 0;) {
    if (node_of[id] == 0) continue;
    ++nodes_used;
    for_each_edge(chart, id, request, [&](std::uint32_t number) {
      const ChartEdge& edge = *chart.edges[number];
      ++edges;
      tails += edge.option->gaps();
      symbols_used += edge.option->side.symbols.size();
      for (std::uint32_t gap = 0; gap < edge.option->gaps(); ++gap) node_of[edge.tails[gap]] = 1;
    });
  }

  // What is cast below is at most as many, and there are at most as many nodes as edges.
  narrow<EdgeId>(edges, "edges of a search graph");
  narrow<std::uint32_t>(tails, "tails of a search graph");
  narrow<std::uint32_t>(symbols_used, "symbols of a search graph");

  const std::vector<Span> span_of = spans(chart);
  const std::size_t width = scorer.dense_count();
  graph.node_edges.reserve(nodes_used + 1);
  graph.tail_offsets.reserve(edges + 1);
  graph.symbol_offsets.reserve(edges + 1);
  graph.edge_application.reserve(edges);
  graph.dense.reserve(edges * width);
  graph.tails.reserve(tails);
  graph.symbols.reserve(symbols_used);
  ApplicationIndex applications(graph.applications);
  // Sparse values of an edge: of columns of the matrix, then of each feature.
  const std::size_t features = model.features.size() + model.span_features.size();
  SparseValues of_columns;
  std::vector<SparseValues> values(features);
  NumberTable column_numbers;
  std::vector<NumberTable> numbers(features);
  const auto append_sparse = [&](SparseValues& of_edge, NumberTable& known, std::uint32_t feature) {
    for (std::size_t i = 0; i < of_edge.keys.size(); ++i) {
      std::uint32_t local = known.find(of_edge.keys[i]);
      if (local == NumberTable::none) {
        local = narrow<std::uint32_t>(keys.size());
        keys.push_back({feature, of_edge.keys[i]});
        known.set(of_edge.keys[i], local);
      }
      graph.sparse_ids.push_back(local);
      graph.sparse_values.push_back(of_edge.values[i]);
    }
    of_edge.keys.clear();
    of_edge.values.clear();
  };
  NodeId nodes = 0;
  for (HypothesisId id = 0; id <= goal; ++id) {
    if (node_of[id] == 0) continue;
    node_of[id] = nodes++;
    for_each_edge(chart, id, request, [&](std::uint32_t number) {
      const ChartEdge& edge = *chart.edges[number];
      const std::span<const std::int32_t> symbols = edge.option->side.symbols;
      const Span span = chart.of_phrases() ? Span{edge.begin(), edge.end()} : span_of[id];
      const Application application{edge.option->rule, span.begin, span.end};
      const std::byte* states[2] = {};
      for (std::uint32_t gap = 0; gap < edge.option->gaps(); ++gap) {
        graph.tails.push_back(node_of[edge.tails[gap]]);
        states[gap] = chart.hypotheses[edge.tails[gap]].state;
      }
      graph.tail_offsets.push_back(static_cast<std::uint32_t>(graph.tails.size()));
      graph.symbols.insert(graph.symbols.end(), symbols.begin(), symbols.end());
      graph.symbol_offsets.push_back(static_cast<std::uint32_t>(graph.symbols.size()));
      graph.edge_application.push_back(applications.number(application));
      const float* dense = chart.dense[number];
      graph.dense.insert(graph.dense.end(), dense, dense + width);
      if (request.sparse) {
        rows.list_columns(*edge.option, of_columns);
        append_sparse(of_columns, column_numbers, SparseKey::of_rules);
        scorer.list(rows, application, *edge.option, states, values);
        for (std::uint32_t feature = 0; feature < features; ++feature)
          append_sparse(values[feature], numbers[feature], feature);
        graph.sparse_offsets.push_back(
            narrow<std::uint32_t>(graph.sparse_ids.size(), "sparse features of a search graph"));
      }
    });
    graph.node_edges.push_back(static_cast<EdgeId>(graph.edge_application.size()));
  }
  return graph;
}

}  // namespace tunesmith
