// Classes by the words before: Σ N(v,c) ln N(v,c) − Σ N(c) ln N(c) (Whittaker and Woodland 2001; Uszkoreit and
// Brants 2008, Eq. 5), the model p(w|c) p(c|v) with v a word.
#pragma once

#include "clustering/bigrams.hpp"
#include "clustering/class_objective.hpp"
#include "clustering/class_rows.hpp"
#include "clustering/x_log_x.hpp"

namespace tunesmith {

// Bidirectional adds the same sum over the words after. Scoring a word costs the non-zero cells of its neighbours'
// rows; classes that no neighbour has seen all gain the same.
class PredictiveObjective final : public ClassObjective {
 public:
  PredictiveObjective(const Bigrams& bigrams, std::size_t class_count, bool bidirectional);

  void score(std::size_t word, ScoringSpace& space) const override;
  double score_in(std::size_t word, ClassId to, ScoringSpace& space) const override;
  double move(std::size_t word, ClassId to, double least, ScoringSpace& space) override;
  void set_class(std::size_t word, ClassId to) override;
  double from_scratch() const override;

 private:
  // Calls `visit(row, count)` for every context of the word.
  template <class Visit>
  void for_each_context(std::size_t word, Visit visit) const;
  std::int64_t class_total(ClassId of, std::size_t word, ClassId own) const;

  const Bigrams& bigrams_;
  bool bidirectional_;
  XLogX t_;
  ClassRows rows_;
  std::vector<std::int64_t> totals_;   // N(c)
  std::vector<double> context_terms_;  // Σ T(n) over the contexts of a word
};

}  // namespace tunesmith
