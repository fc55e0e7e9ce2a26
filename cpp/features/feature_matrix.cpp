#include "features/feature_matrix.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/finite.hpp"
#include "base/parallel.hpp"

namespace tunesmith {

FeatureMatrix::FeatureMatrix(Parts parts) : parts_(std::move(parts)) {
  const Parts& p = parts_;
  const auto expect = [](bool holds, const char* what) {
    if (!holds) throw Error(what);
  };
  expect(p.dense_columns <= p.columns, "more dense columns than columns");
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  expect(p.columns < most && p.identity_rows < most && p.columns + p.identity_rows < most,
         "2^32 features or more");
  expect(p.identity_rows <= p.rows, "more identity features than rows");
  expect(p.dense.size() == (p.on_demand ? 0 : p.rows * p.dense_columns),
         "the dense block must have rows × dense columns values");
  expect(p.plain_rows <= p.rows && p.starts.size() == p.rows - p.plain_rows + 1 && p.starts.front() == 0 &&
             p.starts.back() == p.ids.size(),
         "starts must rise from 0 to the number of sparse values, one more than rows");
  expect(p.ids.size() == p.values.size(), "there must be a value for every id");
  for (std::size_t row = 0; row + 1 < p.starts.size(); ++row) {
    expect(p.starts[row] <= p.starts[row + 1] && p.starts[row + 1] <= p.ids.size(), "starts must not fall");
    for (std::uint64_t i = p.starts[row]; i < p.starts[row + 1]; ++i)
      expect(
          p.ids[i] < p.columns && p.ids[i] >= p.dense_columns && (i == p.starts[row] || p.ids[i - 1] < p.ids[i]),
          "ids must rise within a row and lie between the dense columns and the last one");
  }
  expect(all_finite<float>(p.dense) && all_finite<float>(p.values), "a feature value is not a finite number");
}

std::optional<FeatureMatrix::Identity> FeatureMatrix::identity() const {
  if (parts_.identity_rows == 0) return std::nullopt;
  return Identity{static_cast<std::uint32_t>(parts_.columns), parts_.identity_rows};
}

void FeatureMatrix::check_weights(std::size_t size) const {
  if (size < columns())
    throw Error(std::to_string(size) + " weights for " + std::to_string(columns()) + " features");
}

void FeatureMatrix::scores(std::span<const double> w, int threads, std::span<double> out) const {
  check_weights(w.size());
  if (out.size() != rows()) throw Error("the output must have one number for every row");
  parallel_ranges(rows(), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<float> room;
    for (std::size_t row = begin; row < end; ++row) out[row] = score(row, read_dense(row, room), w);
  });
}

void FeatureMatrix::scores(std::span<const std::uint32_t> wanted, std::span<const double> w,
                           std::span<double> out) const {
  check_weights(w.size());
  if (out.size() != wanted.size()) throw Error("the output must have one number for every row asked for");
  std::vector<float> room;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] >= rows())
      throw Error("row " + std::to_string(wanted[i]) + " of a matrix with " + std::to_string(rows()) + " rows");
    out[i] = score(wanted[i], read_dense(wanted[i], room), w);
  }
}

std::size_t FeatureMatrix::bytes() const {
  const Parts& p = parts_;
  return p.dense.size() * sizeof(float) + (p.on_demand ? p.on_demand->bytes() : 0) +
         p.starts.size() * sizeof(std::uint64_t) + p.ids.size() * (sizeof(std::uint32_t) + sizeof(float));
}

const float* FeatureMatrix::read_dense(std::size_t row, std::vector<float>& room) const {
  if (!parts_.on_demand) return dense(row);
  room.resize(parts_.dense_columns);
  parts_.on_demand->read(row, room.data());
  return room.data();
}

bool FeatureMatrix::same(const FeatureMatrix& other) const {
  const Parts &p = parts_, &q = other.parts_;
  if (p.rows != q.rows || p.dense_columns != q.dense_columns || p.columns != q.columns ||
      p.identity_rows != q.identity_rows || p.ids != q.ids || p.values != q.values)
    return false;
  std::vector<float> room, other_room;
  for (std::size_t row = 0; row < p.rows; ++row) {
    if (sparse(row).ids.size() != other.sparse(row).ids.size()) return false;
    const float* const own = read_dense(row, room);
    if (!std::equal(own, own + p.dense_columns, other.read_dense(row, other_room))) return false;
  }
  return true;
}

std::vector<std::uint64_t> FeatureMatrix::firing_rows() const {
  std::vector<std::uint64_t> firing(parts_.columns);
  std::vector<float> room;
  for (std::size_t row = 0; row < parts_.rows; ++row) {
    const float* const of_row = read_dense(row, room);
    for (std::size_t i = 0; i < parts_.dense_columns; ++i) firing[i] += of_row[i] != 0 ? 1 : 0;
  }
  for (const std::uint32_t id : parts_.ids) ++firing[id];
  return firing;
}

std::size_t FeatureMatrix::rows_firing(std::span<const std::uint8_t> chosen) const {
  if (chosen.size() != parts_.columns) throw Error("there must be a choice for every column");
  std::size_t rows = 0;
  std::vector<float> room;
  for (std::size_t row = 0; row < parts_.rows; ++row) {
    bool fires = false;
    const float* const of_row = read_dense(row, room);
    for (std::size_t i = 0; i < parts_.dense_columns; ++i) fires |= chosen[i] != 0 && of_row[i] != 0;
    for (const std::uint32_t id : sparse(row).ids) fires |= chosen[id] != 0;
    rows += fires ? 1 : 0;
  }
  return rows;
}

}  // namespace tunesmith
