#include "tuning/online/magnitude_ranks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/memory/gather.hpp"
#include "base/vectorize.hpp"
#include "tuning/online/magnitude_buckets.hpp"
#include "tuning/sorted_l1/few_magnitudes.hpp"
#include "tuning/sorted_l1/nearly_sorted.hpp"

namespace tunesmith {

// Of the magnitudes above a limit; `most` of all.
struct MagnitudeRanks::Extent {
  std::int64_t least, most;
  std::int64_t count;
  std::int64_t leading_sum;  // of the upper halves of their bits
};

namespace {

constexpr std::int64_t infinity_bits = 0x7FF0000000000000;

// Numbers a bucket should hold: 2 where all buckets fit a cache, else as many as fit the fastest one, to be put
// into buckets again.
constexpr std::size_t large = std::size_t{1} << 17, in_small_bucket = 2, in_large_bucket = 1024;
// Leaving out a smaller share than one in this number takes longer than ranking them.
constexpr std::size_t few_are_below = 8;
// Larger buckets are not compared all with all; from this size on a bucket may be one of equals, which need not
// be.
constexpr std::uint32_t too_large = 64, perhaps_equals = 16;
// Numbers that fit the fastest cache together with their places; how far ahead others are asked for.
constexpr std::size_t cached = 2048, ahead = 32;

TUNESMITH_VECTORIZED_512 void find_buckets(const double* values, std::size_t size, BucketMap map,
                                           std::uint32_t* buckets) {
  for (std::size_t i = 0; i < size; ++i) buckets[i] = map(std::bit_cast<double>(magnitude_bits(values[i])));
}

TUNESMITH_VECTORIZED_512 std::uint64_t sum_of(const std::uint32_t* numbers, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += numbers[i];
  return sum;
}

TUNESMITH_VECTORIZED_512 bool all_equal(const double* values, std::size_t size) {
  std::int64_t others = 0;
  for (std::size_t i = 1; i < size; ++i) others += values[i] != values[0] ? 1 : 0;
  return others == 0;
}

// Those above the limit, one after the other, with their places and signs; and room after the last for one more.
void keep_above(std::span<const double> values, std::int64_t limit, double* kept, std::uint32_t* given) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // A number that is not kept is overwritten by the next: no branch.
    kept[count] = values[i];
    given[count] = static_cast<std::uint32_t>(i << 1 | std::bit_cast<std::uint64_t>(values[i]) >> 63);
    count += magnitude_bits(values[i]) > limit ? 1 : 0;
  }
}

// within[i] = how many of the numbers before the i-th are in its bucket; counts[b], at first 0, becomes how many
// are in bucket b. Several leave in one word: a processor writes hardly more than one in a cycle.
template <class Within>
void count_within(const std::uint32_t* bucket, std::size_t size, std::uint32_t* counts, Within* within) {
  constexpr std::size_t together = sizeof(std::uint64_t) / sizeof(Within);
  std::size_t i = 0;
  for (; i + together <= size; i += together) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < together; ++k) {
      const std::size_t from_low = std::endian::native == std::endian::little ? k : together - 1 - k;
      word |= std::uint64_t{counts[bucket[i + k]]++} << (8 * sizeof(Within) * from_low);
    }
    std::memcpy(within + i, &word, sizeof word);
  }
  for (; i < size; ++i) within[i] = static_cast<Within>(counts[bucket[i]]++);
}

TUNESMITH_VECTORIZED_512 void add(const std::uint32_t* starts, const std::uint16_t* within, std::size_t size,
                                  std::uint32_t* places) {
  for (std::size_t i = 0; i < size; ++i) places[i] = starts[i] + within[i];
}
TUNESMITH_VECTORIZED_512 void add(const std::uint32_t* starts, const std::uint32_t* within, std::size_t size,
                                  std::uint32_t* places) {
  for (std::size_t i = 0; i < size; ++i) places[i] = starts[i] + within[i];
}

// From the bucket of each number to its place: where its bucket starts, and those within it that came before.
template <class Within>
void find_places(const std::uint32_t* starts, const Within* within, std::size_t size, std::uint32_t* place,
                 Vectors vectors) {
  gather_in_parts(starts, place, size, vectors,
                  [&](std::size_t begin, std::size_t end, const std::uint32_t* start) {
                    add(start, within + begin, end - begin, place + begin);
                  });
}

// Each to its place. Where they do not fit the fastest cache, a line is asked for before it is written to.
void put_at_places(const double* values, const std::uint32_t* place, std::size_t size, double* magnitudes) {
  std::size_t i = 0;
  for (; size > cached && i + ahead < size; ++i) {
    __builtin_prefetch(magnitudes + place[i + ahead], 1);
    magnitudes[place[i]] = std::abs(values[i]);
  }
  for (; i < size; ++i) magnitudes[place[i]] = std::abs(values[i]);
}

