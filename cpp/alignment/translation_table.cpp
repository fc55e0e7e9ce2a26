#include "alignment/translation_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/parallel.hpp"

namespace tunesmith {
namespace {

using Key = std::uint64_t;  // row and target word
constexpr std::size_t block_of_keys = std::size_t{1} << 24;

void sort_unique(std::vector<Key>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

// The derivative of log Γ: recurrence up to 6, then the asymptotic series (error below 1e-9).
double digamma(double x) {
  double shift = 0.0;
  for (; x < 6.0; x += 1.0) shift -= 1.0 / x;
  const double inverse = 1.0 / (x * x);
  return shift + std::log(x) - 0.5 / x -
         inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse * (1.0 / 252 - inverse * (1.0 / 240))));
}

}  // namespace

TranslationTable::TranslationTable(const WordNumbers& source, const WordNumbers& target,
                                   std::size_t source_words) {
  std::vector<Key> keys, block, merged;
  const auto merge_block = [&] {
    sort_unique(block);
    merged.clear();
    std::set_union(keys.begin(), keys.end(), block.begin(), block.end(), std::back_inserter(merged));
    keys.swap(merged);
    block.clear();
  };
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto f = source.of(i), e = target.of(i);
    if (f.empty() || e.empty()) continue;
    for (const WordId word : e) {
      block.push_back(static_cast<Key>(word));
      for (const WordId given : f) block.push_back((static_cast<Key>(given) + 1) << 32 | static_cast<Key>(word));
    }
    if (block.size() > block_of_keys) merge_block();
  }
  merge_block();
  begins_.assign(source_words + 2, 0);
  words_.reserve(keys.size());
  for (const Key key : keys) {
    ++begins_[(key >> 32) + 1];
    words_.push_back(static_cast<WordId>(key & 0xffffffff));
  }
  for (std::size_t row = 1; row < begins_.size(); ++row) begins_[row] += begins_[row - 1];
  probabilities_.resize(keys.size());
  counts_.assign(keys.size(), 0);
  for (std::size_t row = 0; row + 1 < begins_.size(); ++row)
    for (auto at = begins_[row]; at < begins_[row + 1]; ++at)
      probabilities_[static_cast<std::size_t>(at)] =
          static_cast<float>(1.0 / static_cast<double>(begins_[row + 1] - begins_[row]));
}

std::size_t TranslationTable::find(std::size_t row, WordId e) const {
  const auto begin = words_.begin() + begins_[row], end = words_.begin() + begins_[row + 1];
  return static_cast<std::size_t>(std::lower_bound(begin, end, e) - words_.begin());
}

void TranslationTable::normalize(double prior, int threads) {
  parallel_ranges(begins_.size() - 1, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const auto begin = static_cast<std::size_t>(begins_[row]), end = static_cast<std::size_t>(begins_[row + 1]);
      std::int64_t sum = 0;
      for (std::size_t at = begin; at < end; ++at) sum += counts_[at];
      const double total = static_cast<double>(sum) / count_unit;
      const double below = prior > 0 ? digamma(total + prior * static_cast<double>(end - begin)) : 0.0;
      for (std::size_t at = begin; at < end; ++at) {
        const double count = static_cast<double>(counts_[at]) / count_unit;
        const double p = prior > 0 ? std::exp(digamma(count + prior) - below) : sum > 0 ? count / total : 0.0;
        probabilities_[at] = static_cast<float>(p);
        counts_[at] = 0;
      }
    }
  });
}

}  // namespace tunesmith
