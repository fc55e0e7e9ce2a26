// Numbers by falling magnitude: the sort in front of every sorted norm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tunesmith {

// The places of those of some numbers whose magnitude is above a limit, the largest first; equals keep their order.
class MagnitudeOrder {
 public:
  // Numbers that are nearly in order: those out of place are taken out, sorted and merged back. Others: radix sort
  // of leading bits, then the few that agree in these by all of their bits. O(n) unless most numbers agree in
  // their leading bits, never worse than O(n log n). Throws Error if one of them is NaN or infinite (`what` names
  // it), or if there are more than 2³¹.
  MagnitudeOrder(std::span<const double> values, double above, const char* what);

  std::size_t size() const { return size_; }
  // Where the i-th largest stands among the numbers given, and whether it is below 0.
  std::uint32_t place(std::size_t i) const { return place_of(records_[i]); }
  bool negative(std::size_t i) const { return (records_[i] & 1) != 0; }

 private:
  // Leading bits of the distance from the largest (32) | place (31) | sign (1): rising in the order we want, as far
  // as the leading bits tell.
  using Record = std::uint64_t;
  static std::uint32_t place_of(Record record) { return static_cast<std::uint32_t>(record) >> 1; }

  bool sort_nearly_sorted(std::span<const double> values, std::size_t falls);
  void sort_equal_leads(std::span<const double> values);

  std::size_t size_ = 0;
  std::unique_ptr<Record[]> records_;
};

}  // namespace tunesmith
