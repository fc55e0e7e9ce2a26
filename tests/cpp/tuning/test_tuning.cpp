#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "tuning/losses/corpus_envelope.hpp"
#include "tuning/losses/pair_sampler.hpp"
#include "tuning/losses/random.hpp"
#include "tuning/losses/upper_envelope.hpp"
#include "tuning/sorted_l1/sorted_l1.hpp"

using namespace tunesmith;

namespace {

std::vector<Segment> envelope_of(const std::vector<double>& scores, const std::vector<double>& slopes) {
  EnvelopeSpace space;
  std::vector<Segment> segments;
  const double infinity = std::numeric_limits<double>::infinity();
  upper_envelope(scores, slopes, first_best(scores), -infinity, infinity, space, segments);
  return segments;
}

std::vector<double> random_numbers(Random& random, std::size_t size) {
  std::vector<double> numbers(size);
  for (double& x : numbers) x = static_cast<double>(random.below(2001)) / 1000 - 1;
  return numbers;
}

}  // namespace

TEST(three_lines_meet_where_they_should) {
  // max(-step, 1, step): from step -1 to 1 the flat line.
  const auto segments = envelope_of({0, 1, 0}, {-1, 0, 1});
  CHECK(segments.size() == 3);
  CHECK(segments[0].index == 0 && std::isinf(segments[0].start));
  CHECK(segments[1].index == 1 && segments[1].start == -1);
  CHECK(segments[2].index == 2 && segments[2].start == 1);
}

TEST(envelopes_of_lists_of_every_length_are_the_highest_lines) {
  Random random(1);
  for (std::size_t size = 1; size < 70; ++size) {
    const auto scores = random_numbers(random, size), slopes = random_numbers(random, size);
    const auto segments = envelope_of(scores, slopes);
    for (std::size_t k = 0; k < segments.size(); ++k) {
      const double begin = k == 0 ? segments.size() > 1 ? segments[1].start - 1 : 0 : segments[k].start;
      const double end = k + 1 < segments.size() ? segments[k + 1].start : begin + 1;
      CHECK(end > begin);
      const double step = begin + (end - begin) / 2;
      double highest = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < size; ++i) highest = std::max(highest, scores[i] + step * slopes[i]);
      const std::uint32_t winner = segments[k].index;
      CHECK(check::near(scores[winner] + step * slopes[winner], highest, 1e-9));
    }
  }
}

TEST(a_line_outside_its_range_has_no_step) {
  const std::vector<std::int64_t> offsets{0, 2};
  const Lists lists(offsets, 2);
  const std::vector<double> rows{4, 4, 1, 1, 1, 1, 4, 3, 2, 1, 4, 4, 4, 3, 2, 1, 4, 3, 2, 1};
  const DistinctStatistics statistics(lists, rows.data(), 10, 1);
  const std::vector<double> scores{1, 0}, slopes{0, 1};
  const LineStart start(lists, scores);
  CHECK(best_bleu_on_line(lists, statistics, start, slopes, {}, {}).step > 1);
  CHECK(best_bleu_on_line(lists, statistics, start, slopes, {-1, 0.5, 1e-6}, {}).step < 0.5);
  const LineOptimum none = best_bleu_on_line(lists, statistics, start, slopes, {0.2, 0.2, 1e-6}, {});
  CHECK(none.step == 0 && none.score < 0);
}

TEST(lists_are_checked) {
  const std::vector<std::int64_t> falling{0, 2, 1, 3}, short_of{0, 2}, nothing;
  CHECK_THROWS(Lists(falling, 3), Error);
  CHECK_THROWS(Lists(short_of, 3), Error);
  CHECK_THROWS(Lists(nothing, 0), Error);
}

TEST(sorted_l1_of_equal_penalties_is_soft_thresholding) {
  const std::vector<double> w{3, -1, 0.5, 0}, penalties(4, 0.75);
  std::vector<double> out(4);
  prox_sorted_l1(w, penalties, 1, out);
  CHECK((out == std::vector<double>{2.25, -0.25, 0, 0}));
}

TEST(oscar_makes_near_weights_equal) {
  const std::vector<double> w{2, -1.9};
  std::vector<double> out(2);
  prox_oscar(w, {2, 0, 1}, 0.2, out);  // penalties 1 and 0: 2 - 0.2 would pass below 1.9
  CHECK(check::near(out[0], 1.85) && out[1] == -out[0]);
}

TEST(shuffling_gives_every_number_once) {
  std::vector<std::uint32_t> order(1000);
  std::iota(order.begin(), order.end(), 0U);
  Random random(3);
  shuffle(std::span(order), random);
  CHECK(!std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 1000; ++i) CHECK(order[i] == i);
}

TEST(lists_of_one_candidate_give_no_pairs) {
  const std::vector<std::int64_t> offsets{0, 1, 1, 3};
  const std::vector<double> gains{1, 0, 1}, lengths{1, 1, 1};
  const double none = std::numeric_limits<double>::infinity();
  const Pairs pairs =
      sample_pairs(Lists(offsets, 3), gains, lengths, {100, 7, 0.05, true, none, none, none}, 1, 2);
  CHECK(pairs.better == std::vector<std::int64_t>(7, 2));
  CHECK(pairs.worse == std::vector<std::int64_t>(7, 1));
}
