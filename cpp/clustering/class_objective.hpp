// What exchange maximises: a likelihood of classes that changes word by word.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tunesmith {

using ClassId = std::int32_t;
inline constexpr ClassId no_class = -1;
inline constexpr std::int64_t max_classes = 65535;

// Memory of one thread for scoring.
struct ScoringSpace {
  std::vector<double> gains;
  std::vector<std::uint32_t> left, right, row, column;
  std::vector<ClassId> left_classes, right_classes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
};

// The terms of a log-likelihood that depend on the classes of words. A word without class has no part in it. All
// counts are whole numbers, so that taking a word out and putting it back leaves the same state.
class ClassObjective {
 public:
  virtual ~ClassObjective() = default;

  // Writes space.gains[c] for every class: what the objective gains when the word, without class for the moment
  // whatever its class is, gets class c. Reads only: many threads may score.
  virtual void score(std::size_t word, ScoringSpace& space) const = 0;
  // space.gains[c] of one class alone.
  virtual double score_in(std::size_t word, ClassId to, ScoringSpace& space) const = 0;
  // Moves a word that has a class to another one if that gains more than `least`. Returns the gain, the difference
  // of both score_in to the last bit; 0 if it stays.
  virtual double move(std::size_t word, ClassId to, double least, ScoringSpace& space) = 0;
  // Changes the class of the word; no_class takes it out.
  virtual void set_class(std::size_t word, ClassId to) = 0;
  // The objective computed from the text's counts and the classes alone.
  virtual double from_scratch() const = 0;

  const std::vector<ClassId>& classes() const { return classes_; }
  std::size_t class_count() const { return class_count_; }

 protected:
  ClassObjective(std::size_t words, std::size_t class_count)
      : classes_(words, no_class), class_count_(class_count) {}

  std::vector<ClassId> classes_;
  std::size_t class_count_;
};

}  // namespace tunesmith
