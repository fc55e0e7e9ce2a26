#include "tuning/sorted_l1/nearly_sorted.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/narrow.hpp"
#include "base/vectorize.hpp"

#if TUNESMITH_X86_VECTORS
#include <immintrin.h>
#endif

namespace tunesmith {
namespace {

// Displaced numbers, and rises in every part of this number of words of bits, are at most one in eight.
constexpr std::size_t one_in = 8, part = 16;

// Bit k: the magnitude of values[k] is above that of the number before it.
std::uint64_t rises_plain(const double* values, std::size_t size) {
  std::uint64_t found = 0;
  for (std::size_t k = 0; k < size; ++k)
    found |= static_cast<std::uint64_t>(std::abs(values[k]) > std::abs(*(values + k - 1))) << k;
  return found;
}

#if TUNESMITH_X86_VECTORS

__attribute__((target("avx2"))) std::uint64_t rises_avx2(const double* values) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  std::uint64_t found = 0;
#pragma GCC unroll 16
  for (int k = 0; k < 64; k += 4) {
    const __m256d here = _mm256_andnot_pd(sign, _mm256_loadu_pd(values + k));
    const __m256d before = _mm256_andnot_pd(sign, _mm256_loadu_pd(values + k - 1));
    found |= static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_cmp_pd(here, before, _CMP_GT_OQ))) << k;
  }
  return found;
}

__attribute__((target("avx512f"))) std::uint64_t rises_avx512(const double* values) {
  std::uint64_t found = 0;
#pragma GCC unroll 8
  for (int k = 0; k < 64; k += 8) {
    const __m512d here = _mm512_abs_pd(_mm512_loadu_pd(values + k));
    const __m512d before = _mm512_abs_pd(_mm512_loadu_pd(values + k - 1));
    found |= static_cast<std::uint64_t>(_mm512_cmp_pd_mask(here, before, _CMP_GT_OQ)) << k;
  }
  return found;
}

#endif

std::uint64_t rises(const double* values, std::size_t size, [[maybe_unused]] Vectors vectors) {
#if TUNESMITH_X86_VECTORS
  if (size == 64 && vectors == Vectors::avx512) return rises_avx512(values);
  if (size == 64 && vectors == Vectors::avx2) return rises_avx2(values);
#endif
  return rises_plain(values, size);
}

// Numbers that stand side by side and fall.
struct Run {
  std::uint32_t begin, end;
};

struct Displaced {
  double magnitude;
  std::uint32_t at;
};

struct Order {
  std::vector<Run> runs;  // the last of each is not below the first of the next
  std::vector<Displaced> displaced;
};

// Puts the numbers into runs that fall together, and those that stand in the way into `displaced`.
class Sorting {
 public:
  Sorting(std::span<const double> values, Order& order) : values_(values), order_(order) {}

  // The next place, from the last run on, where the magnitude rises.
  void rise_at(std::uint32_t place) {
    if (place <= next_) return;  // the number in front is displaced already
    order_.runs.push_back({next_, place});
    next_ = place;
    while (next_ < values_.size() && !order_.runs.empty() && magnitude(next_) > magnitude(last())) {
      displace(last());
      displace(next_++);
      if (--order_.runs.back().end == order_.runs.back().begin) order_.runs.pop_back();
    }
  }
  void end() {
    if (next_ < values_.size()) order_.runs.push_back({next_, narrow<std::uint32_t>(values_.size())});
  }

 private:
  double magnitude(std::uint32_t place) const { return std::abs(values_[place]); }
  std::uint32_t last() const { return order_.runs.back().end - 1; }
  void displace(std::uint32_t place) { order_.displaced.push_back({magnitude(place), place}); }

  std::span<const double> values_;
  Order& order_;
  std::uint32_t next_ = 0;  // the first number that is neither in a run nor displaced
};

