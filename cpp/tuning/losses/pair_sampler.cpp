#include "tuning/losses/pair_sampler.hpp"

#include <algorithm>
#include <cmath>

#include "base/finite.hpp"
#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "tuning/losses/random.hpp"

namespace tunesmith {
namespace {

struct Draw {
  double gain;
  std::uint32_t number, better, worse;
};

struct Band {
  double low, high;
  bool holds(double x) const { return x >= low && x <= high; }
};

// Mean ± that many standard deviations of the list.
Band usual(std::span<const double> values, double deviations) {
  if (std::isinf(deviations)) return {-INFINITY, INFINITY};
  double mean = 0, square = 0;
  for (double x : values) mean += x;
  mean /= static_cast<double>(values.size());
  for (double x : values) square += (x - mean) * (x - mean);
  const double reach = deviations * std::sqrt(square / static_cast<double>(values.size()));
  return {mean - reach, mean + reach};
}

class Sampler {
 public:
  Sampler(const Lists& lists, std::span<const double> gains, std::span<const double> lengths,
          const PairOptions& options)
      : lists_(lists), gains_(gains), lengths_(lengths), options_(options) {}

  // Appends the pairs of a sentence as candidates of the whole set.
  void sample(std::size_t sentence, std::uint64_t seed, Pairs& out) {
    const std::size_t begin = lists_.begin(sentence), length = lists_.length(sentence);
    admit(gains_.subspan(begin, length), lengths_.subspan(begin, length));
    if (admitted_.size() < 2) return;
    draw(gains_.data() + begin, lengths_.data() + begin, Random(seed, sentence));
    if (options_.largest_first) keep_largest();
    for (const Draw& pair : drawn_) {
      out.better.push_back(static_cast<std::int64_t>(begin + pair.better));
      out.worse.push_back(static_cast<std::int64_t>(begin + pair.worse));
    }
  }

 private:
  void admit(std::span<const double> gains, std::span<const double> lengths) {
    admitted_.clear();
    if (gains.size() < 2) return;
    const Band gain = usual(gains, options_.outliers), length = usual(lengths, options_.outliers);
    for (std::uint32_t i = 0; i < gains.size(); ++i)
      if (gain.holds(gains[i]) && length.holds(lengths[i])) admitted_.push_back(i);
  }

  void draw(const double* gains, const double* lengths, Random random) {
    drawn_.clear();
    const auto size = narrow<std::uint32_t>(admitted_.size());
    for (std::uint32_t number = 0; number < options_.draws; ++number) {
      std::uint32_t better = admitted_[random.below(size)], worse = admitted_[random.below(size)];
      if (gains[better] < gains[worse]) std::swap(better, worse);
      const double gain = gains[better] - gains[worse];
      if (!(gain > options_.min_gain) || gain > options_.max_gain) continue;
      if (std::abs(lengths[better] - lengths[worse]) > options_.max_length_difference) continue;
      drawn_.push_back({gain, number, better, worse});
      if (!options_.largest_first && drawn_.size() == options_.keep) return;
    }
  }

  // Largest gain first, also where fewer pairs were drawn than are kept: learners go through them in this order.
  void keep_largest() {
    const auto larger = [](const Draw& a, const Draw& b) {
      return a.gain != b.gain ? a.gain > b.gain : a.number < b.number;
    };
    if (drawn_.size() > options_.keep) {
      const auto kept = drawn_.begin() + options_.keep;
      std::nth_element(drawn_.begin(), kept, drawn_.end(), larger);
      drawn_.erase(kept, drawn_.end());
    }
    std::sort(drawn_.begin(), drawn_.end(), larger);
  }

  const Lists& lists_;
  std::span<const double> gains_, lengths_;
  const PairOptions& options_;
  std::vector<std::uint32_t> admitted_;
  std::vector<Draw> drawn_;
};

}  // namespace

Pairs sample_pairs(const Lists& lists, std::span<const double> gains, std::span<const double> lengths,
                   const PairOptions& options, std::uint64_t seed, int threads) {
  if (gains.size() != lists.rows() || lengths.size() != lists.rows())
    throw Error("there must be one gain and one length for each candidate");
  if (!all_finite(gains)) throw Error("gains must be finite numbers");
  // Parts of a fixed size, whatever the number of threads: joined in order they are the pairs by sentence.
  constexpr std::size_t part_size = 64;
  std::vector<Pairs> parts((lists.size() + part_size - 1) / part_size);
  parallel_ranges(parts.size(), threads, [&](std::size_t begin, std::size_t end) {
    Sampler sampler(lists, gains, lengths, options);
    for (std::size_t part = begin; part < end; ++part)
      for (std::size_t s = part * part_size; s < std::min((part + 1) * part_size, lists.size()); ++s)
        sampler.sample(s, seed, parts[part]);
  });
  Pairs pairs;
  for (Pairs& part : parts) {
    pairs.better.insert(pairs.better.end(), part.better.begin(), part.better.end());
    pairs.worse.insert(pairs.worse.end(), part.worse.begin(), part.worse.end());
    part = {};
  }
  return pairs;
}

}  // namespace tunesmith
