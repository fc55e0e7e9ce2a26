#include "tuning/graphs/graph_gains.hpp"

#include <algorithm>
#include <cmath>

namespace tunesmith {
namespace {

std::size_t order_of(std::span<const double> row) {
  return row.size() / 2 - 1;
}

struct Lengths {
  double mine, its;
  double factor(bool by_length) const {
    const double penalty = mine >= its ? 1.0 : mine > 0 ? std::exp(1.0 - its / mine) : 0.0;
    return by_length ? penalty * its : penalty;
  }
};

}  // namespace

GraphGains::GraphGains(const std::vector<std::vector<std::int32_t>>& references, int order, LengthRule length)
    : matches_(references, order), length_(length) {}

void GraphGains::statistics(std::span<const std::int32_t> words, std::vector<double>& row) {
  const auto order = static_cast<std::size_t>(matches_.order());
  row.assign(2 + 2 * order, 0.0);
  row[0] = static_cast<double>(words.size());
  row[1] = reference_length(matches_.lengths(), words.size(), length_);
  matches_.match(words, row.data() + 2);
  for (std::size_t n = 0; n < order; ++n)
    row[2 + order + n] = words.size() > n ? static_cast<double>(words.size() - n) : 0.0;
}

double GraphGains::gain(std::span<const double> row, std::span<const double> background,
                        const PseudoCorpusOptions& options) {
  const std::size_t order = order_of(row);
  double matches = 1, totals = 1;  // in the order of PseudoCorpusGains
  for (std::size_t n = 2; n < 2 + order; ++n) {
    matches *= background[n] + row[n];
    totals *= background[n + order] + row[n + order];
  }
  if (!(matches > 0) || !(totals > 0)) return 0;
  const double factor = Lengths{background[0] + row[0], background[1] + row[1]}.factor(options.scale_by_length);
  return order == 4 ? factor * std::sqrt(std::sqrt(matches / totals))
                    : factor * std::pow(matches / totals, 1.0 / static_cast<double>(order));
}

LinearGain GraphGains::slopes(std::span<const double> row, std::span<const double> background,
                              const PseudoCorpusOptions& options) {
  const std::size_t order = order_of(row);
  // Where nothing matches the gain has no slope: half a match is there.
  std::vector<double> point(row.begin(), row.end());
  for (std::size_t n = 0; n < order; ++n) {
    if (background[2 + n] + point[2 + n] <= 0) point[2 + n] = 0.5;
    if (background[2 + order + n] + point[2 + order + n] <= 0) point[2 + order + n] = 1;
  }
  const Lengths lengths{background[0] + point[0], background[1] + point[1]};
  const double value = gain(point, background, options), share = value / static_cast<double>(order);
  LinearGain out{0, std::vector<double>(order)};
  for (std::size_t n = 0; n < order; ++n) {
    out.per_match[n] = share / (background[2 + n] + point[2 + n]);
    out.per_word -= share / (background[2 + order + n] + point[2 + order + n]);
  }
  if (lengths.mine < lengths.its && lengths.mine > 0)
    out.per_word += value * lengths.its / (lengths.mine * lengths.mine);
  return out;
}

std::vector<double> GraphGains::good_row() const {
  constexpr double precision = 0.8, ratio = 0.75;
  const auto order = static_cast<std::size_t>(matches_.order());
  double length = 0;
  for (const std::uint32_t one : matches_.lengths()) length += one;
  length = std::max(1.0, length / static_cast<double>(matches_.lengths().size()));
  std::vector<double> row(2 + 2 * order, length);
  for (std::size_t n = 0; n < order; ++n) {
    row[2 + order + n] = std::max(1.0, length - static_cast<double>(n));
    row[2 + n] = row[2 + order + n] * precision * std::pow(ratio, n);
  }
  return row;
}

}  // namespace tunesmith