bool find_order(std::span<const double> values, Vectors vectors, Order& order) {
  const std::size_t most = values.size() / one_in;
  Sorting sorting(values, order);
  std::uint64_t words[part];
  for (std::size_t begin = 0; begin < values.size(); begin += 64 * part) {
    const std::size_t end = std::min(values.size(), begin + 64 * part);
    std::size_t count = 0, found = 0;
    for (std::size_t from = begin; from < end; from += 64) {
      std::uint64_t bits = 0;
      if (from > 0)
        bits = rises(values.data() + from, std::min<std::size_t>(64, end - from), vectors);
      else
        bits = rises(values.data() + 1, std::min<std::size_t>(63, end - 1), vectors) << 1;
      found += static_cast<std::size_t>(std::popcount(bits));
      words[count++] = bits;
    }
    if (found > (end - begin) / one_in || order.displaced.size() > most) return false;
    for (std::size_t word = 0; word < count; ++word)
      for (std::uint64_t bits = words[word]; bits != 0; bits &= bits - 1)
        sorting.rise_at(static_cast<std::uint32_t>(begin + 64 * word) +
                        static_cast<std::uint32_t>(std::countr_zero(bits)));
  }
  sorting.end();
  return order.displaced.size() <= most;
}

TUNESMITH_VECTORIZED_512 void copy_run(const double* values, std::uint32_t size, std::uint32_t rank,
                                       double* sorted, std::uint32_t* ranks) {
  for (std::uint32_t k = 0; k < size; ++k) sorted[k] = std::abs(values[k]);
  for (std::uint32_t k = 0; k < size; ++k) ranks[k] = rank + k;
}

TUNESMITH_VECTORIZED_512 bool has_equals(const double* sorted, std::size_t size) {
  std::int64_t equals = 0;
  for (std::size_t i = 1; i < size; ++i) equals += sorted[i] == sorted[i - 1] ? 1 : 0;
  return equals != 0;
}

// Turns a number for each place in the order into how many are larger.
void share_ranks(const double* sorted, std::size_t size, std::uint32_t* first, std::uint32_t* ranks) {
  std::uint32_t equal_from = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    equal_from = i > 0 && sorted[i] == sorted[i - 1] ? equal_from : i;
    first[i] = equal_from;
  }
  for (std::size_t i = 0; i < size; ++i) ranks[i] = first[ranks[i]];
}

// The first place of a run where the magnitude is below this one.
std::uint32_t place_below(const double* values, Run run, double magnitude) {
  std::uint32_t begin = run.begin, size = run.end - run.begin;
  while (size > 0) {
    const std::uint32_t half = size / 2;
    const bool behind = std::abs(values[begin + half]) >= magnitude;
    begin += behind ? half + 1 : 0;
    size = behind ? size - half - 1 : half;
  }
  return begin;
}

}  // namespace

bool rank_nearly_sorted(std::span<const double> values, double* sorted, std::uint32_t* ranks, std::uint32_t* room,
                        Vectors vectors) {
  Order order;
  if (!find_order(values, vectors, order)) return false;
  auto& displaced = order.displaced;
  std::sort(displaced.begin(), displaced.end(),
            [](const Displaced& a, const Displaced& b) { return a.magnitude > b.magnitude; });
  std::uint32_t rank = 0;
  const auto copy = [&](std::uint32_t begin, std::uint32_t end) {
    copy_run(values.data() + begin, end - begin, rank, sorted + rank, ranks + begin);
    rank += end - begin;
  };
  auto next = displaced.begin();
  const auto put_next = [&] {
    sorted[rank] = next->magnitude;
    ranks[next++->at] = rank++;
  };
  for (Run run : order.runs) {
    const double last = std::abs(values[run.end - 1]);
    while (next != displaced.end() && next->magnitude > last) {
      const std::uint32_t cut = place_below(values.data(), run, next->magnitude);
      copy(run.begin, cut);
      put_next();
      run.begin = cut;
    }
    copy(run.begin, run.end);
  }
  while (next != displaced.end()) put_next();
  if (has_equals(sorted, values.size())) share_ranks(sorted, values.size(), room, ranks);
  return true;
}

}  // namespace tunesmith
