#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "search/matrices/plain_builder.hpp"
#include "search/matrices/plain_matrix.hpp"
#include "tuning/losses/expected_gain.hpp"
#include "tuning/losses/hinge_dual.hpp"
#include "tuning/losses/random.hpp"
#include "tuning/losses/structured_hinge.hpp"

using namespace tunesmith;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::atomic<bool> go_on = false;

// Two candidates of one sentence, features 2 and 0, gains 1 and 0; then a sentence without any.
struct Two {
  PlainStorage<float> storage = rows();
  PlainMatrix<float> matrix{storage.view()};
  std::vector<std::int64_t> offsets{0, 2, 2};
  Lists lists{offsets, 2};
  std::vector<double> gains{1, 0};

 private:
  static PlainStorage<float> rows() {
    PlainBuilder builder;
    builder.add(0, 2);
    builder.end_row();
    builder.end_row();
    return std::move(builder).finish<float>(1);
  }
};

double solved(const Two& two, double curvature, double lower, double upper) {
  HingeDual dual(two.matrix, two.lists, two.gains, {{curvature}, {lower}, {upper}});
  const std::vector<std::int64_t> oracles{0, -1};
  dual.select(oracles);
  const CuttingResult result = dual.solve({1e-12, 100, 1}, 1, go_on);
  CHECK(check::near(result.primal, result.dual, 1e-9));
  return dual.weights()[0];
}

}  // namespace

TEST(one_pair_has_the_svm_of_a_closed_form) {
  // ½ c w² + ½ max(0, 1 - 2 w): w = 1 / c while that leaves a loss, then the 0.5 that leaves none.
  const Two two;
  CHECK(check::near(solved(two, 10, -infinity, infinity), 0.1));
  CHECK(check::near(solved(two, 0.01, -infinity, infinity), 0.5));
  CHECK(check::near(solved(two, 0.01, -infinity, 0.2), 0.2));
  CHECK(check::near(solved(two, 10, 0.3, infinity), 0.3));
  CHECK(check::near(solved(two, 10, 0.7, 0.7), 0.7));
}

TEST(an_oracle_must_be_a_candidate_of_its_sentence) {
  const Two two;
  HingeDual dual(two.matrix, two.lists, two.gains, {{1}, {-infinity}, {infinity}});
  CHECK_THROWS(dual.solve({0.1, 10, 1}, 1, go_on), Error);
  for (const std::vector<std::int64_t>& bad :
       std::vector<std::vector<std::int64_t>>{{2, -1}, {-1, -1}, {0, 0}, {0}, {}})
    CHECK_THROWS(dual.select(bad), Error);
}

TEST(hinge_and_ramp_of_two_candidates) {
  const Two two;
  std::vector<std::int64_t> oracles(2);
  const std::vector<double> wrong{-1};  // scores -2 and 0
  CHECK(check::near(latent_hinge(two.matrix, two.lists, two.gains, Hope::gain, wrong, oracles, 1), (1 + 2) / 2.0));
  CHECK(oracles[0] == 0 && oracles[1] == -1);
  // The oracle gives up: score - cost is -2 for the better one, -1 for the worse one.
  CHECK(check::near(latent_hinge(two.matrix, two.lists, two.gains, Hope::model_and_gain, wrong, oracles, 1),
                    (1 + 1) / 2.0));
  CHECK(oracles[0] == 1);
}

TEST(a_descent_goes_towards_the_gain) {
  const Two two;
  std::vector<double> w{0};
  const std::vector<std::uint32_t> order{0, 1, 0, 1};
  // Equal chances: the derivative of -p · 1 by w is -¼ · 2; the first rate is 1 / (1 + 0.5).
  descend_expected_gain(two.matrix, two.lists, {two.gains}, std::span(order).first(1), {1, 0.5}, 0, w, go_on);
  CHECK(check::near(w[0], 0.5 / 1.5));
  CHECK(descend_expected_gain(two.matrix, two.lists, {two.gains}, order, {1, 0.5}, 1, w, go_on) == 5);
  CHECK(w[0] > 0);
  const std::atomic<bool> stop = true;
  CHECK(descend_expected_gain(two.matrix, two.lists, {two.gains}, order, {1, 0.5}, 1, w, stop) == 1);
}

TEST(random_duals_close_their_gap) {
  Random random(1);
  PlainBuilder builder;
  std::vector<std::int64_t> offsets{0}, oracles;
  std::vector<double> gains;
  for (std::int64_t s = 0; s < 30; ++s) {
    const std::int64_t size = random.below(8);
    oracles.push_back(size == 0 ? -1 : offsets.back());
    for (std::int64_t e = 0; e < size; ++e) {
      for (std::uint32_t j = 0; j < 20; ++j)
        if (random.below(3) == 0) builder.add(j, static_cast<float>(random.below(200)) / 100 - 1);
      builder.end_row();
      gains.push_back(static_cast<double>(random.below(100)) / 100);
    }
    offsets.push_back(offsets.back() + size);
  }
  const PlainStorage<float> storage = std::move(builder).finish<float>(20);
  const PlainMatrix<float> matrix(storage.view());
  const Lists lists(offsets, gains.size());
  HingeDual dual(matrix, lists, gains,
                 {std::vector<double>(20, 0.01), std::vector<double>(20, -0.5), std::vector<double>(20, 0.5)});
  dual.select(oracles);
  for (const double tol : {0.1, 1e-3, 1e-6}) {
    const CuttingResult result = dual.solve({tol, 1000, 1}, 2, go_on);
    CHECK(result.primal - result.dual <= tol * result.primal);
  }
}
