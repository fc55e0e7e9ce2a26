#include "metrics/ngram_matcher.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace tunesmith {

std::size_t ReferenceNgrams::Matcher::match(std::size_t index, std::string_view hypothesis, double* matches,
                                            bool weighted) {
  const Sentence& sentence = references_.sentences_[index];
  words_.clear();
  for_each_word(hypothesis,
                [&](std::string_view word) { words_.push_back(references_.find_word(sentence, word)); });
  return count(sentence, matches, weighted);
}

std::size_t ReferenceNgrams::Matcher::match(std::size_t index, std::span<const std::uint32_t> hypothesis,
                                            double* matches, bool weighted) {
  if (index != entered_) enter(index);
  words_.clear();
  for (const std::uint32_t word : hypothesis)
    for (const WordId token : tokens_->of(word)) words_.push_back(numbers_[static_cast<std::size_t>(token)]);
  return count(references_.sentences_[index], matches, weighted);
}

// Numbers the tokens that the references of the sentence have.
void ReferenceNgrams::Matcher::enter(std::size_t index) {
  numbers_.resize(tokens_->table().size(), none);
  for (const WordId token : known_) numbers_[static_cast<std::size_t>(token)] = none;
  known_.clear();
  const Sentence& sentence = references_.sentences_[index];
  std::uint32_t number = 0;
  for (const Word& word : references_.words_of(sentence)) {
    const WordId token = tokens_->table().find(references_.text_of(sentence, word));
    if (token != WordTable::none) {
      numbers_[static_cast<std::size_t>(token)] = number;
      known_.push_back(token);
    }
    ++number;
  }
  entered_ = index;
}

// The n-gram that continues `node` by `word`, or `none`.
inline std::uint32_t ReferenceNgrams::Matcher::find_child(const Node* nodes, std::uint32_t node,
                                                          std::uint32_t word) {
  std::uint32_t begin = nodes[node].first_child, end = nodes[node + 1].first_child;
  // Few children in all but very long references; then halve before looking at each.
  while (end - begin > 16) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    (nodes[middle].word <= word ? begin : end) = middle;
  }
  for (; begin < end; ++begin)
    if (nodes[begin].word == word) return begin;
  return none;
}

// Counts the n-grams of `words_`.
std::size_t ReferenceNgrams::Matcher::count(const Sentence& sentence, double* matches, bool weighted) {
  const ReferenceNgrams& all = references_;
  const Node* nodes = all.nodes_.data() + sentence.nodes;
  const auto order = static_cast<std::size_t>(all.order_);
  if (used_.size() < sentence.node_count) used_.resize(sentence.node_count, 0);
  std::fill(matches, matches + order, 0.0);

  const auto count_one = [&](std::uint32_t node, std::size_t n) {
    if (used_[node] == 0) touched_.push_back(node);
    if (used_[node]++ < nodes[node].most) matches[n] += weighted ? all.information_[sentence.nodes + node] : 1.0;
  };
  for (std::size_t begin = 0; begin < words_.size(); ++begin) {
    std::uint32_t node = words_[begin];
    if (node == none) continue;
    count_one(node, 0);
    // An n-gram that no reference has cannot be continued to one that some reference has.
    for (std::size_t n = 1; n < order && begin + n < words_.size(); ++n) {
      if (words_[begin + n] == none) break;
      node = find_child(nodes, node, words_[begin + n]);
      if (node == none) break;
      count_one(node, n);
    }
  }
  for (const std::uint32_t node : touched_) used_[node] = 0;
  touched_.clear();
  return words_.size();
}

}  // namespace tunesmith
