#include "search/graphs/ngram_graph.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

// The words at the borders of a node. Where nothing stands on a side, it has none. whole: `left` are all words.
struct Border {
  std::vector<std::int32_t> left, right;
  bool whole = false;
  auto operator<=>(const Border&) const = default;
};

class NgramSplitter {
 public:
  NgramSplitter(const Hypergraph& graph, int order, std::size_t most)
      : graph_(graph), reach_(static_cast<std::size_t>(order) - 1), most_(most) {}

  std::optional<NgramGraph> run() {
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
    }
    return std::move(out_);
  }

 private:
  struct New {
    EdgeId edge;
    std::vector<std::uint32_t> tails;
    std::uint32_t words = 0;
    std::vector<std::uint32_t> ngrams;
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

  // The edge with every choice of split tails.
  bool combine(NodeId node, EdgeId edge, const std::vector<std::uint32_t>& first,
               std::map<Border, std::vector<New>>& found) {
    const std::span<const NodeId> tails = graph_.tails_of(edge);
    std::vector<std::uint32_t> chosen;
    for (const NodeId tail : tails) chosen.push_back(first[tail]);
    while (true) {
      if (++made_ > most_) return false;
      New one{edge, chosen, 0, {}};
      Border border = walk(node, one);
      found[std::move(border)].push_back(std::move(one));
      std::size_t i = 0;
      while (i < tails.size() && ++chosen[i] == first[tails[i] + 1]) {
        chosen[i] = first[tails[i]];
        ++i;
      }
      if (i == tails.size()) return true;
    }
  }

  // The words of an edge from left to right. context_: the last words so far, at most `reach_`.
  Border walk(NodeId node, New& one) {
    context_.clear();
    Border border;
    bool known = left_[node];  // whether the words so far are all in border.left
    const auto step = [&](std::int32_t word, std::size_t inside) {
      // N-grams of at most `inside` words are those of a tail, which has them.
      std::uint32_t ngram = out_.numbers.extended(NgramNumbers::empty, word);
      if (inside == 0) one.ngrams.push_back(ngram);
      for (std::size_t n = 1; n <= context_.size(); ++n) {
        ngram = out_.numbers.extended(ngram, context_[context_.size() - n]);
        if (n >= inside) one.ngrams.push_back(ngram);
      }
      if (context_.size() == reach_ && reach_ > 0) context_.erase(context_.begin());
      if (reach_ > 0) context_.push_back(word);
      if (known && border.left.size() < reach_)
        border.left.push_back(word);
      else
        known = false;
    };
    for (const std::int32_t symbol : graph_.symbols_of(one.edge)) {
      if (symbol >= 0) {
        ++one.words;
        step(symbol, 0);
        continue;
      }
      const Border& tail = borders_[one.tails[static_cast<std::size_t>(-1 - symbol)]];
      for (std::size_t i = 0; i < tail.left.size(); ++i) step(tail.left[i], i + 1);
      if (!tail.whole) {
        context_ = tail.right;
        known = false;
      }
    }
    if (right_[node]) {
      border.right = context_;
      border.whole = known;
    }
    return border;
  }

  void append(const New& one) {
    out_.edge.push_back(one.edge);
    out_.tails.insert(out_.tails.end(), one.tails.begin(), one.tails.end());
    out_.tail_offsets.push_back(narrow<std::uint32_t>(out_.tails.size()));
    out_.words.push_back(one.words);
    out_.ngrams.insert(out_.ngrams.end(), one.ngrams.begin(), one.ngrams.end());
    out_.ngram_offsets.push_back(narrow<std::uint32_t>(out_.ngrams.size()));
  }

  const Hypergraph& graph_;
  const std::size_t reach_, most_;
  std::vector<bool> left_, right_;
  std::vector<Border> borders_;  // of split nodes
  std::vector<std::int32_t> context_;
  std::size_t made_ = 0;
  NgramGraph out_;
};

}  // namespace

std::uint32_t NgramNumbers::extended(std::uint32_t rest, std::int32_t first) {
  const std::uint64_t key = static_cast<std::uint64_t>(rest) << 32 | static_cast<std::uint32_t>(first);
  const auto [found, added] = numbers_.try_emplace(key, narrow<std::uint32_t>(nodes_.size()));
  if (added) nodes_.push_back({rest, first, rest == empty ? 1 : nodes_[rest].length + 1});
  return found->second;
}

void NgramNumbers::append_words(std::uint32_t ngram, std::vector<std::int32_t>& words) const {
  for (; ngram != empty; ngram = nodes_[ngram].rest) words.push_back(nodes_[ngram].first);
}

std::optional<NgramGraph> ngram_graph(const Hypergraph& graph, int order, std::size_t most) {
  if (order < 1 || order > 9) throw Error("n-gram order " + std::to_string(order) + " is not between 1 and 9");
  return NgramSplitter(graph, order, most).run();
}

}  // namespace tunesmith
