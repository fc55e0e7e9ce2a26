#include "search/graphs/kbest.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "search/graphs/viterbi.hpp"

namespace tunesmith {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFFu;

// A derivation of a node: its topmost edge and the rank of each tail's derivation, arity numbers from
// ranks_[ranks].
struct Entry {
  double score;
  EdgeId edge;
  std::uint32_t ranks;
};

struct Words {
  std::size_t begin, size;
};

// What is known of a node that was asked for more than its best derivation.
struct State {
  std::vector<Entry> found;  // best first; found[0] is the Viterbi derivation
  std::vector<Entry> heap;   // the next ones are among these
  Entry last;                // the newest one, found or skipped; its successors may not be in the heap yet
  bool expanded = false;     // they are
  bool exhausted = false;    // there are no others
  std::vector<Words> words;  // of found, if strings must be distinct
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash;
};

class LazyKBest {
 public:
  LazyKBest(const Hypergraph& graph, std::span<const double> scores, const KBestOptions& options)
      : graph_(graph),
        scores_(scores),
        options_(options),
        best_(viterbi(graph, scores)),
        state_of_(graph.nodes(), none) {
    std::size_t arity = 0;
    for (EdgeId edge = 0; edge < graph.edges(); ++edge) arity = std::max(arity, graph.tails_of(edge).size());
    ranks_.assign(arity, 0);  // ranks 0 of every edge are read here
  }

  Derivations run() {
    Derivations out;
    if (graph_.nodes() == 0) return out;
    const NodeId goal = graph_.goal();
    for (std::size_t rank = 0; rank < options_.k; ++rank) {
      if (rank >= available(goal)) extend(goal);
      if (rank >= available(goal)) break;
      append(goal, static_cast<std::uint32_t>(rank), out);
    }
    out.cut = cut_;
    return out;
  }

 private:
  std::size_t available(NodeId node) const {
    return state_of_[node] == none ? 1 : states_[state_of_[node]].found.size();
  }

  bool exhausted(NodeId node) const {
    if (state_of_[node] != none) return states_[state_of_[node]].exhausted;
    const EdgeId only = graph_.node_edges[node];
    return graph_.node_edges[node + 1] == only + 1 && graph_.tails_of(only).empty();
  }

  Entry found(NodeId node, std::uint32_t rank) const {
    if (state_of_[node] == none) return {best_.score[node], best_.edge[node], 0};
    return states_[state_of_[node]].found[rank];
  }

  bool better(const Entry& a, const Entry& b) const {
    if (a.score != b.score) return a.score > b.score;
    if (a.edge != b.edge) return a.edge < b.edge;
    const std::size_t arity = graph_.tails_of(a.edge).size();
    const std::uint32_t* ranks = ranks_.data();
    return std::lexicographical_compare(ranks + a.ranks, ranks + a.ranks + arity, ranks + b.ranks,
                                        ranks + b.ranks + arity);
  }

  // std::push_heap and std::pop_heap want the order reversed.
  auto worse() const {
    return [this](const Entry& a, const Entry& b) { return better(b, a); };
  }

  // The same sum in the same order as in viterbi(): a worse tail cannot make the sum larger, however it is
  // rounded.
  double score(EdgeId edge, std::uint32_t ranks) const {
    double sum = scores_[edge];
    const std::span<const NodeId> tails = graph_.tails_of(edge);
    for (std::size_t i = 0; i < tails.size(); ++i) sum += found(tails[i], ranks_[ranks + i]).score;
    return sum;
  }

  State& state(NodeId node) {
    if (state_of_[node] != none) return states_[state_of_[node]];
    State fresh;
    const Entry best{best_.score[node], best_.edge[node], 0};
    for (EdgeId edge = graph_.node_edges[node]; edge < graph_.node_edges[node + 1]; ++edge)
      if (edge != best.edge) {
        double sum = scores_[edge];
        for (const NodeId tail : graph_.tails_of(edge)) sum += best_.score[tail];
        fresh.heap.push_back({sum, edge, 0});
      }
    std::make_heap(fresh.heap.begin(), fresh.heap.end(), worse());
    fresh.last = best;
    if (options_.distinct) keep_if_new(fresh, best);
    fresh.found.push_back(best);
    state_of_[node] = narrow<std::uint32_t>(states_.size());
    return states_.emplace_back(std::move(fresh));
  }

  // One more derivation of the node, if there is one. A node waits for its tails; numbers fall along the stack.
  void extend(NodeId top) {
    std::vector<NodeId> stack{top};
    while (!stack.empty()) {
      State& node = state(stack.back());
      if (!node.expanded) {
        const NodeId waits_for = missing_tail(node.last);
        if (waits_for != none) {
          stack.push_back(waits_for);
          continue;
        }
        push_successors(node);
      }
      if (node.heap.empty()) {
        node.exhausted = true;
        stack.pop_back();
        continue;
      }
      std::pop_heap(node.heap.begin(), node.heap.end(), worse());
      node.last = node.heap.back();
      node.heap.pop_back();
      node.expanded = false;
      if (options_.distinct && !keep_if_new(node, node.last)) {
        if (skipped_++ < options_.max_skipped) continue;
        cut_ = node.exhausted = true;
        stack.pop_back();
        continue;
      }
      node.found.push_back(node.last);
      stack.pop_back();
    }
  }

