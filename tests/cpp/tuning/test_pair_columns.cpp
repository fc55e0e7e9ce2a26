#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "search/matrices/plain_builder.hpp"
#include "tuning/losses/pair_columns.hpp"
#include "tuning/losses/pair_columns_maker.hpp"
#include "tuning/losses/pair_loss.hpp"

using namespace tunesmith;

namespace {

constexpr std::size_t features = 300, sentences = 700, candidates = 4;

// Lists of four candidates with a few of the features, and two pairs of each list.
struct Lot {
  Lot() {
    std::mt19937 random(1);
    PlainBuilder builder;
    for (std::size_t row = 0; row < sentences * candidates; ++row) {
      for (auto id = static_cast<std::uint32_t>(random() % 50); id < features;
           id += static_cast<std::uint32_t>(1 + random() % 60))
        builder.add(id, static_cast<double>(1 + random() % 3));
      builder.end_row();
    }
    storage = std::move(builder).finish<float>(features);
    for (std::size_t s = 0; s <= sentences; ++s) offsets.push_back(static_cast<std::int64_t>(candidates * s));
    for (std::size_t s = 0; s < sentences; ++s)
      for (std::int64_t pair = 0; pair < 2; ++pair) {
        better.push_back(offsets[s] + pair);
        worse.push_back(offsets[s] + 3 - pair);
        weights.push_back(s % 5 == 0 ? 0 : 0.5 + static_cast<double>(pair));
      }
    for (std::size_t i = 0; i < features; ++i) w.push_back(std::sin(static_cast<double>(i)));
  }

  PlainStorage<float> storage;
  std::vector<std::int64_t> offsets, better, worse;
  std::vector<double> weights, w;
};

}  // namespace

TEST(pairs_by_column_have_the_loss_of_rows) {
  const Lot lot;
  const PlainMatrix<float> matrix(lot.storage.view());
  const Lists lists(lot.offsets, matrix.rows());
  const StoredPairColumns made = make_pair_columns(matrix, lists, lot.better, lot.worse, 0, 2);
  const PairColumns columns = made.view();
  check_pair_columns(columns);
  std::vector<std::int64_t> better, worse;  // without pairs of weight 0, which rows do not take
  std::vector<double> weights, w, gradient(made.used.size()), expected(features);
  for (std::size_t pair = 0; pair < lot.weights.size(); ++pair) {
    if (lot.weights[pair] == 0) continue;
    better.push_back(lot.better[pair]);
    worse.push_back(lot.worse[pair]);
    weights.push_back(lot.weights[pair]);
  }
  for (const std::uint32_t column : made.used) w.push_back(lot.w[column]);
  const PairLoss rows(matrix, lists, better, worse, weights, PairLossKind::logistic, 0);
  const double value = pair_sums(columns, lot.weights, PairLossKind::logistic, 0, w, gradient, 2);
  CHECK(check::near(value / rows.sums(lot.w, expected, 1), 1, 1e-9));
  for (std::size_t i = 0; i < made.used.size(); ++i) CHECK(check::near(gradient[i], expected[made.used[i]], 1e-6));
  std::vector<double> squares(made.used.size()), mean(features);
  pair_squares(columns, lot.weights, squares, 1);
  rows.mean_squares(mean, 1);
  for (std::size_t i = 0; i < made.used.size(); ++i)
    CHECK(check::near(rows.share() * squares[i], mean[made.used[i]], 1e-9));
}

TEST(pairs_by_column_refuse_what_does_not_fit) {
  const Lot lot;
  const PlainMatrix<float> matrix(lot.storage.view());
  const Lists lists(lot.offsets, matrix.rows());
  const StoredPairColumns made = make_pair_columns(matrix, lists, lot.better, lot.worse, 0, 1);
  PairColumns columns = made.view();
  columns.whole = columns.whole.first(columns.whole.size() - 1);
  CHECK_THROWS(check_pair_columns(columns), Error);
  std::vector<double> few(3), gradient(made.used.size());
  CHECK_THROWS(pair_sums(made.view(), few, PairLossKind::hinge, 0.1, gradient, gradient, 1), Error);
  CHECK_THROWS(make_pair_columns(matrix, lists, lot.worse, {}, 0, 1), Error);
  const std::vector<std::int64_t> other(lot.better.size(), 0);
  CHECK_THROWS(make_pair_columns(matrix, lists, lot.better, other, 0, 1), Error);
}
