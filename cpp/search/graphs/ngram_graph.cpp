#include "search/graphs/ngram_graph.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/narrow.hpp"
#include "search/graphs/border_split.hpp"

namespace tunesmith {
namespace {

// The words at the borders of a node. Where nothing stands on a side, it has none. whole: `left` are all words.
struct Border {
  std::vector<std::int32_t> left, right;
  bool whole = false;
  auto operator<=>(const Border&) const = default;
};

// An edge of the split graph.
struct Part {
  EdgeId edge;
  std::vector<std::uint32_t> tails;
  std::uint32_t words = 0;
  std::vector<std::uint32_t> ngrams;
};

class NgramSplitter {
 public:
  NgramSplitter(const Hypergraph& graph, int order, std::size_t most)
      : graph_(graph), reach_(static_cast<std::size_t>(order) - 1), split_(graph, most) {}

  std::optional<NgramGraph> run() {
    const bool done = split_.run([&](NodeId node, Part& part) { return walk(node, part); },
                                 [&](const Part& part) { append(part); },
                                 [&] { out_.node_edges.push_back(narrow<std::uint32_t>(out_.edges())); });
    if (!done) return std::nullopt;
    return std::move(out_);
  }

 private:
  // The words of an edge from left to right. context_: the last words so far, at most `reach_`.
  Border walk(NodeId node, Part& one) {
    context_.clear();
    Border border;
    bool known = split_.left(node);  // whether the words so far are all in border.left
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
      const Border& tail = split_.border(one.tails[static_cast<std::size_t>(-1 - symbol)]);
      for (std::size_t i = 0; i < tail.left.size(); ++i) step(tail.left[i], i + 1);
      if (!tail.whole) {
        context_ = tail.right;
        known = false;
      }
    }
    if (split_.right(node)) {
      border.right = context_;
      border.whole = known;
    }
    return border;
  }

  void append(const Part& one) {
    out_.edge.push_back(one.edge);
    out_.tails.insert(out_.tails.end(), one.tails.begin(), one.tails.end());
    out_.tail_offsets.push_back(narrow<std::uint32_t>(out_.tails.size()));
    out_.words.push_back(one.words);
    out_.ngrams.insert(out_.ngrams.end(), one.ngrams.begin(), one.ngrams.end());
    out_.ngram_offsets.push_back(narrow<std::uint32_t>(out_.ngrams.size()));
  }

  const Hypergraph& graph_;
  const std::size_t reach_;
  BorderSplit<Border, Part> split_;
  std::vector<std::int32_t> context_;
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
