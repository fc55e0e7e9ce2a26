#include "tuning/graphs/split_graph.hpp"

#include <algorithm>
#include <optional>

#include "base/narrow.hpp"
#include "search/graphs/border_split.hpp"

namespace tunesmith {
namespace {

// What the outside can meet: the first words, the last words, and whether the first words are all there are. Where
// nothing stands on a side, its state is empty.
struct Border {
  std::uint32_t left = 0, right = 0;
  bool whole = false;
  auto operator<=>(const Border&) const = default;
};

// An edge of the split graph.
struct Part {
  EdgeId edge;
  std::vector<std::uint32_t> tails;
  std::uint32_t words = 0;
  std::vector<float> matches;
  std::vector<std::uint32_t> ngrams;
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
        split_(graph, most) {}

  // Nothing if there are too many edges.
  std::optional<SplitGraph> run() {
    const bool done = split_.run([&](NodeId node, Part& part) { return walk(node, part); },
                                 [&](const Part& part) { append(part); },
                                 [&] { out_.node_edges.push_back(narrow<std::uint32_t>(out_.edges())); });
    if (!done) return std::nullopt;
    return std::move(out_);
  }

 private:
  // The words of an edge from left to right: `state` is what the automaton knows of those so far.
  Border walk(NodeId node, Part& one) {
    one.matches.assign(order_, 0);
    one.ngrams.clear();
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
          count(state, 0, one);
          extend(token);
        }
        continue;
      }
      const Border& tail = split_.border(one.tails[static_cast<std::size_t>(-1 - symbol)]);
      automaton_.words(tail.left, words_);
      for (std::size_t i = 0; i < words_.size(); ++i) {
        state = automaton_.next(state, words_[i]);
        // N-grams of at most i + 1 words are inside of the tail, which has counted them.
        count(state, i + 1, one);
        extend(words_[i]);
      }
      if (!tail.whole) {
        state = tail.right;
        open = false;
      }
    }
    Border border;
    if (split_.left(node)) {
      border.left = left;
      border.whole = open;
    }
    if (split_.right(node)) border.right = automaton_.shortened(state, reach_);
    return border;
  }

  // The n-grams of more than `inside` words that end at a state.
  void count(std::uint32_t state, std::size_t inside, Part& one) const {
    for (; automaton_.length(state) > inside; state = automaton_.suffix(state)) {
      one.matches[automaton_.length(state) - 1] += 1;
      one.ngrams.push_back(state);
    }
  }

  void append(const Part& one) {
    out_.edge.push_back(one.edge);
    out_.tails.insert(out_.tails.end(), one.tails.begin(), one.tails.end());
    out_.tail_offsets.push_back(narrow<std::uint32_t>(out_.tails.size()));
    out_.words.push_back(one.words);
    out_.matches.insert(out_.matches.end(), one.matches.begin(), one.matches.end());
    out_.ngrams.insert(out_.ngrams.end(), one.ngrams.begin(), one.ngrams.end());
    out_.ngram_offsets.push_back(narrow<std::uint32_t>(out_.ngrams.size()));
  }

  const Hypergraph& graph_;
  const NgramAutomaton& automaton_;
  const TokenNumbers& tokens_;
  const std::size_t order_, reach_;
  BorderSplit<Border, Part> split_;
  std::vector<std::int32_t> words_;
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
