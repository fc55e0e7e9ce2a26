#include "decoding/decoded.hpp"

#include <algorithm>
#include <array>

#include "base/narrow.hpp"
#include "base/number_table.hpp"
#include "decoding/search_kinds.hpp"
#include "search/graphs/prune.hpp"

namespace tunesmith {

void replace_sparse_ids(Hypergraph& graph, std::span<const std::uint32_t> ids) {
  if (!graph.has_sparse()) return;
  std::size_t kept = 0, at = 0;
  for (std::size_t edge = 0; edge < graph.edges(); ++edge) {
    for (const std::size_t end = graph.sparse_offsets[edge + 1]; at < end; ++at) {
      const std::uint32_t id = ids[graph.sparse_ids[at]];
      if (id == NumberTable::none) continue;
      graph.sparse_ids[kept] = id;
      graph.sparse_values[kept++] = graph.sparse_values[at];
    }
    graph.sparse_offsets[edge + 1] = static_cast<std::uint32_t>(kept);  // no more than before
  }
  graph.sparse_ids.resize(kept);
  graph.sparse_values.resize(kept);
}

void keep_listed(Decoded& decoded) {
  std::vector<char> listed(decoded.graph.edges());
  for (const EdgeId edge : decoded.derivations.edges) listed[edge] = 1;
  Subgraph part = keep_edges(decoded.graph, listed);
  std::vector<EdgeId> number(decoded.graph.edges());
  for (EdgeId edge = 0; edge < part.edges.size(); ++edge) number[part.edges[edge]] = edge;
  for (EdgeId& edge : decoded.derivations.edges) edge = number[edge];

  std::vector<double> local;
  local.reserve(part.applications.size());
  for (const std::uint32_t application : part.applications) local.push_back(decoded.local[application]);

  std::vector<SparseKey> keys;
  std::vector<std::uint32_t> key_number(decoded.sparse_keys.size(), NumberTable::none);
  for (std::uint32_t& id : part.graph.sparse_ids) {
    if (key_number[id] == NumberTable::none) {
      key_number[id] = narrow<std::uint32_t>(keys.size());
      keys.push_back(decoded.sparse_keys[id]);
    }
    id = key_number[id];
  }
  decoded.graph = std::move(part.graph);
  decoded.local = std::move(local);
  decoded.sparse_keys = std::move(keys);
}

std::string text_of(const Decoded& decoded, const DecoderModel& model, std::size_t i) {
  std::string out;
  for (const std::int32_t word : decoded.derivations.words_of(i)) {
    if (!out.empty()) out += ' ';
    const auto number = static_cast<std::uint32_t>(word);
    out += number < decoded.graph.vocabulary ? model.rules.target_words->word(number)
                                             : decoded.source_word(number - decoded.graph.vocabulary);
  }
  return out;
}

namespace {

// Where the source words of a rule's gaps end, by the order of the source.
using GapEnds = std::array<std::uint32_t, 2>;

std::uint32_t end_of(const Hypergraph& graph, EdgeId edge) {
  return graph.applications[graph.edge_application[edge]].end;
}

// The tails of an edge follow it in pre-order; the second one begins after the derivation of the first one.
std::vector<GapEnds> gap_ends(const Hypergraph& graph, std::span<const EdgeId> edges) {
  std::vector<GapEnds> ends(edges.size());
  std::vector<std::size_t> size(edges.size(), 1);
  for (std::size_t at = edges.size(); at-- > 0;) {
    std::size_t child = at + 1;
    for (std::size_t tail = 0; tail < graph.tails_of(edges[at]).size(); ++tail) {
      ends[at][tail] = end_of(graph, edges[child]);
      size[at] += size[child];
      child += size[child];
    }
  }
  return ends;
}

// Rules that append follow one another; the next one covers the gap that was opened last, in the order of the
// target.
std::vector<GapEnds> appended_gap_ends(const Decoded& decoded, const DecoderModel& model,
                                       std::span<const EdgeId> edges) {
  const Hypergraph& graph = decoded.graph;
  std::vector<GapEnds> ends(edges.size());
  std::vector<std::pair<std::size_t, std::size_t>> open;  // an edge and a gap of its source side
  for (std::size_t at = edges.size(); at-- > 0;) {
    const RuleId rule = graph.applications[graph.edge_application[edges[at]]].rule;
    if (rule >= model.rules.rules() && rule != model.special(SpecialRule::unknown)) continue;
    if (!open.empty()) {
      const auto [parent, gap] = open.back();
      open.pop_back();
      ends[parent][gap] = end_of(graph, edges[at]);
    }
    if (rule >= model.rules.rules()) continue;
    const std::span<const Symbol> target = model.rules.target(rule);
    for (std::size_t i = target.size(); i-- > 0 && is_gap(target[i]);)
      open.emplace_back(at, static_cast<std::size_t>(-1 - target[i]));
  }
  return ends;
}

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> alignment_of(const Decoded& decoded,
                                                                  const DecoderModel& model, std::size_t i) {
  const Hypergraph& graph = decoded.graph;
  const std::span<const EdgeId> edges = decoded.derivations.edges_of(i);
  const std::vector<std::uint32_t> positions = symbol_positions(graph, edges);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  std::vector<std::uint32_t> source_at;
  const bool appended = appends(model.search->growth);
  const std::vector<GapEnds> ends = appended ? appended_gap_ends(decoded, model, edges) : gap_ends(graph, edges);
  std::size_t first_symbol = 0;
  for (std::size_t at = 0; at < edges.size(); ++at) {
    const Application& application = graph.applications[graph.edge_application[edges[at]]];
    const std::uint32_t* target_at = positions.data() + first_symbol;
    const std::size_t symbols = graph.symbols_of(edges[at]).size();
    first_symbol += symbols;
    if (application.rule == model.special(SpecialRule::unknown))
      for (std::uint32_t source = application.begin; source < application.end; ++source)
        for (std::size_t word = graph.tails_of(edges[at]).size(); word < symbols; ++word)
          out.emplace_back(source, target_at[word]);
    if (application.rule >= model.rules.rules()) continue;
    const RuleEntry rule = model.rules.entry(application.rule, model.rules.side_of(application.rule));
    target_at += appended ? 1 : 0;  // its tail is in front
    source_at.clear();
    std::uint32_t source = application.begin;
    std::size_t gap = 0;
    for (const Symbol symbol : rule.source) {
      source_at.push_back(source++);
      if (is_gap(symbol)) source = ends[at][gap++];
    }
    for (const RuleLink link : rule.links) out.emplace_back(source_at[link.source], target_at[link.target]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace tunesmith
