#include "tuning/losses/distinct_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"

namespace tunesmith {

template <class T>
DistinctStatistics::DistinctStatistics(const Lists& lists, const T* statistics, std::size_t width, int threads)
    : width_(width), first_(lists.size() + 1), row_of_(lists.rows()) {
  for (std::size_t i = 0; i < lists.rows() * width; ++i)
    if (!std::isfinite(static_cast<double>(statistics[i])))
      throw Error("the statistics of candidate " + std::to_string(i / width) + " are not finite numbers");
  // Candidates of each sentence in the order of their rows; then distinct rows are counted, then copied.
  std::vector<std::uint32_t> order(lists.rows());
  const auto row = [&](std::size_t candidate) { return statistics + candidate * width; };
  parallel_ranges(lists.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const std::size_t from = lists.begin(s), length = lists.length(s);
      std::uint32_t* sorted = order.data() + from;
      std::iota(sorted, sorted + length, 0U);
      std::sort(sorted, sorted + length, [&](std::uint32_t a, std::uint32_t b) {
        return std::lexicographical_compare(row(from + a), row(from + a) + width, row(from + b),
                                            row(from + b) + width);
      });
      std::uint32_t distinct = 0;
      for (std::size_t i = 0; i < length; ++i) {
        if (i > 0 && !std::equal(row(from + sorted[i]), row(from + sorted[i]) + width, row(from + sorted[i - 1])))
          ++distinct;
        row_of_[from + sorted[i]] = distinct;
      }
      first_[s + 1] = length == 0 ? 0 : distinct + 1;
    }
  });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  values_.resize(first_.back() * width);
  parallel_ranges(lists.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s)
      for (std::size_t c = lists.begin(s); c < lists.end(s); ++c)
        for (std::size_t i = 0; i < width; ++i)
          values_[first_[s] * width + i * count(s) + row_of_[c]] = static_cast<double>(row(c)[i]);
  });
}

template DistinctStatistics::DistinctStatistics(const Lists&, const std::int32_t*, std::size_t, int);
template DistinctStatistics::DistinctStatistics(const Lists&, const double*, std::size_t, int);

}  // namespace tunesmith
