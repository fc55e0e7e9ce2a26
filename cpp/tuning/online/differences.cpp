#include "tuning/online/differences.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/finite.hpp"
#include "base/narrow.hpp"
#include "tuning/losses/gradient_blocks.hpp"
#include "tuning/online/row_difference.hpp"

namespace tunesmith {
namespace {

constexpr std::size_t subtracted_at_once = 1 << 14;

// A set of columns, one bit each, that many threads may put columns into.
class ColumnSet {
 public:
  explicit ColumnSet(std::size_t columns) : words_(columns / 64 + 1) {}
  void add(std::size_t column) {
    std::atomic<std::uint64_t>& word = words_[column / 64];
    const std::uint64_t bit = std::uint64_t{1} << (column % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  bool holds(std::size_t column) const { return (word(column / 64) >> (column % 64) & 1) != 0; }
  // Prepares place().
  void count() {
    before_.resize(words_.size());
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      before_[i] = sum;
      sum += static_cast<std::uint32_t>(std::popcount(word(i)));
    }
  }
  // How many columns of the set are smaller.
  std::uint32_t place(std::size_t column) const {
    const std::uint64_t below = (std::uint64_t{1} << (column % 64)) - 1;
    return before_[column / 64] + static_cast<std::uint32_t>(std::popcount(word(column / 64) & below));
  }
  std::vector<std::uint32_t> columns() const {
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t rest = word(i); rest != 0; rest &= rest - 1)
        found.push_back(static_cast<std::uint32_t>(64 * i) + static_cast<std::uint32_t>(std::countr_zero(rest)));
    return found;
  }

