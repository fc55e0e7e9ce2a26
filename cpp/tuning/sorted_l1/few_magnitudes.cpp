#include "tuning/sorted_l1/few_magnitudes.hpp"

#include <cmath>

#include "base/memory/gather.hpp"
#include "base/vectorize.hpp"

namespace tunesmith {
namespace {

// Numbers examined first: where magnitudes differ, these nearly always show it.
constexpr std::size_t sample = 512;

TUNESMITH_VECTORIZED_512 std::int64_t differences(const double* values, std::size_t size,
                                                  const double* magnitudes) {
  std::int64_t others = 0;
  for (std::size_t i = 0; i < size; ++i) others += std::abs(values[i]) != magnitudes[i] ? 1 : 0;
  return others;
}

// Puts a magnitude of each bucket into `magnitudes`. Whether all of the first `size` numbers have that of theirs.
bool one_each(const CountedNumbers& numbers, std::size_t size, double* magnitudes, Vectors vectors) {
  for (std::size_t i = 0; i < size; ++i) magnitudes[numbers.bucket[i]] = std::abs(numbers.values[i]);
  std::int64_t others = 0;
  gather_in_parts(magnitudes, numbers.bucket, size, vectors,
                  [&](std::size_t begin, std::size_t end, const double* found) {
                    others += differences(numbers.values + begin, end - begin, found);
                  });
  return others == 0;
}

TUNESMITH_VECTORIZED_512 void fill(double* numbers, std::size_t size, double number) {
  for (std::size_t i = 0; i < size; ++i) numbers[i] = number;
}

}  // namespace

bool rank_few_magnitudes(const CountedNumbers& numbers, std::uint32_t first, std::uint32_t* ranks, double* sorted,
                         double* magnitudes, Vectors vectors) {
  if (numbers.size > sample && !one_each(numbers, sample, magnitudes, vectors)) return false;
  if (!one_each(numbers, numbers.size, magnitudes, vectors)) return false;
  for (std::size_t bucket = 0; bucket < numbers.count; ++bucket) ranks[bucket] = first + numbers.starts[bucket];
  for (std::size_t bucket = 0; bucket < numbers.count; ++bucket) {
    const std::uint32_t begin = numbers.starts[bucket], end = numbers.starts[bucket + 1];
    if (begin < end) fill(sorted + begin, end - begin, magnitudes[bucket]);
  }
  return true;
}

}  // namespace tunesmith
