#include "tuning/graphs/split_graph.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

// What the outside can meet: the first words, the last words, and whether the first words are all there are. Where
// nothing stands on a side, its state is empty.
struct Border {
  std::uint32_t left = 0, right = 0;
  bool whole = false;
  auto operator<=>(const Border&) const = default;
};

class Splitter {
 public:
  Splitter(const Hypergraph& graph, const NgramAutomaton& automaton, int order, std::size_t reach,
           std::size_t most, const TokenNumbers& tokens)
      : graph_(graph),
        automaton_(automaton),
        tokens_(tokens),
        order_(static_cast<std::size_t>(order)),
        reach_(reach),
        most_(most) {}

  // Nothing if there are too many edges.
  std::optional<SplitGraph> run() {
    find_sides();
    std::vector<std::uint32_t> first(graph_.nodes() + 1, 0);  // split nodes of each node
    for (NodeId node = 0; node < graph_.nodes(); ++node) {
      first[node] = narrow<std::uint32_t>(borders_.size());
      std::map<Border, std::vector<New>> found;
      for (EdgeId edge = graph_.node_edges[node]; edge < graph_.node_edges[node + 1]; ++edge)
        if (!combine(node, edge, first, found)) return std::nullopt;
      for (const auto& [border, edges] : found) {
        for (const New& one : edges) append(one);
        out_.node_edges.push_back(narrow<std::uint32_t>(out_.edges()));
        borders_.push_back(border);
      }
      first[node + 1] = narrow<std::uint32_t>(borders_.size());
      if (out_.edges() > most_) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  struct New {
    EdgeId edge;
    std::vector<std::uint32_t> tails;
    std::uint32_t words;
    std::vector<float> matches;
  };

  // Whether words can stand to the left or to the right of a node in a derivation of the goal.
  void find_sides() {
    left_.assign(graph_.nodes(), false);
    right_.assign(graph_.nodes(), false);
    for (NodeId node = static_cast<NodeId>(graph_.nodes()); node-- > 0;)
      for (EdgeId edge = graph_.node_edges[node]; edge < graph_.node_edges[node + 1]; ++edge) {
        const std::span<const std::int32_t> symbols = graph_.symbols_of(edge);
        const std::span<const NodeId> tails = graph_.tails_of(edge);
        for (std::size_t i = 0; i < symbols.size(); ++i)
          if (symbols[i] < 0) {
            const NodeId tail = tails[static_cast<std::size_t>(-1 - symbols[i])];
            if (i > 0 || left_[node]) left_[tail] = true;
            if (i + 1 < symbols.size() || right_[node]) right_[tail] = true;
          }
      }
  }

  bool combine(NodeId node, EdgeId edge, const std::vector<std::uint32_t>& first,
               std::map<Border, std::vector<New>>& found) {
    const std::span<const NodeId> tails = graph_.tails_of(edge);
    std::vector<std::uint32_t> chosen;
    for (const NodeId tail : tails) chosen.push_back(first[tail]);
    while (true) {
      New one{edge, chosen, 0, std::vector<float>(order_)};
      const Border border = walk(node, one);
      found[border].push_back(std::move(one));
      if (++made_ > most_) return false;
      std::size_t i = 0;
      while (i < tails.size() && ++chosen[i] == first[tails[i] + 1]) {
        chosen[i] = first[tails[i]];
        ++i;
      }
      if (i == tails.size()) return true;
    }
  }

  // The words of an edge from left to right: `state` is what the automaton knows of those so far.
  Border walk(NodeId node, New& one) {
    std::uint32_t state = 0, left = 0;
    bool open = true;  // all words so far are those of `left`
    const auto extend = [&](std::int32_t word) {
      if (!open) return;
      const std::uint32_t longer =
          automaton_.length(left) < reach_ ? automaton_.child(left, word) : automaton_.none;
      if (longer == automaton_.none)
        open = false;
      else
        left = longer;
    };
    for (const std::int32_t& symbol : graph_.symbols_of(one.edge)) {
      if (symbol >= 0) {
        for (const std::int32_t token : tokens_.of(symbol)) {
          ++one.words;
          state = automaton_.next(state, token);
          for (std::size_t n = 0; n < automaton_.length(state); ++n) one.matches[n] += 1;
          extend(token);
        }
        continue;
      }
      const Border& tail = borders_[one.tails[static_cast<std::size_t>(-1 - symbol)]];
      automaton_.words(tail.left, words_);
      for (std::size_t i = 0; i < words_.size(); ++i) {
        state = automaton_.next(state, words_[i]);
        // N-grams of at most i + 1 words are inside of the tail, which has counted them.
        for (std::size_t n = i + 1; n < automaton_.length(state); ++n) one.matches[n] += 1;
        extend(words_[i]);
      }
      if (!tail.whole) {
        state = tail.right;
        open = false;
      }
    }
    Border border;
    if (left_[node]) {
      border.left = left;
      border.whole = open;
    }
    if (right_[node]) border.right = automaton_.shortened(state, reach_);
    return border;
  }

  void append(const New& one) {
    out_.edge.push_back(one.edge);
    out_.tails.insert(out_.tails.end(), one.tails.begin(), one.tails.end());
    out_.tail_offsets.push_back(narrow<std::uint32_t>(out_.tails.size()));
    out_.words.push_back(one.words);
    out_.matches.insert(out_.matches.end(), one.matches.begin(), one.matches.end());
  }

  const Hypergraph& graph_;
  const NgramAutomaton& automaton_;
  const TokenNumbers& tokens_;
  const std::size_t order_, reach_, most_;
  std::vector<bool> left_, right_;
  std::vector<Border> borders_;  // of split nodes
  std::vector<std::int32_t> words_;
  std::size_t made_ = 0;
  SplitGraph out_;
};

}  // namespace

SplitGraph split_graph(const Hypergraph& graph, const NgramAutomaton& automaton, int order, std::size_t most,
                       const TokenNumbers& tokens) {
  for (std::size_t reach = static_cast<std::size_t>(order) - 1; reach > 0; --reach)
    if (auto found = Splitter(graph, automaton, order, reach, most, tokens).run()) return *std::move(found);
  return *Splitter(graph, automaton, order, 0, ~std::size_t{0}, tokens).run();
}

}  // namespace tunesmith
