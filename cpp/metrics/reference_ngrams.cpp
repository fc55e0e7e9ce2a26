#include "metrics/reference_ngrams.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/words.hpp"

namespace tunesmith {
namespace {

std::uint32_t hash_edge(std::uint32_t parent, std::uint32_t word) {
  return static_cast<std::uint32_t>(mix((static_cast<std::uint64_t>(parent) << 32) | word, 0));
}

// A table at most half full.
std::uint32_t table_mask(std::size_t entries) {
  return static_cast<std::uint32_t>(std::bit_ceil(2 * entries + 1) - 1);
}

}  // namespace

ReferenceNgrams::ReferenceNgrams(int order) : order_(order) {
  if (order < 1 || order > 9) throw Error("n-gram order " + std::to_string(order) + " is not between 1 and 9");
}

void ReferenceNgrams::add(std::span<const std::string_view> references) {
  if (references.empty()) throw Error("sentence " + std::to_string(size()) + " has no reference");
  if (has_information()) throw Error("sentences cannot be added after compute_information()");

  std::vector<std::string_view> different;
  for (const std::string_view reference : references)
    if (std::find(different.begin(), different.end(), reference) == different.end())
      different.push_back(reference);

  Sentence sentence{words_.size(), edges_.size(), nodes_.size(), lengths_.size(), text_.size(), 0, 0, 0, 0};
  sentence.reference_count = static_cast<std::uint32_t>(different.size());

  // Words, in order of first occurrence.
  std::vector<std::vector<std::uint32_t>> tokens(different.size());
  std::vector<WordSlot> types;
  std::unordered_map<std::string_view, std::uint32_t> id_of;
  for (std::size_t r = 0; r < different.size(); ++r) {
    for_each_word(different[r], [&](std::string_view word) {
      const auto [found, is_new] = id_of.try_emplace(word, static_cast<std::uint32_t>(types.size()));
      if (is_new) {
        types.push_back({static_cast<std::uint32_t>(hash_bytes(word)), found->second,
                         static_cast<std::uint32_t>(text_.size() - sentence.text),
                         static_cast<std::uint32_t>(word.size())});
        text_.append(word);
        nodes_.push_back({none, found->second, 0, 0});
      }
      tokens[r].push_back(found->second);
    });
    lengths_.push_back(static_cast<std::uint32_t>(tokens[r].size()));
  }

  // Longer n-grams: one node for each, its parent is the n-gram without the last word.
  std::unordered_map<std::uint64_t, std::uint32_t> child_of;
  std::vector<std::uint32_t> here;  // occurrences in this reference, per node
  for (const auto& reference : tokens) {
    here.assign(nodes_.size() - sentence.nodes, 0);
    for (std::size_t begin = 0; begin < reference.size(); ++begin) {
      std::uint32_t node = reference[begin];
      ++here[node];
      const std::size_t end = std::min(reference.size(), begin + static_cast<std::size_t>(order_));
      for (std::size_t at = begin + 1; at < end; ++at) {
        const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32) | reference[at];
        const auto [found, is_new] =
            child_of.try_emplace(key, static_cast<std::uint32_t>(nodes_.size() - sentence.nodes));
        if (is_new) {
          nodes_.push_back({node, reference[at], 0, 0});
          here.push_back(0);
        }
        node = found->second;
        ++here[node];
      }
    }
    for (std::size_t node = 0; node < here.size(); ++node) {
      Node& counted = nodes_[sentence.nodes + node];
      counted.most = std::max(counted.most, here[node]);
      counted.everywhere += here[node];
    }
  }

  // Both lookup tables, open addressing with linear probing.
  sentence.word_mask = table_mask(types.size());
  words_.resize(sentence.words + sentence.word_mask + 1, WordSlot{0, none, 0, 0});
  for (const WordSlot& type : types) {
    std::uint32_t slot = type.hash & sentence.word_mask;
    while (words_[sentence.words + slot].id != none) slot = (slot + 1) & sentence.word_mask;
    words_[sentence.words + slot] = type;
  }
  sentence.node_count = static_cast<std::uint32_t>(nodes_.size() - sentence.nodes);
  sentence.edge_mask = table_mask(sentence.node_count - types.size());
  edges_.resize(sentence.edges + sentence.edge_mask + 1, EdgeSlot{none, none, none});
  for (std::uint32_t node = static_cast<std::uint32_t>(types.size()); node < sentence.node_count; ++node) {
    const Node& child = nodes_[sentence.nodes + node];
    std::uint32_t slot = hash_edge(child.parent, child.word) & sentence.edge_mask;
    while (edges_[sentence.edges + slot].child != none) slot = (slot + 1) & sentence.edge_mask;
    edges_[sentence.edges + slot] = {child.parent, child.word, node};
  }
  sentences_.push_back(sentence);
}