 private:
  std::uint64_t word(std::size_t i) const { return words_[i].load(std::memory_order_relaxed); }
  std::vector<std::atomic<std::uint64_t>> words_;
  std::vector<std::uint32_t> before_;
};

// Entries of one block of pairs, by column.
struct Block {
  std::vector<std::uint32_t> sizes, columns;
  std::vector<float> values;
};

}  // namespace

void check_differences(const Differences& d) {
  if (d.offsets.empty() || d.offsets.front() != 0 || d.offsets.back() != static_cast<std::int64_t>(d.ids.size()) ||
      !std::is_sorted(d.offsets.begin(), d.offsets.end()))
    throw Error("offsets of pairs must rise from 0 to the number of entries, " + std::to_string(d.ids.size()));
  if (d.values.size() != d.ids.size()) throw Error("there must be as many values as ids");
  if (d.dense.size() != d.size() * d.dense_columns) throw Error("there must be one dense row for each pair");
  for (std::size_t pair = 0; pair < d.size(); ++pair)
    for (std::size_t at = d.begin(pair); at < d.end(pair); ++at) {
      if (d.ids[at] >= d.penalised)
        throw Error("pair " + std::to_string(pair) + " has the id " + std::to_string(d.ids[at]) +
                    ", there are only " + std::to_string(d.penalised));
      if (at > d.begin(pair) && d.ids[at] <= d.ids[at - 1])
        throw Error("the ids of pair " + std::to_string(pair) + " do not ascend");
    }
  if (!all_finite(d.values) || !all_finite(d.dense)) throw Error("values of pairs must be finite numbers");
}

StoredDifferences make_differences(const CandidateMatrix& matrix, std::span<const std::int64_t> better,
                                   std::span<const std::int64_t> worse, std::span<const std::int64_t> penalised,
                                   int threads) {
  const std::size_t columns = matrix.columns(), pairs = better.size();
  if (worse.size() != pairs) throw Error("there must be as many better as worse candidates");
  for (const auto candidates : {better, worse})
    for (const std::int64_t candidate : candidates)
      if (candidate < 0 || candidate >= static_cast<std::int64_t>(matrix.rows()))
        throw Error("there is no candidate " + std::to_string(candidate));
  ColumnSet shrunk(columns), seen(columns);
  for (std::size_t i = 0; i < penalised.size(); ++i) {
    if (penalised[i] < 0 || penalised[i] >= static_cast<std::int64_t>(columns))
      throw Error("there is no column " + std::to_string(penalised[i]) + " among " + std::to_string(columns));
    if (i > 0 && penalised[i] <= penalised[i - 1]) throw Error("penalised columns must ascend");
    shrunk.add(static_cast<std::size_t>(penalised[i]));
  }
  StoredDifferences result;
  if (columns - penalised.size() > most_unpenalised)
    throw Error(std::to_string(columns - penalised.size()) + " features would be left without penalty; at most " +
                std::to_string(most_unpenalised) + " may be. Let the penalty reach the sparse ones too.");
  for (std::size_t column = 0; result.unpenalised.size() < columns - penalised.size(); ++column)
    if (!shrunk.holds(column)) result.unpenalised.push_back(static_cast<std::uint32_t>(column));
  const std::size_t width = result.unpenalised.size();
  result.dense.assign(pairs * width, 0.0);

  std::vector<Block> blocks((pairs + subtracted_at_once - 1) / subtracted_at_once);
  parallel_ranges(blocks.size(), threads, [&](std::size_t first, std::size_t last) {
    RowDifference rows;
    for (std::size_t b = first; b < last; ++b) {
      Block& block = blocks[b];
      for (std::size_t pair = b * subtracted_at_once; pair < std::min(pairs, (b + 1) * subtracted_at_once);
           ++pair) {
        const std::size_t before = block.columns.size();
        rows.visit(
            matrix, static_cast<std::size_t>(better[pair]), static_cast<std::size_t>(worse[pair]),
            [&](std::uint32_t column, double value) {
              if (!std::isfinite(static_cast<float>(value)))
                throw Error("pair " + std::to_string(pair) +
                            " has a value that is not a finite number of single "
                            "precision, in column " +
                            std::to_string(column));
              if (!shrunk.holds(column)) {
                const auto at = std::lower_bound(result.unpenalised.begin(), result.unpenalised.end(), column);
                result.dense[pair * width + static_cast<std::size_t>(at - result.unpenalised.begin())] = value;
              } else if (static_cast<float>(value) != 0) {
                seen.add(column);
                block.columns.push_back(column);
                block.values.push_back(static_cast<float>(value));
              }
            });
        block.sizes.push_back(narrow<std::uint32_t>(block.columns.size() - before));
      }
    }
  });

  seen.count();
  result.penalised = seen.columns();
  std::size_t entries = 0;
  for (const Block& block : blocks) entries += block.columns.size();
  result.offsets.reserve(pairs + 1);
  result.offsets.push_back(0);
  result.ids.reserve(entries);
  result.values.reserve(entries);
  for (Block& block : blocks) {  // each is given back at once: the peak is one copy of the entries, not two
    for (const std::uint32_t size : block.sizes) result.offsets.push_back(result.offsets.back() + size);
    for (const std::uint32_t column : block.columns) result.ids.push_back(seen.place(column));
    result.values.insert(result.values.end(), block.values.begin(), block.values.end());
    block = {};
  }
  return result;
}

void margins(const Differences& d, std::span<const double> penalised, std::span<const double> dense,
             std::span<double> out, int threads) {
  if (penalised.size() != d.penalised || dense.size() != d.dense_columns || out.size() != d.size())
    throw Error("weights do not fit the differences");
  parallel_ranges(d.size(), threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t pair = first; pair < last; ++pair) {
      double sum = 0;
      for (std::size_t i = 0; i < d.dense_columns; ++i) sum += d.dense[pair * d.dense_columns + i] * dense[i];
      for (std::size_t at = d.begin(pair); at < d.end(pair); ++at)
        sum += static_cast<double>(d.values[at]) * penalised[d.ids[at]];
      out[pair] = sum;
    }
  });
}

std::size_t pairs_a_block(std::size_t pairs) {
  return std::clamp<std::size_t>((pairs + 31) / 32, 256, 1 << 16);
}

