#include "decoding/chart/chart_graph.hpp"

#include <algorithm>

#include "base/narrow.hpp"
#include "base/number_table.hpp"
#include "search/graphs/graph_builder.hpp"

namespace tunesmith {
namespace {

struct Span {
  std::uint16_t begin, end;
};

// The span of each hypothesis of hierarchical search.
std::vector<Span> spans(const Chart& chart) {
  std::vector<Span> out(chart.hypotheses.size());
  if (chart.appended()) return out;
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

// The nodes after glue of left-to-right search, by the hypothesis that it is put after and the span that
// follows.
class GlueNodes {
 public:
  // The key of an edge whose tail is glued.
  static std::uint64_t key(const ChartEdge& edge) {
    return static_cast<std::uint64_t>(edge.tails[0]) << 32 | edge.tails[1];
  }
  // Whether an edge with this key has not been counted before.
  bool count(const ChartEdge& edge) {
    const bool is_new = nodes_.find(key(edge)) == NumberTable::none;
    if (is_new) nodes_.set(key(edge), unwritten);
    return is_new;
  }
  bool written(const ChartEdge& edge) const { return nodes_.find(key(edge)) != unwritten; }
  void set(const ChartEdge& edge, NodeId node) { nodes_.set(key(edge), node); }
  NodeId of(const ChartEdge& edge) const { return nodes_.find(key(edge)); }

 private:
  static constexpr NodeId unwritten = NumberTable::none - 1;
  NumberTable nodes_;
};

// Numbers for the sparse features of a graph: positions in `keys`, in the order of first use.
class SparseWriter {
 public:
  SparseWriter(GraphBuilder& builder, std::size_t features, std::vector<SparseKey>& keys)
      : builder_(builder), numbers_(features), keys_(keys) {}

  // Writes the values of one feature, or of columns of the matrix, and empties them.
  void write(SparseValues& values, std::uint32_t feature) {
    NumberTable& known = feature == SparseKey::of_rules ? of_columns_ : numbers_[feature];
    for (std::size_t i = 0; i < values.keys.size(); ++i) {
      std::uint32_t number = known.find(values.keys[i]);
      if (number == NumberTable::none) {
        number = narrow<std::uint32_t>(keys_.size());
        keys_.push_back({feature, values.keys[i]});
        known.set(values.keys[i], number);
      }
      builder_.add_sparse(number, values.values[i]);
    }
    values.keys.clear();
    values.values.clear();
  }

 private:
  GraphBuilder& builder_;
  NumberTable of_columns_;
  std::vector<NumberTable> numbers_;
  std::vector<SparseKey>& keys_;
};

}  // namespace

Hypergraph to_graph(const Chart& chart, const DecoderModel& model, const EdgeScorer& scorer, SentenceRows& rows,
                    const GraphRequest& request, std::vector<SparseKey>& keys) {
  std::vector<std::uint32_t> dense_ids;
  for (const auto& feature : model.features)
    dense_ids.insert(dense_ids.end(), feature->dense_ids().begin(), feature->dense_ids().end());
  const std::size_t width = dense_ids.size();
  if (chart.goal.empty()) return GraphBuilder(model.target_vocabulary(), std::move(dense_ids), {}).finish();

  // Tails have smaller numbers than what they are part of.
  GraphBuilder::Sizes sizes;
  const HypothesisId goal = chart.goal.begin;
  std::vector<NodeId> node_of(goal + 1, 0);
  GlueNodes glue_nodes;
  node_of[goal] = 1;
  for (HypothesisId id = goal + 1; id-- > 0;) {
    if (node_of[id] == 0) continue;
    ++sizes.nodes;
    for_each_edge(chart, id, request, [&](std::uint32_t number) {
      const ChartEdge& edge = *chart.edges[number];
      ++sizes.edges;
      sizes.tails += edge.option->gaps();
      sizes.symbols += edge.option->side.symbols.size();
      for (std::uint32_t gap = 0; gap < edge.option->gaps(); ++gap) node_of[edge.tails[gap]] = 1;
      if (edge.option->gaps() == 0 || !chart.is_glued(edge.tails[0]) || !glue_nodes.count(edge)) return;
      ++sizes.nodes;
      ++sizes.edges;
      ++sizes.tails;
      sizes.symbols += chart.glue->side.symbols.size();
    });
  }

  const std::vector<Span> span_of = spans(chart);
  const std::size_t features = model.features.size() + model.span_features.size();
  GraphBuilder builder(model.target_vocabulary(), std::move(dense_ids), sizes);
  SparseWriter sparse(builder, features, keys);
  SparseValues of_columns;
  std::vector<SparseValues> values(features);
  const std::vector<float> no_dense(width);
  const auto write_glue = [&](std::uint32_t number) {
    const ChartEdge& edge = *chart.edges[number];
    if (edge.option->gaps() == 0 || !chart.is_glued(edge.tails[0]) || glue_nodes.written(edge)) return;
    builder.add_edge({chart.glue->rule, edge.begin(), edge.end()}, {&node_of[edge.tails[0]], 1},
                     chart.glue->side.symbols, no_dense);
    if (request.sparse) builder.end_sparse();
    glue_nodes.set(edge, builder.end_node());
  };
  for (HypothesisId id = 0; id <= goal; ++id) {
    if (node_of[id] == 0) continue;
    if (!chart.glued.empty()) for_each_edge(chart, id, request, write_glue);
    for_each_edge(chart, id, request, [&](std::uint32_t number) {
      const ChartEdge& edge = *chart.edges[number];
      const Span span = chart.appended() ? Span{edge.begin(), edge.end()} : span_of[id];
      const Application application{edge.option->rule, span.begin, span.end};
      const std::uint32_t gaps = edge.option->gaps();
      NodeId tails[2] = {};
      const std::byte* states[2] = {};
      for (std::uint32_t gap = 0; gap < gaps; ++gap) {
        tails[gap] = node_of[edge.tails[gap]];
        states[gap] = chart.hypotheses[edge.tails[gap]].state;
      }
      if (gaps > 0 && chart.is_glued(edge.tails[0])) tails[0] = glue_nodes.of(edge);
      builder.add_edge(application, {tails, gaps}, edge.option->side.symbols, {chart.dense[number], width});
      if (!request.sparse) return;
      rows.list_columns(*edge.option, of_columns);
      sparse.write(of_columns, SparseKey::of_rules);
      scorer.list(rows, application, *edge.option, states, values);
      for (std::uint32_t feature = 0; feature < features; ++feature) sparse.write(values[feature], feature);
      builder.end_sparse();
    });
    node_of[id] = builder.end_node();
  }
  return builder.finish();
}

}  // namespace tunesmith
