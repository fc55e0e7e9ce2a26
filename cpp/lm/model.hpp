// A back-off language model for queries: read-only, shared by any number of threads, the innermost loop of search.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "lm/image.hpp"
#include "lm/state.hpp"
#include "lm/tables.hpp"

namespace tunesmith::lm {

// What is known of a word after its context.
struct Scored {
  float probability;     // log10
  std::uint32_t length;  // of the longest n-gram of the model that matches, 1 for an unknown word
  float own;             // of the n-gram that matches, without back-offs; log10
  bool extends_left;     // whether the context matched to its end and a longer n-gram ends in this one
  Key key;               // of the n-gram that matches, unless it is one of the highest order
};

class Model {
 public:
  // Takes an image that was checked (see image.hpp).
  explicit Model(std::shared_ptr<const Image> image);

  // No other model has it, and it is not 0. States are of one model; who takes them from outside compares it.
  std::uint64_t identity() const { return identity_; }
  int order() const { return order_; }
  std::size_t vocabulary() const { return words_.size(); }
  const Image& image() const { return *image_; }

  // The number of the word; 0 is <unk>.
  std::uint32_t id(std::string_view word) const { return words_.find(word); }
  std::string_view word(std::uint32_t id) const { return words_.word(id); }
  const WordView& words() const { return words_; }

  // The state after <s>, and the state of the empty context.
  const State& begin() const { return begin_; }
  static State nothing() { return State(); }

  // log10 p(word | state) and the state after it. `word` < vocabulary(); `in` and `out` are different objects.
  Scored score(const State& in, std::uint32_t word, State& out) const {
    Scored scored = match(in.words, in.length, word, out);
    for (std::uint32_t i = scored.length - 1; i < in.length; ++i) scored.probability += in.backoffs[i];
    return scored;
  }

  // log10 p(word | context) where the context (nearest first) has no state: costs a walk over the context too.
  float score_forgotten(const std::uint32_t* context, std::uint32_t count, std::uint32_t word) const;

  // The change of log10 p of the last word of an n-gram that extends to the left, when the words `added` (nearest
  // first, `count` of them) come to stand in front of it.
  // key, length, own: of the n-gram; log10 p of its last word.       added_backoffs[i]: of added[i] … added[0] and
  // the words between them and the last word.    out_backoffs: the same with the last word included, for the next
  // word to the right. in_use: how many of the added words the state after the last word needs.
  Scored extend(const std::uint32_t* added, std::uint32_t count, const float* added_backoffs, Key key,
                std::uint32_t length, float own, float* out_backoffs, std::uint32_t& in_use) const {
    Scored scored{own, length, own, true, key};
    in_use = length;
    lengthen(added, count, scored, out_backoffs, in_use);
    in_use -= length;
    for (std::uint32_t i = scored.length - length; i < count; ++i) scored.probability += added_backoffs[i];
    scored.probability -= own;
    return scored;
  }

 private:
  // The longest n-gram that ends in `word`; no back-off is charged.
  Scored match(const std::uint32_t* context, std::uint32_t count, std::uint32_t word, State& out) const {
    const Weights& unigram = unigrams_[word];
    Scored scored{unigram.probability(), 1, unigram.probability(), unigram.extends_left(), first_key(word)};
    out.words[0] = word;
    out.backoffs[0] = unigram.backoff;
    std::uint32_t in_use = extends_right(unigram.backoff) ? 1 : 0;
    lengthen(context, count, scored, out.backoffs + 1, in_use);
    out.length = in_use;
    for (std::uint32_t i = 1; i < in_use; ++i) out.words[i] = context[i - 1];
    return scored;
  }

  void prefetch_key(Key key, std::uint32_t length) const {
    if (length < static_cast<std::uint32_t>(order_))
      middle_[length - 2].prefetch(key);
    else
      longest_.prefetch(key);
  }

  // Looks for longer n-grams by taking words of the context, nearest first, as long as they are found.
  // in_use becomes the length of the longest one that extends to the right.
  void lengthen(const std::uint32_t* context, std::uint32_t count, Scored& scored, float* backoffs,
                std::uint32_t& in_use) const {
    if (!scored.extends_left) return;
    const std::uint32_t before = scored.length;
    const auto order = static_cast<std::uint32_t>(order_);
    count = std::min(count, order - before);
    // All keys are known before the first is looked up, so the memory can fetch all slots at once.
    Key keys[max_order];
    Key key = scored.key;
    for (std::uint32_t i = 0; i < count; ++i) {
      keys[i] = key = extend_key(key, context[i]);
      prefetch_key(key, before + i + 1);
    }
    for (std::uint32_t i = 0; i < count && scored.extends_left; ++i) {
      const std::uint32_t length = before + i + 1;
      if (length == order) {
        scored.extends_left = false;
        if (const LongestSlot* slot = longest_.find(keys[i])) {
          scored.probability = scored.own = slot->probability;
          scored.length = length;
        }
        return;
      }
      const MiddleSlot* slot = middle_[length - 2].find(keys[i]);
      if (slot == nullptr) {  // words further to the left make no difference
        scored.extends_left = false;
        return;
      }
      const float probability = slot->weights.probability();
      scored = {probability, length, probability, slot->weights.extends_left(), keys[i]};
      backoffs[i] = slot->weights.backoff;
      if (extends_right(slot->weights.backoff)) in_use = length;
    }
  }

  std::shared_ptr<const Image> image_;
  std::uint64_t identity_;
  int order_;
  const Weights* unigrams_;
  std::array<TableView<const MiddleSlot>, max_order - 2> middle_;  // [n - 2]: order n
  TableView<const LongestSlot> longest_;
  WordView words_;
  State begin_;
};

}  // namespace tunesmith::lm
