// How many sentence pairs contain a phrase, another one on the other side, and both (Johnson et al. 2007, section
// 2).
//
// A phrase is contained where its words stand side by side, whatever the alignment. Phrases are found in a suffix
// array of each side, as there.
#pragma once

#include <array>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "alignment/lexical_table.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

// The places of all phrases of up to `longest` words. 8 bytes for every word of the text.
class PhraseIndex {
 public:
  // `text` must outlive the index. Throws Error for 2^32 words or more.
  PhraseIndex(const WordNumbers& text, int longest, int threads);

  // The places of a phrase, as a range of all places in the order of the words that follow.
  struct Range {
    std::uint32_t begin, end;
    std::size_t size() const { return end - begin; }
  };
  Range find(std::span<const Symbol> phrase) const;
  // The sentence of every place, in no order; one comes several times where the phrase does.
  std::span<const std::uint32_t> sentences(Range range) const {
    return std::span<const std::uint32_t>(sentence_of_).subspan(range.begin, range.size());
  }
  bool contains(std::uint32_t sentence, std::span<const Symbol> phrase) const;
  std::size_t size() const { return text_.size(); }

 private:
  // The words from a place on to the end of its sentence, at most `longest_`.
  std::span<const WordId> words_at(std::uint32_t suffix) const;

  WordNumbers text_;
  std::size_t longest_;
  std::vector<std::uint32_t> places_, sentence_of_;  // sorted by the words that follow
};

// For several threads at once, each with its own `Counter`.
class Containment {
 public:
  Containment(const WordNumbers& source, const WordNumbers& target, int longest, int threads);

  struct Counts {
    std::size_t both, source, target;
  };

  class Counter {
   public:
    explicit Counter(const Containment& all);
    // The source side of the rules that `count` is asked for next.
    void take_source(std::span<const Symbol> source);
    Counts count(std::span<const Symbol> target);

   private:
    std::size_t count_target(PhraseIndex::Range range);

    const Containment& all_;
    std::span<const Symbol> source_;
    std::vector<std::uint32_t> source_sentences_;       // each once
    std::vector<std::uint32_t> of_source_, of_target_;  // by sentence: the number of the phrase it was last in
    std::uint32_t source_number_ = 0, target_number_ = 0;
  };

 private:
  friend class Counter;
  // Counts of frequent target sides, which come in many rules, by their range.
  struct Known {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, std::uint32_t> counts;
  };

  PhraseIndex source_, target_;
  mutable std::array<Known, 64> known_;
};

}  // namespace tunesmith