void combine(const Differences& d, std::span<const double> coefficients, std::span<double> penalised,
             std::span<double> dense, int threads, std::size_t a_block) {
  if (penalised.size() != d.penalised || dense.size() != d.dense_columns || coefficients.size() != d.size())
    throw Error("coefficients do not fit the differences");
  std::vector<double> sum(d.penalised + d.dense_columns);
  const auto make_work = [&] {
    return [&](std::size_t pair, auto&& out) {
      const double coefficient = coefficients[pair];
      if (coefficient == 0) return 0.0;
      expect_in(out, d.dense_columns + d.end(pair) - d.begin(pair));
      for (std::size_t i = 0; i < d.dense_columns; ++i)
        add_to(out, d.penalised + i, coefficient * d.dense[pair * d.dense_columns + i]);
      for (std::size_t at = d.begin(pair); at < d.end(pair); ++at)
        add_to(out, d.ids[at], coefficient * static_cast<double>(d.values[at]));
      return 0.0;
    };
  };
  const std::size_t size = a_block == 0 ? pairs_a_block(d.size()) : a_block;
  sum_over_sentences(d.size(), sum, threads, make_work, size);
  std::copy_n(sum.begin(), d.penalised, penalised.begin());
  std::copy_n(sum.begin() + static_cast<std::ptrdiff_t>(d.penalised), d.dense_columns, dense.begin());
}

void dense_products(const Differences& d, std::span<const double> coefficients, std::span<double> out, int threads,
                    std::size_t a_block) {
  const std::size_t width = d.dense_columns;
  if (out.size() != width * width || coefficients.size() != d.size())
    throw Error("coefficients do not fit the differences");
  const auto make_work = [&] {
    return [&](std::size_t pair, std::span<double> sum) {
      if (coefficients[pair] == 0) return 0.0;
      const std::span<const double> row = d.dense_row(pair);
      for (std::size_t i = 0; i < width; ++i) {
        const double scale = coefficients[pair] * row[i];
        for (std::size_t j = 0; j < width; ++j) sum[i * width + j] += scale * row[j];
      }
      return 0.0;
    };
  };
  sum_over_sentences(d.size(), out, threads, make_work, a_block == 0 ? pairs_a_block(d.size()) : a_block);
}

void descend_to_centre(const Differences& d, std::span<const std::uint32_t> order, double strength,
                       std::span<double> multipliers, std::span<double> penalised, std::span<double> dense) {
  if (penalised.size() != d.penalised || dense.size() != d.dense_columns || multipliers.size() != d.size())
    throw Error("weights or multipliers do not fit the differences");
  if (!(strength > 0) || !std::isfinite(strength)) throw Error("the strength must be a number above 0");
  for (const std::uint32_t pair : order) {
    if (pair >= d.size()) throw Error("there is no pair " + std::to_string(pair));
    const std::span<const double> row = d.dense_row(pair);
    double margin = 0, square = 0;
    for (std::size_t i = 0; i < row.size(); ++i) margin += row[i] * dense[i], square += row[i] * row[i];
    for (std::size_t at = d.begin(pair); at < d.end(pair); ++at) {
      const double value = static_cast<double>(d.values[at]);
      margin += value * penalised[d.ids[at]];
      square += value * value;
    }
    if (square == 0) continue;  // nothing of the pair depends on weights
    const double before = multipliers[pair];
    const double after = std::clamp(before + strength * (1 - margin) / square, 0.0, 1.0);
    if (after == before) continue;
    multipliers[pair] = after;
    const double step = (after - before) / strength;
    for (std::size_t i = 0; i < row.size(); ++i) dense[i] += step * row[i];
    for (std::size_t at = d.begin(pair); at < d.end(pair); ++at)
      penalised[d.ids[at]] += step * static_cast<double>(d.values[at]);
  }
}

}  // namespace tunesmith
