#include "search/matrices/plain_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {

void PlainBuilder::end_row() {
  const auto begin = static_cast<std::size_t>(offsets_.back());
  const auto of_row = std::span(ids_).subspan(begin);
  if (!std::is_sorted(of_row.begin(), of_row.end())) {
    sorted_.clear();
    for (std::size_t i = begin; i < ids_.size(); ++i) sorted_.emplace_back(ids_[i], values_[i]);
    std::sort(sorted_.begin(), sorted_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = begin; i < ids_.size(); ++i) {
      ids_[i] = sorted_[i - begin].first;
      values_[i] = sorted_[i - begin].second;
    }
  }
  if (const auto twice = std::adjacent_find(of_row.begin(), of_row.end()); twice != of_row.end()) {
    repeated_ = *twice;
    ids_.resize(begin);
    values_.resize(begin);
    throw Error("feature " + std::to_string(*twice) + " has two values in row " + std::to_string(rows()));
  }
  offsets_.push_back(static_cast<std::int64_t>(ids_.size()));
}

std::vector<std::uint32_t> PlainBuilder::stated(std::size_t columns) const {
  std::vector<std::size_t> counts(columns);
  std::vector<bool> zero(columns);
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    ++counts[ids_[i]];
    if (values_[i] == 0) zero[ids_[i]] = true;
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t column = 0; column < columns; ++column)
    if (counts[column] > 0 && (counts[column] == rows() || (zero[column] && 2 * counts[column] >= rows())))
      found.push_back(column);
  return found;
}

PlainBuilder PlainBuilder::take_behind(std::size_t count) {
  PlainBuilder others;
  if (rows() <= count) return others;
  const std::int64_t begin = offsets_[count];
  for (std::size_t r = count; r < rows(); ++r) others.offsets_.push_back(offsets_[r + 1] - begin);
  others.ids_.assign(ids_.begin() + begin, ids_.end());
  others.values_.assign(values_.begin() + begin, values_.end());
  offsets_.resize(count + 1);
  ids_.resize(static_cast<std::size_t>(begin));
  values_.resize(static_cast<std::size_t>(begin));
  return others;
}

template <class Value>
PlainStorage<Value> split_columns(std::size_t columns, std::span<const std::int64_t> offsets,
                                  std::span<const std::uint32_t> ids, std::span<const double> values) {
  constexpr auto sparse = std::numeric_limits<std::uint32_t>::max();
  PlainStorage<Value> out;
  out.rows = offsets.size() - 1;
  out.columns = columns;
  std::vector<std::uint32_t> counts(columns), place(columns, sparse);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= columns) throw Error("feature " + std::to_string(ids[i]) + " is none of the columns");
    counts[ids[i]] += values[i] != 0;
  }
  std::size_t pairs = 0;
  for (std::size_t column = 0; column < columns; ++column)
    if (columns <= few_columns || (counts[column] > 0 && 2 * std::size_t{counts[column]} >= out.rows)) {
      place[column] = narrow<std::uint32_t>(out.dense_ids.size());
      out.dense_ids.push_back(static_cast<std::uint32_t>(column));
    } else {
      pairs += counts[column];
    }
  const std::size_t width = out.dense_ids.size();
  out.dense.resize(out.rows * width);
  out.offsets.reserve(out.rows + 1);
  out.ids.reserve(pairs);
  out.values.reserve(pairs);
  for (std::size_t r = 0; r < out.rows; ++r) {
    for (auto i = static_cast<std::size_t>(offsets[r]); i < static_cast<std::size_t>(offsets[r + 1]); ++i) {
      const auto value = static_cast<Value>(values[i]);
      if (const std::uint32_t at = place[ids[i]]; at != sparse) {
        out.dense[r * width + at] = value;
      } else if (values[i] != 0) {
        out.ids.push_back(ids[i]);
        out.values.push_back(value);
      }
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.ids.size()));
  }
  return out;
}

template PlainStorage<float> split_columns(std::size_t, std::span<const std::int64_t>,
                                           std::span<const std::uint32_t>, std::span<const double>);
template PlainStorage<double> split_columns(std::size_t, std::span<const std::int64_t>,
                                            std::span<const std::uint32_t>, std::span<const double>);

PlainStorage<double> project(const CandidateMatrix& matrix, const Projection& projection) {
  const auto& p = projection;
  if (p.offsets.size() != matrix.columns() + 1 || p.offsets.front() != 0 || p.ids.size() != p.values.size() ||
      p.offsets.back() != static_cast<std::int64_t>(p.ids.size()) ||
      !std::is_sorted(p.offsets.begin(), p.offsets.end()))
    throw Error("the projection must have a row for each of the " + std::to_string(matrix.columns()) + " columns");
  for (const std::uint32_t id : p.ids)
    if (id >= p.groups) throw Error("the projection names group " + std::to_string(id) + ", which does not exist");
  PlainBuilder builder;
  std::vector<double> sums(p.groups);
  std::vector<bool> seen(p.groups);
  std::vector<std::uint32_t> ids, touched;
  std::vector<double> values;
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    ids.clear();
    values.clear();
    touched.clear();
    matrix.row(r, ids, values);
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (auto k = static_cast<std::size_t>(p.offsets[ids[i]]);
           k < static_cast<std::size_t>(p.offsets[ids[i] + 1]); ++k) {
        const std::uint32_t group = p.ids[k];
        if (!seen[group]) touched.push_back(group);
        seen[group] = true;
        sums[group] += values[i] * p.values[k];
      }
    std::sort(touched.begin(), touched.end());
    for (const std::uint32_t group : touched) {
      builder.add(group, sums[group]);
      sums[group] = 0;
      seen[group] = false;
    }
    builder.end_row();
  }
  return std::move(builder).finish<double>(p.groups);
}

bool fits_float(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) {
    return std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max()) &&
           static_cast<double>(static_cast<float>(value)) == value;
  });
}

}  // namespace tunesmith
