// Exchange: words move, one by one, to the class where the objective is highest (Kneser and Ney 1993).
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "clustering/class_objective.hpp"

namespace tunesmith {

// Passes over the words in the order of their numbers. A block of words is scored against the classes as they were
// before it, on any number of threads; then its moves are made in order, each only if its exact gain is positive.
// Blocks do not depend on threads, so nothing does, and the objective never falls. Equally good classes: the
// lowest.
class Exchange {
 public:
  // classes[i]: the class that word i begins with, or no_class: then the first pass puts it into its best one.
  // fixed[i]: the word keeps its class. Empty: none does.
  Exchange(std::unique_ptr<ClassObjective> objective, std::span<const ClassId> classes, std::vector<bool> fixed);

  // One pass; how many words changed their class. When `stop` becomes true it ends after the block.
  std::int64_t pass(int threads, const std::atomic<bool>& stop);

  // The running sum: objective of the first classes plus the gains of all moves.
  double objective() const { return running_; }
  double from_scratch() const { return objective_->from_scratch(); }
  const std::vector<ClassId>& classes() const { return objective_->classes(); }

 private:
  // The best class of the word; its own where that is as good, otherwise the lowest of equal ones.
  ClassId propose(std::size_t word, ScoringSpace& space) const;
  bool apply(std::size_t word, ClassId to);

  std::unique_ptr<ClassObjective> objective_;
  std::vector<bool> fixed_;
  double running_;
  ScoringSpace space_;  // of moves
};

}  // namespace tunesmith
