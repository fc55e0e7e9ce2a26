// Numbers ranked by falling magnitude: the sort in front of every sorted norm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/memory/scratch.hpp"
#include "base/memory/workspace.hpp"
#include "base/vectors.hpp"

namespace tunesmith {

struct Buckets;

// Numbers, or those of them whose magnitude is above a limit, by falling magnitude. The rank of a number is how
// many have a larger magnitude: equals have the same.
class MagnitudeRanks {
 public:
  // Numbers are put into small buckets (BucketMap), and compared with all in the same bucket; a bucket that became
  // large is treated in the same way again, or sorted in the end. If each holds one magnitude, nothing is
  // compared. No number moves far from the cache it is in: neither here nor when ranks are asked for in the order
  // of the numbers. O(n) where the buckets fill evenly, never worse than O(n log n). Numbers that are nearly in
  // order stay where they are. Throws Error if one of them is NaN or infinite (`what` names it), or if there are
  // 2³¹ or more. With a limit below 0 all are ranked.
  MagnitudeRanks(std::span<const double> values, double above, const char* what,
                 Vectors vectors = widest_vectors());

  // Numbers that were ranked: all, or, if many are not above the limit, those that are.
  std::size_t size() const { return size_; }
  // Rank of the i-th number, in the order in which the numbers were given.
  std::uint32_t rank(std::size_t i) const { return rank_at_[place(i)]; }
  // If not all were ranked: where this one stands among the numbers given, and whether it is below 0.
  std::uint32_t given_at(std::size_t i) const { return given_[i] >> 1; }
  bool negative(std::size_t i) const { return (given_[i] & 1) != 0; }
  // The magnitudes, the largest first. They may be changed, and there is room for one more at either end.
  double* sorted() { return sorted_; }
  const double* sorted() const { return sorted_; }
  // Room for size() + 8 doubles that ranking needed and nobody needs any more.
  double* spare() { return magnitudes_; }
  // by_rank[rank(i)] for every i at [place(i)], in the spare room. Neighbours in the order given are far apart in
  // rank, but their places go through each bucket from front to end: so this is the way round to take for all of
  // them, if they do not fit a cache. Numbers of few magnitudes share places. There must be a readable number
  // after the last of by_rank.
  const double* at_places(const double* by_rank);
  std::uint32_t place(std::size_t i) const {
    return place_ == nullptr ? static_cast<std::uint32_t>(i) : place_[i];
  }
  // All of them at once: places, unless they are nearly sorted, and the ranks there.
  const std::uint32_t* places() const { return place_; }
  const std::uint32_t* ranks_at() const { return rank_at_; }
  // Whether each has its own number as its place: then neighbours are neighbours in rank as well, nearly always.
  bool nearly_sorted() const { return place_ == nullptr; }

 private:
  // Arrays for the buckets of one level; the next level has those of one of these buckets.
  struct Level {
    std::uint32_t *starts, *place, *rank_at;
    double* magnitudes;
  };
  struct Extent;

  static Extent extent_of(const double* values, std::size_t size, std::int64_t above);
  // The number of places.
  std::size_t rank_all(const double* values, std::size_t size, const Extent& extent, std::uint32_t first,
                       const Level& level, std::size_t depth);
  void rank_part(const double* values, std::size_t size, std::uint32_t first, std::uint32_t* ranks,
                 std::size_t depth);
  void sort_part(const double* values, std::size_t size, std::uint32_t first, std::uint32_t* ranks);
  void rank_buckets(const Buckets& buckets, std::size_t begin, std::size_t end, std::uint32_t first,
                    std::uint32_t* ranks);

  Vectors vectors_;
  std::size_t size_ = 0, places_ = 0;
  std::optional<Workspace> workspace_;
  double *sorted_ = nullptr, *magnitudes_ = nullptr;
  std::uint32_t *place_ = nullptr, *rank_at_ = nullptr, *given_ = nullptr;
  // Room of the levels below the first. Numbers that are still together after this number of levels are sorted.
  struct Room {
    Scratch<std::byte> memory;
    std::size_t bytes = 0;
  };
  std::array<Room, 4> rooms_;
};

}  // namespace tunesmith
