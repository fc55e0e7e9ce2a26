// Sentences chosen for an in-domain text by feature decay: Biçici and Yuret (2011), as Green et al. (2014) use it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/number_table.hpp"
#include "corpus/word_table.hpp"

namespace tunesmith {

// Features are the n-grams of the in-domain text U. One that occurs c times in U has the initial value ln(|U| /
// c), |U| in tokens, and the value initial / (1 + its occurrences in sentences chosen so far). The score of a
// sentence is the sum over its n-grams, divided by its length; the highest is chosen next, the first line among
// equal ones. Scores only fall, so an old score is a bound: a heap of bounds computes few of them again (lazy
// evaluation).
class FeatureDecay {
 public:
  // Most words of an n-gram, 1 to 255.
  explicit FeatureDecay(int order);

  // Lines of the in-domain text, all of them before the first candidate.
  void add_in_domain(std::span<const std::string_view> lines);
  // Candidates, numbered from 0 in the order they come. O(tokens × order).
  void add(std::span<const std::string_view> lines);

  struct Chosen {
    std::vector<std::int64_t> lines;  // in the order of choice
    std::vector<double> scores;       // when they were chosen
  };
  // The next sentences, at most `most`; fewer where no other candidate has a score above 0.
  Chosen select(std::int64_t most);

  // Different n-grams by their number of words, from 1 to `order`.
  struct Coverage {
    std::vector<std::int64_t> in_domain, candidates, chosen;
  };
  Coverage coverage() const;
  std::int64_t in_domain_tokens() const { return in_domain_tokens_; }
  std::int64_t candidates() const { return static_cast<std::int64_t>(lengths_.size()); }

 private:
  using NgramId = std::uint32_t;
  struct Ngram {
    double initial = 0, value = 0;
    std::uint32_t in_domain = 0, chosen = 0;  // occurrences
    std::uint8_t words = 0;
    bool available = false;  // some candidate has it
  };
  struct Bound {
    double score;
    std::uint32_t line;
    bool operator<(const Bound& other) const {
      return score != other.score ? score < other.score : line > other.line;
    }
  };

  static std::uint64_t key(NgramId prefix, WordId word) {
    return static_cast<std::uint64_t>(prefix) << 32 | static_cast<std::uint32_t>(word);
  }
  double score(std::uint32_t line) const;
  void choose(std::uint32_t line);
  bool sift_down();  // the first bound fell; whether it is still the highest

  std::size_t order_;
  WordTable words_;       // of the in-domain text
  NumberTable extended_;  // n-gram and next word → longer n-gram; the empty one has number 0
  std::vector<Ngram> ngrams_;
  std::vector<NgramId> found_;       // n-grams of all candidates, those of a line sorted
  std::vector<std::size_t> begins_;  // of each line in `found_`
  std::vector<std::uint32_t> lengths_;
  std::vector<Bound> heap_;
  std::vector<WordId> sentence_;
  std::int64_t in_domain_tokens_ = 0;
  bool heaped_ = true;
};

}  // namespace tunesmith
