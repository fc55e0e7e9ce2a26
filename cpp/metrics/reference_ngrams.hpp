// The n-grams of the references of many sentences, ready to be matched with any number of hypotheses.
//
// Each sentence has a small trie of its references' n-grams. Words are found by hashing and then compared, longer
// n-grams by walking the trie, so matching is exact. An n-gram counts as often as in the reference that has it
// most often (Papineni et al. 2002, section 2.1). A reference given twice for one sentence (padding) is read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"

namespace tunesmith {

class ReferenceNgrams {
 public:
  // order: longest n-gram, 1 to 99.
  explicit ReferenceNgrams(int order);

  // Adds the next sentence with its references, at least one. Cost: linear in their n-grams.
  void add(std::span<const std::string_view> references);

  int order() const { return order_; }
  std::size_t size() const { return sentences_.size(); }
  // Lengths in words of the different references of a sentence, in the order given.
  std::span<const std::uint32_t> lengths(std::size_t sentence) const;
  // Number of different references of a sentence.
  std::size_t reference_count(std::size_t sentence) const { return lengths(sentence).size(); }

  // NIST information weights, one per n-gram node: log2(count(w1..wn-1) / count(w1..wn)) over all references
  // of all sentences (Doddington 2002, eq. 2). Call once, after the last add().
  void compute_information();
  bool has_information() const { return has_information_; }

  class Matcher;  // ngram_matcher.hpp

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  struct Word {
    std::uint64_t key;            // key_bytes(word)
    std::uint32_t begin, length;  // the word is text_[sentence.text + begin, + length)
  };
  // A node is an n-gram. Nodes stand level by level: the single words first (a word's number is its node), then
  // the bigrams ordered by first and second word, and so on; the children of a node are neighbours.
  struct Node {
    std::uint32_t word;         // the last word
    std::uint32_t most;         // occurrences in the reference that has most of it
    std::uint32_t first_child;  // the children end where those of the next node begin
  };
  struct Sentence {
    std::size_t words, slots, nodes, lengths, text;  // where its part of each array begins
    std::uint32_t slot_mask, node_count, reference_count;
  };
  struct Position {
    std::uint64_t key;        // node << 32 | next word
    std::uint32_t at, owner;  // where the n-gram begins, in which reference
  };

  std::vector<std::uint32_t> number_words(std::span<const std::string_view> references, Sentence& sentence);
  void add_level(const Sentence& sentence, std::vector<Position>& positions);
  std::span<const Word> words_of(const Sentence& sentence) const;
  std::string_view text_of(const Sentence& sentence, const Word& word) const {
    return {text_.data() + sentence.text + word.begin, word.length};
  }
  static std::uint32_t slot_of(std::uint64_t key) { return static_cast<std::uint32_t>(mix(key, 0)); }
  // The word's number, or `none`.
  std::uint32_t find_word(const Sentence& sentence, std::string_view word) const;

  int order_;
  std::vector<Sentence> sentences_;
  std::vector<Word> words_;
  std::vector<std::uint32_t> slots_;       // open-addressed tables of word numbers
  std::vector<Node> nodes_;                // node_count + 1 for each sentence; the last one only ends the children
  std::vector<std::uint32_t> everywhere_;  // per node: occurrences in all references of the sentence
  std::vector<double> information_;        // per node
  bool has_information_ = false;
  std::vector<std::uint32_t> lengths_;
  std::string text_;
};

inline std::uint32_t ReferenceNgrams::find_word(const Sentence& sentence, std::string_view word) const {
  const std::uint64_t key = key_bytes(word);
  for (std::uint32_t slot = slot_of(key) & sentence.slot_mask;; slot = (slot + 1) & sentence.slot_mask) {
    const std::uint32_t number = slots_[sentence.slots + slot];
    if (number == none) return none;
    const Word& entry = words_[sentence.words + number];
    // Of a word of up to eight bytes the key holds every byte.
    if (entry.key == key && entry.length == word.size() && (word.size() <= 8 || text_of(sentence, entry) == word))
      return number;
  }
}

}  // namespace tunesmith
