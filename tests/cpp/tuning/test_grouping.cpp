// The moving groups and their members: the lazy learner against the literal one on streams that leave no case out.
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "tuning/losses/random.hpp"
#include "tuning/online/literal_oscar.hpp"
#include "tuning/online/moving_groups.hpp"
#include "tuning/online/online_oscar.hpp"

using namespace tunesmith;

namespace {

struct Stream {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> ids;
  std::vector<float> values;
  std::vector<double> dense;
  std::size_t penalised;

  Stream(Random& random, std::size_t pairs, std::size_t weights, bool counts) : penalised(weights) {
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      for (std::uint32_t id = random.below(7); id < weights; id += 1 + random.below(12)) {
        ids.push_back(id);
        const auto value = static_cast<float>(random.below(20001)) / 10000 - 1;
        values.push_back(counts ? (value < 0 ? -1.0F : 1.0F) : value);
      }
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
      dense.push_back(static_cast<double>(random.below(2001)) / 1000 - 1);
    }
  }
  Differences view() const { return {offsets, ids, values, dense, 1, penalised}; }
};

double furthest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

TEST(lazy_and_literal_learner_agree) {
  const std::atomic<bool> stop = false;
  Random random(7);
  for (const double l2 : {0.0, 1e-6, 1e-4, 3e-3, 0.1})
    for (const double l1 : {0.0, 1e-3})
      for (const std::size_t capacity : {4, 7, 0})
        for (const bool counts : {false, true}) {
          const Stream stream(random, 40, 60, counts);
          check_differences(stream.view());
          const OnlineOptions options{{l1, l2, 80}, 1, 0, true};
          const std::vector<double> start(60), dense(1, 0.3);
          OnlineOscar fast(options, start, dense, capacity);
          LiteralOscar literal(options, start, dense);
          std::vector<std::uint32_t> order(300);
          for (std::uint32_t& pair : order) pair = random.below(40);
          fast.begin_average();
          fast.run(stream.view(), order, stop);
          literal.run(stream.view(), order, stop);
          if (fast.counts().violated != literal.counts().violated) {
            CHECK(counts);  // only counts can put a margin on the corner of the hinge
            continue;
          }
          CHECK(furthest(fast.penalised(), literal.penalised()) < 1e-10);
          CHECK(check::near(fast.dense()[0], literal.dense()[0], 1e-10));
          for (const double weight : fast.average_penalised()) CHECK(std::isfinite(weight));
        }
}

TEST(neighbours_meet_at_the_time_their_sizes_say) {
  // 3 weights at 2 and 1 weight at 1, d = 4: slopes λ2 (4 - 2) and 0; they meet after 1 / (2 λ2).
  MovingGroups groups({0, 0.1, 4});
  groups.insert(2, 3);
  groups.insert(1, 1);
  groups.settle();
  std::vector<MovingGroups::Ended> ended;
  groups.advance(4.9, ended);
  CHECK(ended.empty() && groups.size() == 2);
  groups.advance(0.2, ended);
  CHECK(ended.size() == 1 && groups.size() == 1);
  const MovingGroups::Id one = groups.in_order()[0];
  // The mean of 4 weights after 5.1: (3·2 + 1 - 5.1·λ2·(3 + 2 + 1 + 0)) / 4.
  CHECK(check::near(groups.value(one), (7 - 5.1 * 0.1 * 6) / 4));
  CHECK(groups.weights() == 4);
}

TEST(a_value_that_is_there_takes_the_weight_in) {
  MovingGroups groups({0.5, 0, 10});
  const MovingGroups::Id first = groups.insert(1, 1);
  CHECK(groups.insert(1, 2) == first);
  groups.settle();
  CHECK(groups.size() == 1 && groups.weights() == 3);
  std::vector<MovingGroups::Ended> ended;
  groups.advance(1, ended);
  groups.sample();
  CHECK(check::near(groups.value(first), 0.5));
  CHECK(check::near(groups.sum(first), 0.5));
  groups.rebase();
  groups.advance(1, ended);
  CHECK(groups.size() == 0 && ended.size() == 1 && ended[0].into == MovingGroups::none);
  CHECK(check::near(ended[0].sum, 0.5));
}