std::size_t bucket_count(std::size_t size) {
  return size / (size > large ? in_large_bucket : in_small_bucket) + 2;
}

BucketMap map_of(std::int64_t least, std::int64_t most, std::int64_t typical, std::size_t buckets) {
  const auto magnitude = [](std::int64_t bits) { return std::bit_cast<double>(bits); };
  BucketMap map{magnitude(typical), std::bit_cast<std::int64_t>(magnitude(most) + magnitude(typical)), 0, 0};
  const auto range =
      static_cast<std::uint64_t>(map.top - std::bit_cast<std::int64_t>(magnitude(least) + magnitude(typical)));
  map.shift = std::max(static_cast<int>(std::bit_width(range)) - 31, 0);
  map.factor = (static_cast<std::uint64_t>(buckets) << 32) / ((range >> map.shift) + 1);
  return map;
}

[[noreturn]] void refuse(std::span<const double> values, const char* what) {
  std::size_t i = 0;
  while (i + 1 < values.size() && std::isfinite(values[i])) ++i;
  throw Error(std::string(what) + " " + std::to_string(i) + " is not a finite number");
}

}  // namespace

TUNESMITH_VECTORIZED_512 MagnitudeRanks::Extent MagnitudeRanks::extent_of(const double* values, std::size_t size,
                                                                          std::int64_t above) {
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  std::int64_t least = all, most = 0, count = 0, leading_sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t bits = magnitude_bits(values[i]);
    const std::int64_t chosen = bits > above ? -1 : 0;  // a mask: compilers make vectors of it
    const std::int64_t low = (bits | ~chosen) & all;
    least = low < least ? low : least;
    most = bits > most ? bits : most;
    count -= chosen;
    leading_sum += (bits >> 32) & chosen;
  }
  return {least, most, count, leading_sum};
}

MagnitudeRanks::MagnitudeRanks(std::span<const double> values, double above, const char* what, Vectors vectors)
    : vectors_(vectors) {
  if (values.size() >= (std::size_t{1} << 31)) throw Error("2^31 numbers or more cannot be sorted");
  const std::int64_t limit = above < 0 ? -1 : magnitude_bits(above);
  Extent extent = extent_of(values.data(), values.size(), limit);
  if (extent.most >= infinity_bits) refuse(values, what);
  size_ = static_cast<std::size_t>(extent.count);
  if (size_ == 0) return;
  if (values.size() - size_ <= values.size() / few_are_below) {
    if (size_ < values.size()) extent.least = 0;
    size_ = values.size();
  }
  const bool all = size_ == values.size();
  using W = Workspace;
  workspace_.emplace(2 * W::bytes_for<double>(size_ + 3 * Buckets::margin) +
                     3 * W::bytes_for<std::uint32_t>(size_ + 1) +
                     W::bytes_for<std::uint32_t>(bucket_count(size_) + 1));
  sorted_ = workspace_->take<double>(size_ + 2) + 1;
  magnitudes_ = workspace_->take<double>(size_ + 3 * Buckets::margin) + Buckets::margin;
  place_ = workspace_->take<std::uint32_t>(size_);
  rank_at_ = workspace_->take<std::uint32_t>(size_);
  std::uint32_t* starts = workspace_->take<std::uint32_t>(bucket_count(size_) + 1);
  const double* kept = values.data();
  if (!all) {
    given_ = workspace_->take<std::uint32_t>(size_ + 1);
    kept = sorted_;  // which is written only when nothing is read from it any more
    keep_above(values, limit, sorted_, given_);
  }
  if (all && rank_nearly_sorted(values, sorted_, rank_at_, place_, vectors_)) {
    place_ = nullptr;
    return;
  }
  places_ = rank_all(kept, size_, extent, 0, {starts, place_, rank_at_, magnitudes_}, 0);
}