std::span<const std::uint32_t> ReferenceNgrams::lengths(std::size_t sentence) const {
  return {lengths_.data() + sentences_[sentence].lengths, sentences_[sentence].reference_count};
}

void ReferenceNgrams::compute_information() {
  // One trie over all sentences; keys are (parent, word) in global numbers.
  std::unordered_map<std::string_view, std::uint32_t> word_id;
  std::unordered_map<std::uint64_t, std::uint32_t> node_id;
  std::vector<std::uint64_t> count;
  std::vector<std::uint32_t> global_node(nodes_.size());
  std::vector<std::uint32_t> global_word;
  std::uint64_t total_words = 0;
  for (const Sentence& sentence : sentences_) {
    global_word.assign(sentence.node_count, none);
    for (std::uint32_t slot = 0; slot <= sentence.word_mask; ++slot) {
      const WordSlot& word = words_[sentence.words + slot];
      if (word.id == none) continue;
      const std::string_view text(text_.data() + sentence.text + word.begin, word.length);
      global_word[word.id] = word_id.try_emplace(text, static_cast<std::uint32_t>(word_id.size())).first->second;
    }
    for (std::uint32_t n = 0; n < sentence.node_count; ++n) {
      const Node& node = nodes_[sentence.nodes + n];
      const std::uint64_t parent = node.parent == none ? none : global_node[sentence.nodes + node.parent];
      const auto [found, is_new] =
          node_id.try_emplace((parent << 32) | global_word[node.word], static_cast<std::uint32_t>(count.size()));
      if (is_new) count.push_back(0);
      global_node[sentence.nodes + n] = found->second;
      count[found->second] += node.everywhere;
      if (node.parent == none) total_words += node.everywhere;
    }
  }
  information_.resize(nodes_.size());
  for (const Sentence& sentence : sentences_)
    for (std::uint32_t n = 0; n < sentence.node_count; ++n) {
      const Node& node = nodes_[sentence.nodes + n];
      const std::uint64_t above =
          node.parent == none ? total_words : count[global_node[sentence.nodes + node.parent]];
      information_[sentence.nodes + n] =
          std::log2(static_cast<double>(above) / static_cast<double>(count[global_node[sentence.nodes + n]]));
    }
}

std::uint32_t ReferenceNgrams::find_word(const Sentence& sentence, std::string_view word) const {
  const auto hash = static_cast<std::uint32_t>(hash_bytes(word));
  for (std::uint32_t slot = hash & sentence.word_mask;; slot = (slot + 1) & sentence.word_mask) {
    const WordSlot& entry = words_[sentence.words + slot];
    if (entry.id == none) return none;
    if (entry.hash == hash && entry.length == word.size() &&
        std::string_view(text_.data() + sentence.text + entry.begin, entry.length) == word)
      return entry.id;
  }
}

std::uint32_t ReferenceNgrams::find_edge(const Sentence& sentence, std::uint32_t parent,
                                         std::uint32_t word) const {
  for (std::uint32_t slot = hash_edge(parent, word) & sentence.edge_mask;;
       slot = (slot + 1) & sentence.edge_mask) {
    const EdgeSlot& edge = edges_[sentence.edges + slot];
    if (edge.child == none || (edge.parent == parent && edge.word == word)) return edge.child;
  }
}

std::size_t ReferenceNgrams::Matcher::match(std::size_t index, std::string_view hypothesis, double* matches,
                                            bool weighted) {
  const ReferenceNgrams& all = references_;
  const Sentence& sentence = all.sentences_[index];
  const auto order = static_cast<std::size_t>(all.order_);
  words_.clear();
  for_each_word(hypothesis, [&](std::string_view word) { words_.push_back(all.find_word(sentence, word)); });
  if (used_.size() < sentence.node_count) used_.resize(sentence.node_count, 0);
  std::fill(matches, matches + order, 0.0);

  const auto count = [&](std::uint32_t node, std::size_t n) {
    if (used_[node] == 0) touched_.push_back(node);
    if (used_[node]++ < all.nodes_[sentence.nodes + node].most)
      matches[n] += weighted ? all.information_[sentence.nodes + node] : 1.0;
  };
  for (std::size_t begin = 0; begin < words_.size(); ++begin) {
    std::uint32_t node = words_[begin];
    if (node == none) continue;
    count(node, 0);
    // An n-gram that no reference has cannot be continued to one that some reference has.
    for (std::size_t n = 1; n < order && begin + n < words_.size(); ++n) {
      if (words_[begin + n] == none) break;
      node = all.find_edge(sentence, node, words_[begin + n]);
      if (node == none) break;
      count(node, n);
    }
  }
  for (const std::uint32_t node : touched_) used_[node] = 0;
  touched_.clear();
  return words_.size();
}

}  // namespace tunesmith
