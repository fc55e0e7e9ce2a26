// Statistics of candidates as Python holds them.
#pragma once

#include <string>
#include <vector>

#include "bind/convert.hpp"
#include "tuning/losses/distinct_statistics.hpp"

namespace tunesmith::bind {

// Distinct statistics with the offsets they belong to.
struct HeldStatistics {
  template <class T>
  HeldStatistics(const Integers& given, const Rows<T>& table, int threads)
      : offsets(copy_of(given)),
        statistics(Lists(offsets, table.shape(0)), table.data(), table.shape(1), threads) {}

  Lists lists() const { return {offsets, statistics.rows()}; }
  void check_lines(std::size_t scores, std::size_t slopes) const {
    if (scores != statistics.rows() || slopes != statistics.rows())
      throw Error("there must be one score and one slope for each of " + std::to_string(statistics.rows()) +
                  " candidates");
  }
  void check_bleu() const {
    if (statistics.width() < 4 || statistics.width() % 2 != 0)
      throw Error("rows must have 2 + 2 × order statistics");
  }

  std::vector<std::int64_t> offsets;
  DistinctStatistics statistics;
};

}  // namespace tunesmith::bind