std::size_t MagnitudeRanks::rank_all(const double* values, std::size_t size, const Extent& extent,
                                     std::uint32_t first, const Level& level, std::size_t depth) {
  // Parts of parts have numbers so near to each other that adding anything would lose their differences.
  const std::int64_t typical = depth > 1 ? 0 : extent.leading_sum / extent.count << 32;
  const std::size_t count = bucket_count(size);
  const BucketMap map = map_of(extent.least, extent.most, typical, count);
  const auto [starts, place, rank_at, magnitudes] = level;
  find_buckets(values, size, map, place);
  std::fill_n(starts, count + 1, 0U);
  std::uint32_t* counts = starts + 1;
  // How many of its bucket came before each; small numbers where there are few.
  const bool few = size <= std::size_t{1} << 16;
  std::uint32_t* within = rank_at;
  auto* few_within = reinterpret_cast<std::uint16_t*>(rank_at);
  few ? count_within(place, size, counts, few_within) : count_within(place, size, counts, within);
  std::uint32_t largest = 0, sum = 0;
  for (std::size_t bucket = 0; bucket < count; ++bucket) {
    largest = std::max(largest, counts[bucket]);
    counts[bucket] = sum += counts[bucket];
  }
  // Larger ones have large buckets, and are put into buckets again in any case.
  if (size <= large && largest > perhaps_equals &&
      rank_few_magnitudes({values, size, place, starts, count}, first, rank_at, sorted_ + first, magnitudes,
                          vectors_))
    return count;
  std::fill_n(magnitudes - Buckets::margin, Buckets::margin, std::numeric_limits<double>::infinity());
  std::fill_n(magnitudes + size, 2 * Buckets::margin, 0.0);
  // Two loops: a processor that has just written somewhere hesitates to read what may be the same place.
  few ? find_places(starts, few_within, size, place, vectors_)
      : find_places(starts, within, size, place, vectors_);
  put_at_places(values, place, size, magnitudes);

  const Buckets buckets{map, magnitudes, starts};
  std::size_t ranked = 0;
  for (std::size_t bucket = 0; largest > perhaps_equals && bucket < count; ++bucket) {
    const std::uint32_t begin = starts[bucket], end = starts[bucket + 1];
    if (end - begin <= perhaps_equals) continue;
    if (end - begin <= too_large && !all_equal(magnitudes + begin, end - begin)) continue;
    rank_buckets(buckets, ranked, begin, first, rank_at);
    rank_part(magnitudes + begin, end - begin, first + begin, rank_at + begin, depth + 1);
    ranked = end;
  }
  rank_buckets(buckets, ranked, size, first, rank_at);
  return size;
}

void MagnitudeRanks::rank_buckets(const Buckets& buckets, std::size_t begin, std::size_t end, std::uint32_t first,
                                  std::uint32_t* ranks) {
  if (begin == end) return;
  rank_within_buckets(buckets, begin, end, first, ranks, sorted_, vectors_);
  // Without equals, ranks are all the numbers from the first on; each equal makes the sum smaller.
  const std::uint64_t size = end - begin;
  if (sum_of(ranks + begin, size) == size * (first + begin) + size * (size - 1) / 2) return;
  // Only the first of equal numbers has been written, if any.
  double* sorted = sorted_ + first;
  std::fill(sorted + begin, sorted + end, std::numeric_limits<double>::infinity());
  for (std::size_t i = begin; i < end; ++i) sorted_[ranks[i]] = buckets.magnitudes[i];
  double last = sorted[begin];
  for (std::size_t i = begin; i < end; ++i) sorted[i] = last = std::min(last, sorted[i]);
}

void MagnitudeRanks::rank_part(const double* values, std::size_t size, std::uint32_t first, std::uint32_t* ranks,
                               std::size_t depth) {
  if (all_equal(values, size)) {
    std::fill_n(ranks, size, first);
    std::fill_n(sorted_ + first, size, values[0]);
    return;
  }
  if (depth > rooms_.size()) return sort_part(values, size, first, ranks);
  const Extent extent = extent_of(values, size, -1);
  Room& room = rooms_[depth - 1];
  const std::size_t doubles = size + 3 * Buckets::margin, integers = 2 * size + bucket_count(size) + 1;
  // Fewer numbers may need more bytes: large parts have fewer buckets.
  if (const std::size_t bytes = doubles * sizeof(double) + integers * sizeof(std::uint32_t); room.bytes < bytes)
    room = {make_scratch<std::byte>(bytes), bytes};
  auto* magnitudes = reinterpret_cast<double*>(room.memory.get());
  auto* place = reinterpret_cast<std::uint32_t*>(magnitudes + doubles);
  const Level level{place + 2 * size, place, place + size, magnitudes + Buckets::margin};
  rank_all(values, size, extent, first, level, depth);
  gather(level.rank_at, level.place, size, ranks, vectors_);
}

void MagnitudeRanks::sort_part(const double* values, std::size_t size, std::uint32_t first, std::uint32_t* ranks) {
  std::vector<std::pair<double, std::uint32_t>> order(size);
  for (std::uint32_t i = 0; i < size; ++i) order[i] = {values[i], i};
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::uint32_t i = 0, rank = 0; i < size; ++i) {
    if (order[i].first < order[rank].first) rank = i;
    ranks[order[i].second] = first + rank;
    sorted_[first + i] = order[i].first;
  }
}

const double* MagnitudeRanks::at_places(const double* by_rank) {
  gather(by_rank, rank_at_, places_, magnitudes_, vectors_);
  return magnitudes_;
}

}  // namespace tunesmith
