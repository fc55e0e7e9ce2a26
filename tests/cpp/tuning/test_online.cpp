#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "search/matrices/plain_matrix.hpp"
#include "tuning/losses/random.hpp"
#include "tuning/online/adagrad.hpp"
#include "tuning/online/margin_steps.hpp"

using namespace tunesmith;

namespace {

constexpr std::size_t columns = 20, rows = 30;

// A matrix of which every third column is not 0 in a row, with the arrays it reads.
struct SparseRows {
  explicit SparseRows(std::uint64_t seed) {
    Random random(seed);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::uint32_t column = 0; column < columns; ++column)
        if (random.below(3) == 0) {
          ids.push_back(column);
          values.push_back(random.below(9) - 4.0);
        }
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
  }
  std::vector<std::int64_t> offsets{0}, sentences{0, 10, rows};
  std::vector<std::uint32_t> ids;
  std::vector<double> values;
};

// Weights before the first step, all the same.
AdaGrad started(const AdaGradOptions& options, std::size_t size, double weight) {
  const std::vector<double> weights(size, weight), zeros(size);
  return AdaGrad(options, {weights, zeros, zeros, zeros, {}, {}}, {}, 0, 0);
}

}  // namespace

TEST(lazy_adagrad_steps_are_those_that_touch_every_weight) {
  const SparseRows held(1);
  const PlainMatrix<double> matrix({rows, columns, {}, {}, held.offsets, held.ids, held.values});
  const CandidateLists lists{matrix, held.sentences};
  AdaGrad learner = started({0.1, 1e-3, 0.02, 0, 1}, columns, 0.3);
  std::vector<double> w(columns, 0.3), squares(columns), sums(columns), slopes(rows), scores(rows);
  Random random(2);
  for (int step = 0; step < 40; ++step) {
    std::fill(slopes.begin(), slopes.end(), 0.0);
    slopes[random.below(rows)] = 1;  // few columns change, the others wait
    learner.scores(lists, scores);
    learner.step_on_scored(lists, slopes);
    std::vector<double> gradient(columns);
    matrix.combine(0, slopes, gradient);
    for (std::size_t j = 0; j < columns; ++j) {
      squares[j] += gradient[j] * gradient[j];
      const double rate = 0.1 / (std::sqrt(squares[j]) + 1e-3), half = w[j] - rate * gradient[j];
      w[j] = std::copysign(std::max(0.0, std::abs(half) - rate * 0.02), half);
      sums[j] += w[j];
    }
  }
  const std::vector<double> found = learner.weights(), average = learner.average();
  for (std::size_t j = 0; j < columns; ++j) {
    CHECK(check::near(found[j], w[j], 1e-12));
    CHECK(check::near(average[j], sums[j] / 40, 1e-12));
  }
}

TEST(changed_weights_are_named_once) {
  AdaGrad learner = started({0.1, 1e-3, 0.5, 0, 1}, 3, 1.0);
  CHECK(learner.changed().ids.size() == 3);
  CHECK(learner.changed().ids.empty());
  learner.resize(5);
  const std::vector<double> gradient{0, 0, 0, 0, 1};
  learner.step(gradient);
  CHECK(learner.changed().ids.size() == 4);  // three pay the penalty, the last has moved
  CHECK(learner.weights()[3] == 0);
  const std::vector<double> wrong{0, 0, 0, 0, std::nan("")};
  bool refused = false;
  try {
    learner.step(wrong);
  } catch (const Error&) {
    refused = true;
  }
  CHECK(refused);
  CHECK(learner.steps() == 1);
}

TEST(a_weight_that_dies_before_anybody_asks_is_a_change) {
  AdaGrad learner = started({0.1, 1e-3, 0.5, 0, 1}, 3, 1.0);
  learner.step();  // of the penalty alone: 50 are taken from each
  const AdaGrad::Changes found = learner.changed();
  CHECK(found.ids.size() == 3);
  for (const double value : found.values) CHECK(value == 0);
  CHECK(learner.changed().ids.empty());
}

TEST(one_margin_is_the_closed_form_bounded_either_way) {
  const std::vector<std::int64_t> offsets{0, 2, 3};
  const std::vector<std::uint32_t> ids{0, 2, 1}, better{0}, worse{1};
  const std::vector<double> values{1, 2, 1}, scores{0.3, 0.8}, losses{1.5};
  for (const MarginBound bound : {MarginBound::sum, MarginBound::box})
    for (const double cap : {0.01, 10.0}) {
      const MarginSolution found =
          solve_margins({offsets, ids, values}, {scores, better, worse, losses}, {cap, bound});
      const double expected = std::min(cap, (1.5 - (0.3 - 0.8)) / 6);
      CHECK(check::near(found.multipliers[0], expected, 1e-12));
      CHECK(check::near(found.coefficients[0], expected, 1e-12));
      CHECK(check::near(found.coefficients[1], -expected, 1e-12));
      CHECK(found.gap <= 1e-9 * cap * 2);
    }
}