  // Successors of an entry raise one rank by one, at or after its last rank that is not 0: so each combination
  // has one predecessor and enters the heap once.
  std::size_t first_to_raise(const Entry& entry) const {
    std::size_t i = graph_.tails_of(entry.edge).size();
    while (i > 1 && ranks_[entry.ranks + i - 1] == 0) --i;
    return i == 0 ? 0 : i - 1;
  }

  // A tail whose next derivation the successors need and that may have one, or none.
  NodeId missing_tail(const Entry& entry) const {
    const std::span<const NodeId> tails = graph_.tails_of(entry.edge);
    for (std::size_t i = first_to_raise(entry); i < tails.size(); ++i)
      if (available(tails[i]) <= ranks_[entry.ranks + i] + 1 && !exhausted(tails[i])) return tails[i];
    return none;
  }

  void push_successors(State& node) {
    const Entry last = node.last;
    const std::span<const NodeId> tails = graph_.tails_of(last.edge);
    for (std::size_t i = first_to_raise(last); i < tails.size(); ++i) {
      if (available(tails[i]) <= ranks_[last.ranks + i] + 1) continue;
      if (ranks_.size() + tails.size() >= none) throw Error("k is too large for this graph");
      const auto ranks = narrow<std::uint32_t>(ranks_.size());
      for (std::size_t j = 0; j < tails.size(); ++j) ranks_.push_back(ranks_[last.ranks + j]);
      ++ranks_[ranks + i];
      node.heap.push_back({score(last.edge, ranks), last.edge, ranks});
      std::push_heap(node.heap.begin(), node.heap.end(), worse());
    }
    node.expanded = true;
  }

  // Makes the string of an entry and remembers it, unless the node has that string already.
  bool keep_if_new(State& node, const Entry& entry) {
    const std::size_t begin = words_.size();
    const std::span<const NodeId> tails = graph_.tails_of(entry.edge);
    for (const std::int32_t symbol : graph_.symbols_of(entry.edge)) {
      if (symbol >= 0) {
        words_.push_back(symbol);
        continue;
      }
      const auto slot = static_cast<std::size_t>(-1 - symbol);
      append_words_of(tails[slot], ranks_[entry.ranks + slot]);
    }
    const Words words{begin, words_.size() - begin};
    if (words.size > max_derivation_words) refuse_size();
    std::uint64_t hash = words.size;
    for (std::size_t i = begin; i < words_.size(); ++i) hash = mix(hash, static_cast<std::uint64_t>(words_[i]));
    const auto [first, last] = node.by_hash.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      const Words& other = node.words[at->second];
      if (other.size == words.size && std::equal(words_.begin() + static_cast<std::ptrdiff_t>(begin), words_.end(),
                                                 words_.begin() + static_cast<std::ptrdiff_t>(other.begin))) {
        words_.resize(begin);
        return false;
      }
    }
    node.by_hash.emplace(hash, narrow<std::uint32_t>(node.words.size()));
    node.words.push_back(words);
    return true;
  }

  void append_words_of(NodeId node, std::uint32_t rank) {
    if (state_of_[node] != none) {
      const Words& words = states_[state_of_[node]].words[rank];
      for (std::size_t i = 0; i < words.size; ++i) words_.push_back(words_[words.begin + i]);
      return;
    }
    edges_.clear();
    append_edges_of(node, rank, edges_);
    append_words(graph_, edges_, words_);
  }

  void append_edges_of(NodeId node, std::uint32_t rank, std::vector<EdgeId>& edges) const {
    append_edges(
        graph_, node, rank,
        [this](NodeId next, std::uint32_t at) {
          const Entry entry = found(next, at);
          return std::pair(entry.edge, ranks_.data() + entry.ranks);
        },
        edges);
  }

  void append(NodeId node, std::uint32_t rank, Derivations& out) {
    out.scores.push_back(found(node, rank).score);
    append_edges_of(node, rank, out.edges);
    out.edge_offsets.push_back(out.edges.size());
    append_words(graph_, out.edges_of(out.size() - 1), out.words);
    out.word_offsets.push_back(out.words.size());
  }

  const Hypergraph& graph_;
  const std::span<const double> scores_;
  const KBestOptions options_;
  const Viterbi best_;
  std::vector<std::uint32_t> state_of_;  // per node: its place in states_
  std::deque<State> states_;             // stays where it is while it grows
  std::vector<std::uint32_t> ranks_;
  std::vector<std::int32_t> words_;
  std::vector<EdgeId> edges_;  // scratch
  std::size_t skipped_ = 0;
  bool cut_ = false;
};

}  // namespace

Derivations k_best(const Hypergraph& graph, std::span<const double> scores, const KBestOptions& options) {
  return LazyKBest(graph, scores, options).run();
}

}  // namespace tunesmith
