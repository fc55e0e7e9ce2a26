#include "clustering/exchange.hpp"

#include <algorithm>
#include <string>

#include "base/block_workers.hpp"
#include "base/error.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t block_size = 256;
// Sums that differ by less are equal: what differs is rounding.
constexpr double rounding = 1e-7;

}  // namespace

Exchange::Exchange(std::unique_ptr<ClassObjective> objective, std::span<const ClassId> classes,
                   std::vector<bool> fixed)
    : objective_(std::move(objective)), fixed_(std::move(fixed)) {
  const std::size_t words = objective_->classes().size();
  if (classes.size() != words)
    throw Error("there are " + std::to_string(words) + " words but " + std::to_string(classes.size()) +
                " classes");
  if (fixed_.empty()) fixed_.resize(words);
  if (fixed_.size() != words) throw Error("every word needs a value that says whether its class is fixed");
  for (std::size_t word = 0; word < words; ++word) {
    if (classes[word] < no_class || classes[word] >= static_cast<ClassId>(objective_->class_count()))
      throw Error("class " + std::to_string(classes[word]) + " of word " + std::to_string(word) +
                  " is not between 0 and " + std::to_string(objective_->class_count()) + " (exclusive)");
    objective_->set_class(word, classes[word]);
  }
  running_ = objective_->from_scratch();
}

ClassId Exchange::propose(std::size_t word, ScoringSpace& space) const {
  objective_->score(word, space);
  const std::vector<double>& gains = space.gains;
  const double best = *std::max_element(gains.begin(), gains.end());
  const auto is_best = [&](double gain) { return gain >= best - rounding; };
  const ClassId own = objective_->classes()[word];
  if (own != no_class && is_best(gains[static_cast<std::size_t>(own)])) return own;
  return static_cast<ClassId>(std::find_if(gains.begin(), gains.end(), is_best) - gains.begin());
}

bool Exchange::apply(std::size_t word, ClassId to) {
  if (objective_->classes()[word] == no_class) {
    running_ += objective_->score_in(word, to, space_);
    objective_->set_class(word, to);
    return true;
  }
  const double gain = objective_->move(word, to, rounding, space_);
  running_ += gain;
  return gain > 0;
}

std::int64_t Exchange::pass(int threads, const std::atomic<bool>& stop) {
  const std::size_t words = objective_->classes().size();
  std::vector<ClassId> proposals(block_size);
  std::size_t begin = 0;
  std::int64_t moves = 0;
  std::vector<ScoringSpace> spaces;
  const auto score = [&](std::size_t item, std::size_t worker) {
    if (!fixed_[begin + item]) proposals[item] = propose(begin + item, spaces[worker]);
  };
  using Workers = BlockWorkers<decltype(score)>;
  spaces.resize(Workers::useful(threads));
  Workers workers(threads, score);
  for (; begin < words && !stop; begin += block_size) {
    const std::size_t size = std::min(block_size, words - begin);
    workers.run(size);
    for (std::size_t item = 0; item < size; ++item) {
      const std::size_t word = begin + item;
      if (fixed_[word] || proposals[item] == objective_->classes()[word]) continue;
      moves += apply(word, proposals[item]);
    }
  }
  return moves;
}

}  // namespace tunesmith
