// F: the features of every rule of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "features/rules/dense_rows.hpp"

namespace tunesmith {

// One row per rule (those of the table, then the special ones of application.hpp), one column per feature. A row
// is
//
//   columns [0, dense_columns)   its dense block: translation scores, word penalty, …
//   columns after them          sparse, by ids and values (CSR)
//   identity_first + row         1, for rows below identity_rows: the feature that stands for this rule alone
//
// so rule identity costs no memory. The identity columns are the last ones. Read-only once made, so that any
// number of threads may use it. Sums are taken in double, in the order of the columns. The dense block may be
// computed where it is read; what is wrong with its values is then said by those who read them.
class FeatureMatrix {
 public:
  struct Identity {
    std::uint32_t first;
    std::size_t rows;
  };
  struct Parts {
    std::size_t rows = 0, dense_columns = 0;
    std::size_t columns = 0;                     // of the dense and the sparse part together
    std::vector<float> dense;                    // rows × dense_columns
    std::shared_ptr<const DenseRows> on_demand;  // in the place of `dense`, unless it is null
    std::size_t plain_rows = 0;                  // the first rows, which have nothing sparse
    std::vector<std::uint64_t> starts;           // of the rows after them, and the end
    std::vector<std::uint32_t> ids;              // ascending within a row, from dense_columns to columns - 1
    std::vector<float> values;
    std::size_t identity_rows = 0;  // 0: no identity features
  };
  struct Sparse {
    std::span<const std::uint32_t> ids;
    std::span<const float> values;
  };

  // Throws Error unless the parts fit together as said above and all values are finite.
  explicit FeatureMatrix(Parts parts);

  std::size_t rows() const { return parts_.rows; }
  std::size_t columns() const { return parts_.columns + parts_.identity_rows; }
  std::size_t nonzeros() const { return parts_.ids.size(); }  // of the sparse part
  std::optional<Identity> identity() const;
  const Parts& parts() const { return parts_; }
  std::size_t bytes() const;
  // Whether all values are the same.
  bool same(const FeatureMatrix& other) const;

  const float* dense(std::size_t row) const {
    return parts_.on_demand ? (*parts_.on_demand)[row] : parts_.dense.data() + row * parts_.dense_columns;
  }
  Sparse sparse(std::size_t row) const {
    if (row < parts_.plain_rows) return {};
    const std::uint64_t begin = parts_.starts[row - parts_.plain_rows];
    const std::uint64_t count = parts_.starts[row - parts_.plain_rows + 1] - begin;
    return {{parts_.ids.data() + begin, count}, {parts_.values.data() + begin, count}};
  }

  // F[row] · w. `w` may be longer than columns(): features of the search follow.
  double score(std::size_t row, std::span<const double> w) const { return score(row, dense(row), w); }
  // out[i] = F[i] · w for all rows, or for the given ones. What a row on demand has is not kept, so that looking
  // at a whole table costs no memory. Throws Error for a weight vector that is too short, an output of another
  // size than the rows, and a row that does not exist.
  void scores(std::span<const double> w, int threads, std::span<double> out) const;
  void scores(std::span<const std::uint32_t> rows, std::span<const double> w, std::span<double> out) const;

  // w += scale · F[row].
  void add_row(std::size_t row, double scale, std::span<double> w) const {
    const float* of_row = dense(row);
    for (std::size_t i = 0; i < parts_.dense_columns; ++i) w[i] += scale * static_cast<double>(of_row[i]);
    const auto [ids, values] = sparse(row);
    for (std::size_t i = 0; i < ids.size(); ++i) w[ids[i]] += scale * static_cast<double>(values[i]);
    if (row < parts_.identity_rows) w[parts_.columns + row] += scale;
  }
  // The same for a sum that has `expect(additions)` and `add(id, value)`.
  template <class Sum>
  void add_row_to(Sum& sum, std::size_t row, double scale) const {
    const float* of_row = dense(row);
    const auto [ids, values] = sparse(row);
    sum.expect(parts_.dense_columns + ids.size() + 1);
    for (std::size_t i = 0; i < parts_.dense_columns; ++i)
      sum.add(static_cast<std::uint32_t>(i), scale * static_cast<double>(of_row[i]));
    for (std::size_t i = 0; i < ids.size(); ++i) sum.add(ids[i], scale * static_cast<double>(values[i]));
    if (row < parts_.identity_rows) sum.add(static_cast<std::uint32_t>(parts_.columns + row), scale);
  }
  // Calls `visit(id, value)` for the non-zero features of a row, ids ascending, each once.
  template <class Visit>
  void visit_row(std::size_t row, Visit visit) const {
    const float* of_row = dense(row);
    for (std::size_t i = 0; i < parts_.dense_columns; ++i)
      if (of_row[i] != 0) visit(static_cast<std::uint32_t>(i), of_row[i]);
    const auto [ids, values] = sparse(row);
    for (std::size_t i = 0; i < ids.size(); ++i) visit(ids[i], values[i]);
    if (row < parts_.identity_rows) visit(static_cast<std::uint32_t>(parts_.columns + row), 1.0F);
  }

  // The number of rows where each column but those of the identity block is not zero.
  std::vector<std::uint64_t> firing_rows() const;
  // The number of rows where at least one of the chosen columns is not zero; `chosen` has one entry for each of
  // the same columns.
  std::size_t rows_firing(std::span<const std::uint8_t> chosen) const;

 private:
  // A row of the dense block that need not be kept; `room` has place for it.
  const float* read_dense(std::size_t row, std::vector<float>& room) const;
  double score(std::size_t row, const float* dense, std::span<const double> w) const {
    double sum = 0;
    for (std::size_t i = 0; i < parts_.dense_columns; ++i) sum += w[i] * static_cast<double>(dense[i]);
    const auto [ids, values] = sparse(row);
    for (std::size_t i = 0; i < ids.size(); ++i) sum += w[ids[i]] * static_cast<double>(values[i]);
    if (row < parts_.identity_rows) sum += w[parts_.columns + row];
    return sum;
  }
  void check_weights(std::size_t size) const;

  Parts parts_;
};

}  // namespace tunesmith
