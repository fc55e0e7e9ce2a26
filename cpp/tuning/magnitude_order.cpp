#include "tuning/magnitude_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/vectorize.hpp"

namespace tunesmith {
namespace {

// The bits of a magnitude: as integers they have the order of the numbers.
constexpr std::int64_t magnitude_bits = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t infinity_bits = 0x7FF0000000000000;

std::int64_t bits_of(double value) {
  return std::bit_cast<std::int64_t>(value) & magnitude_bits;
}

struct Extent {
  std::int64_t least = magnitude_bits, most = 0;  // of the magnitudes above the limit; `most` of all
  std::int64_t count = 0;
};

TUNESMITH_VECTORIZED Extent extent_of(const double* values, std::size_t size, std::int64_t above) {
  std::int64_t least = magnitude_bits, most = 0, count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t bits = std::bit_cast<std::int64_t>(values[i]) & magnitude_bits;
    const std::int64_t chosen = bits > above ? bits : magnitude_bits;
    least = chosen < least ? chosen : least;
    most = bits > most ? bits : most;
    count += bits > above ? 1 : 0;
  }
  return {least, most, count};
}

[[noreturn]] void refuse(std::span<const double> values, const char* what) {
  std::size_t i = 0;
  while (i + 1 < values.size() && std::isfinite(values[i])) ++i;
  throw Error(std::string(what) + " " + std::to_string(i) + " is not a finite number");
}

// Stable by the digits of `width` bits from bit `low` on, the least first; ends in `from` if their number is even.
template <int width>
void sort_digits(std::uint64_t* from, std::uint64_t* to, std::size_t size, int low, int digits) {
  constexpr std::size_t buckets = std::size_t{1} << width;
  for (int digit = 0; digit < digits; ++digit, low += width) {
    std::array<std::uint32_t, buckets> next{};
    for (std::size_t i = 0; i < size; ++i) ++next[(from[i] >> low) & (buckets - 1)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), 0U);
    for (std::size_t i = 0; i < size; ++i) to[next[(from[i] >> low) & (buckets - 1)]++] = from[i];
    std::swap(from, to);
  }
}

// Numbers below this are sorted by two digits at once; more of them by a first digit into parts that fit a cache.
constexpr std::size_t large = std::size_t{1} << 17;
constexpr int first_width = 11;

// Leading bits: enough that few of the numbers agree in all of them.
int leading_bits(std::size_t size) {
  if (size < 2048) return 16;
  return size < large ? 22 : first_width + 16;
}

void sort_large(std::uint64_t* records, std::uint64_t* spare, std::size_t size) {
  constexpr std::size_t parts = std::size_t{1} << first_width;
  constexpr int low = 32 + 16;
  std::vector<std::uint32_t> ends(parts);
  for (std::size_t i = 0; i < size; ++i) ++ends[records[i] >> low];
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0U);
  for (std::size_t i = 0; i < size; ++i) spare[ends[records[i] >> low]++] = records[i];
  std::size_t begin = 0;
  for (const std::uint32_t end : ends) {
    // Whole records are in order by lead and place: any sort of integers is stable.
    if (end - begin < 64)
      std::sort(spare + begin, spare + end);
    else
      sort_digits<8>(spare + begin, records + begin, end - begin, 32, 2);
    begin = end;
  }
}

}  // namespace

MagnitudeOrder::MagnitudeOrder(std::span<const double> values, double above, const char* what) {
  if (values.size() > (std::size_t{1} << 31)) throw Error("more than 2^31 numbers cannot be sorted");
  const std::int64_t limit = bits_of(above);
  const Extent extent = extent_of(values.data(), values.size(), limit);
  if (extent.most >= infinity_bits) refuse(values, what);
  size_ = static_cast<std::size_t>(extent.count);
  if (size_ == 0) return;
  const auto spread = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent.most - extent.least)));
  const int shift = std::max(spread - leading_bits(size_), 0);
  // One more than needed: a record is written before it is known to be kept.
  records_ = std::make_unique_for_overwrite<Record[]>(size_ + 1);
  std::size_t kept = 0, falls = 0;
  std::int64_t previous = magnitude_bits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t bits = bits_of(values[i]);
    const bool keep = bits > limit;
    records_[kept] = static_cast<Record>((extent.most - bits) >> shift) << 32 | static_cast<Record>(i) << 1 |
                     std::bit_cast<std::uint64_t>(values[i]) >> 63;
    kept += keep ? 1 : 0;
    falls += keep && bits > previous ? 1 : 0;
    previous = keep ? bits : previous;
  }
  if (falls == 0 || sort_nearly_sorted(values, falls)) return;
  std::unique_ptr<Record[]> other = std::make_unique_for_overwrite<Record[]>(size_ + 1);
  if (size_ < 2048) {
    sort_digits<8>(records_.get(), other.get(), size_, 32, 2);
  } else if (size_ < large) {
    sort_digits<11>(records_.get(), other.get(), size_, 32, 2);
  } else {
    sort_large(records_.get(), other.get(), size_);
    std::swap(records_, other);
  }
  if (shift > 0) sort_equal_leads(values);
}

bool MagnitudeOrder::sort_nearly_sorted(std::span<const double> values, std::size_t falls) {
  if (falls > size_ / 16) return false;
  const auto bits = [&](Record record) { return bits_of(values[place_of(record)]); };
  const auto before = [&](Record a, Record b) {
    return bits(a) != bits(b) ? bits(a) > bits(b) : place_of(a) < place_of(b);
  };
  // What stays is in order. A number above the last one that stays goes, or that one does, if it is lower than its
  // neighbours on both sides: else a single low number would drive out all that follow.
  std::vector<Record> out_of_place;
  const std::unique_ptr<Record[]> stay = std::make_unique_for_overwrite<Record[]>(size_);
  std::size_t count = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const Record record = records_[i];
    if (count > 0 && bits(record) > bits(stay[count - 1])) {
      if (out_of_place.size() >= size_ / 8) return false;
      if (count > 1 && bits(record) > bits(stay[count - 2])) {
        out_of_place.push_back(record);
        continue;
      }
      out_of_place.push_back(stay[--count]);
    }
    stay[count++] = record;
  }
  std::sort(out_of_place.begin(), out_of_place.end(), before);
  std::merge(stay.get(), stay.get() + count, out_of_place.begin(), out_of_place.end(), records_.get(), before);
  return true;
}

void MagnitudeOrder::sort_equal_leads(std::span<const double> values) {
  const auto before = [&](Record a, Record b) {
    const std::int64_t left = bits_of(values[place_of(a)]), right = bits_of(values[place_of(b)]);
    return left != right ? left > right : a < b;  // equal leads: a < b is the order of the places
  };
  Record* records = records_.get();
  for (std::size_t begin = 0, size = size_; begin + 1 < size; ++begin) {
    if ((records[begin] ^ records[begin + 1]) >> 32 != 0) continue;
    std::size_t end = begin + 2;
    while (end < size && (records[begin] ^ records[end]) >> 32 == 0) ++end;
    std::sort(records + begin, records + end, before);
    begin = end - 1;
  }
}

}  // namespace tunesmith
