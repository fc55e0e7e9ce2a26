// Classes by the classes before: Σ N(c',c) ln N(c',c) − Σ B(c') ln B(c') − Σ N(c) ln N(c), the class bigram model
// p(w|c) p(c|c') (Brown et al. 1992; exchange by Kneser and Ney 1993, Martin et al. 1998).
#pragma once

#include "clustering/bigrams.hpp"
#include "clustering/class_objective.hpp"
#include "clustering/x_log_x.hpp"

namespace tunesmith {

// B(c') counts words of c' that a word follows; the beginning of a sentence has its own class. Scoring a word
// costs its neighbours plus the classes for every class that a neighbour has.
class TwoSidedObjective final : public ClassObjective {
 public:
  TwoSidedObjective(const Bigrams& bigrams, std::size_t class_count);

  void score(std::size_t word, ScoringSpace& space) const override;
  double score_in(std::size_t word, ClassId to, ScoringSpace& space) const override;
  double move(std::size_t word, ClassId to, double least, ScoringSpace& space) override;
  void set_class(std::size_t word, ClassId to) override;
  double from_scratch() const override;

 private:
  // The word's neighbours by class, itself left out.
  struct Context {
    std::uint32_t self = 0;      // how often the word follows itself
    std::uint32_t followed = 0;  // how often a word with a class follows it, itself included
    std::uint32_t occurrences = 0;
  };
  Context gather(std::size_t word, ScoringSpace& space) const;
  static void clear(ScoringSpace& space);
  double score_gathered(const Context& context, ClassId own, ClassId to, const ScoringSpace& space) const;

  // The rows of N; the last one is that of the beginning of a sentence.
  std::size_t cell(std::size_t before, std::size_t after) const { return before * class_count_ + after; }
  void change(std::size_t word, ClassId name, bool adds);

  const Bigrams& bigrams_;
  XLogX t_;
  std::vector<std::uint32_t> pairs_;            // N(c',c) by c'
  std::vector<std::uint32_t> flipped_;          // N(c',c) by c, without the beginning of a sentence
  std::vector<std::uint64_t> totals_, before_;  // N(c), B(c')
};

}  // namespace tunesmith
