// The difference of two rows of a candidate matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/matrices/candidate_matrix.hpp"

namespace tunesmith {

// Calls use(id, plus - minus) for every id where two sparse vectors differ; their ids ascend.
template <class Use>
void subtract(std::span<const std::uint32_t> plus_ids, std::span<const double> plus_values,
              std::span<const std::uint32_t> minus_ids, std::span<const double> minus_values, Use use) {
  std::size_t i = 0, j = 0;
  while (i < plus_ids.size() || j < minus_ids.size()) {
    if (j == minus_ids.size() || (i < plus_ids.size() && plus_ids[i] < minus_ids[j])) {
      use(plus_ids[i], plus_values[i]);
      ++i;
    } else if (i == plus_ids.size() || minus_ids[j] < plus_ids[i]) {
      use(minus_ids[j], -minus_values[j]);
      ++j;
    } else {
      if (plus_values[i] != minus_values[j]) use(plus_ids[i], plus_values[i] - minus_values[j]);
      ++i;
      ++j;
    }
  }
}

// Holds the space between calls.
class RowDifference {
 public:
  // Calls use(id, value) for row(plus) - row(minus), ids ascending.
  template <class Use>
  void visit(const CandidateMatrix& matrix, std::size_t plus, std::size_t minus, Use use) {
    for (auto* list : {&plus_ids_, &minus_ids_}) list->clear();
    for (auto* list : {&plus_values_, &minus_values_}) list->clear();
    matrix.row(plus, plus_ids_, plus_values_);
    matrix.row(minus, minus_ids_, minus_values_);
    tunesmith::subtract(plus_ids_, plus_values_, minus_ids_, minus_values_, use);
  }
  // Writes that to `ids` and `values`, without zeros.
  void compute(const CandidateMatrix& matrix, std::size_t plus, std::size_t minus) {
    ids.clear();
    values.clear();
    visit(matrix, plus, minus, [this](std::uint32_t id, double value) { add(id, value); });
  }
  // The same of two sparse vectors.
  void subtract(std::span<const std::uint32_t> plus, std::span<const double> plus_entries,
                std::span<const std::uint32_t> minus, std::span<const double> minus_entries) {
    ids.clear();
    values.clear();
    tunesmith::subtract(plus, plus_entries, minus, minus_entries,
                        [this](std::uint32_t id, double value) { add(id, value); });
  }

  std::vector<std::uint32_t> ids;
  std::vector<double> values;

 private:
  void add(std::uint32_t id, double value) {
    if (value == 0) return;
    ids.push_back(id);
    values.push_back(value);
  }
  std::vector<std::uint32_t> plus_ids_, minus_ids_;
  std::vector<double> plus_values_, minus_values_;
};

}  // namespace tunesmith
