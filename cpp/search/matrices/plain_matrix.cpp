#include "search/matrices/plain_matrix.hpp"

#include <string>

#include "base/error.hpp"
#include "base/finite.hpp"
#include "search/matrices/dense_dots.hpp"
#include "search/matrices/distinct_columns.hpp"
#include "search/matrices/noted_sum.hpp"

namespace tunesmith {
namespace {

void check_ascending(std::span<const std::uint32_t> ids, std::size_t columns, const char* what) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] >= columns || (i > 0 && ids[i] <= ids[i - 1]))
      throw Error(std::string(what) + " must rise and be below the number of columns, " + std::to_string(columns) +
                  ", which " + std::to_string(ids[i]) + " does not");
}

}  // namespace

template <class Value>
PlainMatrix<Value>::PlainMatrix(const PlainArrays<Value>& arrays) : arrays_(arrays) {
  const auto& a = arrays_;
  check_ascending(a.dense_ids, a.columns, "ids of dense columns");
  adjacent_ = !a.dense_ids.empty() && a.dense_ids.back() - a.dense_ids.front() + 1 == a.dense_ids.size();
  if (a.dense.size() != a.rows * a.dense_ids.size())
    throw Error("the dense block must have " + std::to_string(a.rows) + " rows of " +
                std::to_string(a.dense_ids.size()) + " values, got " + std::to_string(a.dense.size()) + " values");
  if (a.offsets.size() != a.rows + 1 || a.offsets.front() != 0 || a.ids.size() != a.values.size() ||
      a.offsets.back() != static_cast<std::int64_t>(a.ids.size()))
    throw Error("offsets must rise from 0 to the number of ids, one for each row and the end");
  if (!all_finite(a.dense) || !all_finite(a.values)) throw Error("a feature value is not a finite number");
  std::vector<bool> dense(a.columns);
  for (const std::uint32_t id : a.dense_ids) dense[id] = true;
  for (std::size_t r = 0; r < a.rows; ++r) {
    if (a.offsets[r + 1] < a.offsets[r] || a.offsets[r + 1] > a.offsets.back())
      throw Error("offsets must rise, which that of row " + std::to_string(r + 1) + " does not");
    const auto begin = static_cast<std::size_t>(a.offsets[r]), end = static_cast<std::size_t>(a.offsets[r + 1]);
    const auto ids = a.ids.subspan(begin, end - begin);
    check_ascending(ids, a.columns, "ids of a row");
    for (const std::uint32_t id : ids)
      if (dense[id]) throw Error("column " + std::to_string(id) + " is dense and must not be among the pairs");
  }
}

template <class Value>
const double* PlainMatrix<Value>::dense_weights(std::span<const double> w, std::vector<double>& scratch) const {
  if (adjacent_) return w.data() + arrays_.dense_ids.front();
  scratch.resize(arrays_.dense_ids.size());
  for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] = w[arrays_.dense_ids[i]];
  return scratch.data();
}

template <class Value>
void PlainMatrix<Value>::dots(std::size_t begin, std::size_t end, std::span<const double> w, double* out) const {
  std::vector<double> scratch;
  const double* const weights = dense_weights(w, scratch);
  const std::size_t width = arrays_.dense_ids.size();
  dense_dots(arrays_.dense.data() + begin * width, end - begin, width, weights, out);
  if (arrays_.ids.empty()) return;
  const std::uint32_t* const ids = arrays_.ids.data();
  const Value* const values = arrays_.values.data();
  for (std::size_t r = begin; r < end; ++r) {
    double sum = out[r - begin];
    for (std::int64_t i = arrays_.offsets[r]; i < arrays_.offsets[r + 1]; ++i)
      sum += w[ids[i]] * static_cast<double>(values[i]);
    out[r - begin] = sum;
  }
}

template <class Value>
void PlainMatrix<Value>::add_row(std::size_t row, double scale, std::span<double> w) const {
  const std::size_t width = arrays_.dense_ids.size();
  const Value* const dense = arrays_.dense.data() + row * width;
  for (std::size_t j = 0; j < width; ++j) w[arrays_.dense_ids[j]] += scale * static_cast<double>(dense[j]);
  for (auto i = static_cast<std::size_t>(arrays_.offsets[row]);
       i < static_cast<std::size_t>(arrays_.offsets[row + 1]); ++i)
    w[arrays_.ids[i]] += scale * static_cast<double>(arrays_.values[i]);
}

template <class Value>
void PlainMatrix<Value>::add_row(std::size_t row, double scale, NotedSum& sum) const {
  const std::size_t width = arrays_.dense_ids.size();
  const Value* const dense = arrays_.dense.data() + row * width;
  const auto begin = static_cast<std::size_t>(arrays_.offsets[row]);
  const auto end = static_cast<std::size_t>(arrays_.offsets[row + 1]);
  sum.expect(width + end - begin);
  for (std::size_t j = 0; j < width; ++j) sum.add(arrays_.dense_ids[j], scale * static_cast<double>(dense[j]));
  for (std::size_t i = begin; i < end; ++i)
    sum.add(arrays_.ids[i], scale * static_cast<double>(arrays_.values[i]));
}

template <class Value>
void PlainMatrix<Value>::add_columns(std::size_t begin, std::size_t end, DistinctColumns& columns) const {
  const std::size_t width = arrays_.dense_ids.size();
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t r = begin; r < end; ++r)
      if (arrays_.dense[r * width + j] != 0) {
        columns.add(arrays_.dense_ids[j]);
        break;
      }
  const auto first = static_cast<std::size_t>(arrays_.offsets[begin]);
  const auto count = static_cast<std::size_t>(arrays_.offsets[end]) - first;
  columns.add_nonzero(arrays_.ids.subspan(first, count), arrays_.values.subspan(first, count));
}

template <class Value>
void PlainMatrix<Value>::row(std::size_t row, std::vector<std::uint32_t>& ids, std::vector<double>& values) const {
  const std::size_t width = arrays_.dense_ids.size();
  const Value* const dense = arrays_.dense.data() + row * width;
  auto i = static_cast<std::size_t>(arrays_.offsets[row]);
  const auto end = static_cast<std::size_t>(arrays_.offsets[row + 1]);
  std::size_t j = 0;
  const auto add = [&](std::uint32_t id, Value value) {
    if (value == 0) return;
    ids.push_back(id);
    values.push_back(static_cast<double>(value));
  };
  while (i < end || j < width)
    if (j == width || (i < end && arrays_.ids[i] < arrays_.dense_ids[j])) {
      add(arrays_.ids[i], arrays_.values[i]);
      ++i;
    } else {
      add(arrays_.dense_ids[j], dense[j]);
      ++j;
    }
}

template class PlainMatrix<float>;
template class PlainMatrix<double>;

}  // namespace tunesmith
