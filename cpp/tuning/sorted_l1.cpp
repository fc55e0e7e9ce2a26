#include "tuning/sorted_l1.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace tunesmith {
namespace {

struct Entry {
  double size;  // |w|
  std::size_t index;
};

// Weights that are not 0, the largest first; equal ones in the order of their indices.
std::vector<Entry> by_size(std::span<const double> w) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (!std::isfinite(w[i])) throw Error("weight " + std::to_string(i) + " is not a finite number");
    if (w[i] != 0) entries.push_back({std::abs(w[i]), i});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.size != b.size ? a.size > b.size : a.index < b.index; });
  return entries;
}

// Neighbours that got the same value.
struct Block {
  double sum;
  std::size_t begin, end;
  double mean() const { return sum / static_cast<double>(end - begin); }
};

template <class Penalty>
void prox(std::span<const double> w, Penalty penalty, double step, std::span<double> out) {
  const std::vector<Entry> entries = by_size(w);
  std::vector<Block> blocks;
  blocks.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Block block{entries[i].size - step * penalty(i), i, i + 1};
    // A larger value behind a smaller one would turn the order round: they become equal.
    while (!blocks.empty() && blocks.back().mean() <= block.mean()) {
      block = {blocks.back().sum + block.sum, blocks.back().begin, block.end};
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::vector<double> result(w.size(), 0.0);
  for (const Block& block : blocks) {
    const double value = std::max(block.mean(), 0.0);
    for (std::size_t i = block.begin; i < block.end; ++i)
      result[entries[i].index] = std::copysign(value, w[entries[i].index]);
  }
  std::copy(result.begin(), result.end(), out.begin());
}

void check_sizes(std::span<const double> w, double step, std::span<const double> out) {
  if (out.size() != w.size()) throw Error("`out` must be as long as the weights");
  if (!(step >= 0) || !std::isfinite(step)) throw Error("the step must be a number of at least 0");
}

void check_oscar(std::span<const double> w, std::size_t dimension, double l1, double l2) {
  if (!(l1 >= 0) || !(l2 >= 0) || !std::isfinite(l1) || !std::isfinite(l2))
    throw Error("the strengths l1 and l2 must be numbers of at least 0");
  if (dimension < w.size())
    throw Error("a dimension of " + std::to_string(dimension) + " is too small for " + std::to_string(w.size()) +
                " weights");
}

}  // namespace

void prox_sorted_l1(std::span<const double> w, std::span<const double> penalties, double step,
                    std::span<double> out) {
  check_sizes(w, step, out);
  if (penalties.size() != w.size()) throw Error("there must be one penalty for each weight");
  for (std::size_t i = 0; i < penalties.size(); ++i)
    if (!std::isfinite(penalties[i]) || penalties[i] < 0 || (i > 0 && penalties[i] > penalties[i - 1]))
      throw Error("penalties must not increase and not be negative; penalty " + std::to_string(i) +
                  " does not fit");
  prox(w, [&](std::size_t i) { return penalties[i]; }, step, out);
}

void prox_oscar(std::span<const double> w, std::size_t dimension, double l1, double l2, double step,
                std::span<double> out) {
  check_sizes(w, step, out);
  check_oscar(w, dimension, l1, l2);
  prox(w, [&](std::size_t i) { return l1 + l2 * static_cast<double>(dimension - 1 - i); }, step, out);
}

double oscar_value(std::span<const double> w, std::size_t dimension, double l1, double l2) {
  check_oscar(w, dimension, l1, l2);
  double value = 0;
  const std::vector<Entry> entries = by_size(w);
  for (std::size_t i = 0; i < entries.size(); ++i)
    value += entries[i].size * (l1 + l2 * static_cast<double>(dimension - 1 - i));
  return value;
}

}  // namespace tunesmith
