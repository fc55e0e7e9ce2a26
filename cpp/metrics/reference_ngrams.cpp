#include "metrics/reference_ngrams.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/words.hpp"

namespace tunesmith {
namespace {

std::uint64_t pair_key(std::uint32_t node, std::uint32_t word) {
  return (static_cast<std::uint64_t>(node) << 32) | word;
}

}  // namespace

ReferenceNgrams::ReferenceNgrams(int order) : order_(order) {
  if (order < 1 || order > 99) throw Error("n-gram order " + std::to_string(order) + " is not between 1 and 99");
}

void ReferenceNgrams::add(std::span<const std::string_view> references) {
  if (references.empty()) throw Error("sentence " + std::to_string(size()) + " has no reference");
  if (has_information()) throw Error("sentences cannot be added after compute_information()");

  Sentence sentence{};
  sentence.words = words_.size();
  sentence.slots = slots_.size();
  sentence.nodes = nodes_.size();
  sentence.lengths = lengths_.size();
  sentence.text = text_.size();
  const std::vector<std::uint32_t> tokens = number_words(references, sentence);

  // Level by level: `positions` are the n-grams of the level, each still to find its node.
  std::vector<Position> positions;
  std::vector<std::size_t> ends;  // per position in the text: where its reference ends
  for (std::uint32_t r = 0; r < sentence.reference_count; ++r) {
    const std::size_t end = ends.size() + lengths_[sentence.lengths + r];
    while (ends.size() < end) {
      positions.push_back({tokens[ends.size()], narrow<std::uint32_t>(ends.size()), r});
      ends.push_back(end);
    }
  }
  add_level(sentence, positions);
  for (std::size_t n = 1; n < static_cast<std::size_t>(order_); ++n) {
    std::erase_if(positions, [&](const Position& position) { return position.at + n >= ends[position.at]; });
    for (Position& position : positions)
      position.key = pair_key(static_cast<std::uint32_t>(position.key), tokens[position.at + n]);
    add_level(sentence, positions);
  }
  sentence.node_count = narrow<std::uint32_t>(nodes_.size() - sentence.nodes);
  nodes_.push_back({none, 0, 0});
  everywhere_.push_back(0);

  // Children follow the order of their parents, so each node's begin where the last of the nodes before it ended.
  std::uint32_t end = sentence.node_count;
  for (std::uint32_t node = sentence.node_count + 1; node-- > 0;) {
    Node& parent = nodes_[sentence.nodes + node];
    if (parent.first_child == 0) parent.first_child = end;
    end = parent.first_child;
  }
  sentences_.push_back(sentence);
}

// Splits the references, leaves out those whose words all came before, numbers words in order of first occurrence
// and fills the word table. Returns the words of the different references, one after the other.
std::vector<std::uint32_t> ReferenceNgrams::number_words(std::span<const std::string_view> references,
                                                         Sentence& sentence) {
  std::vector<std::string_view> texts;
  const auto came_before = [&](std::size_t begin) {  // the reference that begins there
    auto earlier = texts.begin();
    for (std::uint32_t r = 0; r < sentence.reference_count; earlier += lengths_[sentence.lengths + r++])
      if (std::equal(texts.begin() + static_cast<std::ptrdiff_t>(begin), texts.end(), earlier,
                     earlier + lengths_[sentence.lengths + r]))
        return true;
    return false;
  };
  for (const std::string_view reference : references) {
    const std::size_t begin = texts.size();
    for_each_word(reference, [&](std::string_view word) { texts.push_back(word); });
    if (came_before(begin)) {
      texts.resize(begin);
      continue;
    }
    lengths_.push_back(narrow<std::uint32_t>(texts.size() - begin));
    ++sentence.reference_count;
  }
  // Half full at most, were all words different; repeated words leave it emptier.
  sentence.slot_mask = narrow<std::uint32_t>(std::bit_ceil(2 * texts.size() + 1) - 1);
  slots_.resize(sentence.slots + sentence.slot_mask + 1, none);
  std::vector<std::uint32_t> tokens;
  tokens.reserve(texts.size());
  for (const std::string_view word : texts) {
    std::uint32_t number = find_word(sentence, word);
    if (number == none) {
      number = narrow<std::uint32_t>(words_.size() - sentence.words);
      const std::uint64_t key = key_bytes(word);
      words_.push_back(
          {key, narrow<std::uint32_t>(text_.size() - sentence.text), narrow<std::uint32_t>(word.size())});
      text_.append(word);
      std::uint32_t slot = slot_of(key) & sentence.slot_mask;
      while (slots_[sentence.slots + slot] != none) slot = (slot + 1) & sentence.slot_mask;
      slots_[sentence.slots + slot] = number;
    }
    tokens.push_back(number);
  }
  return tokens;
}

// Makes a node of every different key, counts it, and sets each position's key to its node.
void ReferenceNgrams::add_level(const Sentence& sentence, std::vector<Position>& positions) {
  std::sort(positions.begin(), positions.end(),
            [](const Position& a, const Position& b) { return a.key != b.key ? a.key < b.key : a.at < b.at; });
  for (std::size_t begin = 0; begin < positions.size();) {
    const std::uint64_t key = positions[begin].key;
    const auto node = narrow<std::uint32_t>(nodes_.size() - sentence.nodes);
    std::uint32_t most = 0, here = 0;
    std::size_t at = begin;
    for (; at < positions.size() && positions[at].key == key; ++at) {
      here = at > begin && positions[at].owner == positions[at - 1].owner ? here + 1 : 1;
      most = std::max(most, here);
    }
    for (std::size_t i = begin; i < at; ++i) positions[i].key = node;
    // The single words are the first level and have no parent; the key of the others begins with theirs.
    const bool is_word = node < words_.size() - sentence.words;
    if (!is_word) {
      Node& parent = nodes_[sentence.nodes + (key >> 32)];
      if (parent.first_child == 0) parent.first_child = node;
    }
    nodes_.push_back({static_cast<std::uint32_t>(key), most, 0});
    everywhere_.push_back(static_cast<std::uint32_t>(at - begin));
    begin = at;
  }
}

std::span<const std::uint32_t> ReferenceNgrams::lengths(std::size_t sentence) const {
  return {lengths_.data() + sentences_[sentence].lengths, sentences_[sentence].reference_count};
}

std::span<const ReferenceNgrams::Word> ReferenceNgrams::words_of(const Sentence& sentence) const {
  const std::size_t end = &sentence == &sentences_.back() ? words_.size() : (&sentence + 1)->words;
  return {words_.data() + sentence.words, end - sentence.words};
}

void ReferenceNgrams::compute_information() {
  // One trie over all sentences; keys are (parent, word) in global numbers.
  std::unordered_map<std::string_view, std::uint32_t> word_number;
  std::unordered_map<std::uint64_t, std::uint32_t> node_number;
  std::vector<std::uint64_t> count;
  std::vector<std::uint32_t> global_node(nodes_.size()), parent_of(nodes_.size(), none);
  std::vector<std::uint32_t> global_word;
  std::uint64_t total_words = 0;
  for (const Sentence& sentence : sentences_) {
    global_word.clear();
    for (const Word& word : words_of(sentence))
      global_word.push_back(
          word_number.try_emplace(text_of(sentence, word), narrow<std::uint32_t>(word_number.size()))
              .first->second);
    const Node* nodes = nodes_.data() + sentence.nodes;
    for (std::uint32_t n = 0; n < sentence.node_count; ++n) {
      for (std::uint32_t child = nodes[n].first_child; child < nodes[n + 1].first_child; ++child)
        parent_of[sentence.nodes + child] = n;
      const std::uint32_t parent = parent_of[sentence.nodes + n];
      const std::uint64_t key =
          pair_key(parent == none ? none : global_node[sentence.nodes + parent], global_word[nodes[n].word]);
      const auto [found, is_new] = node_number.try_emplace(key, narrow<std::uint32_t>(count.size()));
      if (is_new) count.push_back(0);
      global_node[sentence.nodes + n] = found->second;
      count[found->second] += everywhere_[sentence.nodes + n];
      if (parent == none) total_words += everywhere_[sentence.nodes + n];
    }
  }
  information_.resize(nodes_.size());
  for (const Sentence& sentence : sentences_)
    for (std::uint32_t n = 0; n < sentence.node_count; ++n) {
      const std::uint32_t parent = parent_of[sentence.nodes + n];
      const std::uint64_t above = parent == none ? total_words : count[global_node[sentence.nodes + parent]];
      information_[sentence.nodes + n] =
          std::log2(static_cast<double>(above) / static_cast<double>(count[global_node[sentence.nodes + n]]));
    }
  has_information_ = true;
}

}  // namespace tunesmith
