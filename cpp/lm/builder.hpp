// Building the image of a model from n-grams, order by order.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "corpus/word_table.hpp"
#include "lm/estimate.hpp"
#include "lm/image.hpp"
#include "lm/ngram.hpp"

namespace tunesmith::lm {

// A table that grows while n-grams come.
class GrowingTable {
 public:
  GrowingTable() { slots_.resize(64); }
  void reserve(std::uint64_t count);
  std::uint64_t size() const { return size_; }
  MiddleSlot* find(Key key) {
    MiddleSlot* slot = search(key);
    return slot->key == 0 ? nullptr : slot;
  }
  // False if the key is there already.
  bool insert(Key key, Weights weights);
  // Brings the n-grams into rising order of their keys and hands them over; the table is empty then.
  std::vector<MiddleSlot> take_sorted();

 private:
  MiddleSlot* search(Key key);
  void grow(std::uint64_t slots);

  std::vector<MiddleSlot> slots_;
  std::uint64_t size_ = 0;
};

// Throws Error where an n-gram does not fit the others. Probabilities and back-offs are log10, finite, and no
// probability is above 0; the caller sees to that.
class Builder {
 public:
  explicit Builder(int order);

  int order() const { return order_; }
  // How many n-grams of this order will come; a hint.
  void expect(int n, std::uint64_t count);

  // A word with its unigram. The numbers 0, 1, 2 are kept for <unk> (also written <UNK>), <s> and </s>.
  void add_word(std::string_view word, float probability, float backoff);
  // Ends the words. A missing <unk> gets the probability 10⁻¹⁰⁰ (returns false then); <s> or </s> missing is an
  // error.
  bool end_words();
  // The number of a word, WordTable::none if there is none.
  WordId find(std::string_view word) const;

  // An n-gram w1 … wn of known words, 2 ≤ n ≤ order, all those of order n - 1 before. Its context w1 … w(n-1) must
  // be there. Where w2 … wn is missing (files of SRILM), it is put in with the probability that backing off gives.
  void add_ngram(int n, const std::uint32_t* words, float probability, float backoff);

  std::shared_ptr<const Image> finish();

 private:
  Weights* find(int n, Key key);
  Weights* fill_in(int n, const std::uint32_t* words);

  int order_;
  WordTable words_;
  bool seen_[3] = {};
  std::vector<Weights> unigrams_;
  std::vector<GrowingTable> tables_;                // [n - 2]
  std::vector<std::unordered_set<Key>> filled_in_;  // [n - 2]: n-grams that were not given
};

// The model of an estimate, which is used up; the same image as by way of its ARPA text.
std::shared_ptr<const Image> to_image(Estimate& estimate);

}  // namespace tunesmith::lm
