#include "search/matrices/candidate_matrix.hpp"

#include <algorithm>
#include <utility>

#include "search/matrices/distinct_columns.hpp"

namespace tunesmith {

void CandidateMatrix::add_columns(std::size_t begin, std::size_t end, DistinctColumns& columns) const {
  std::vector<std::uint32_t> ids;
  std::vector<double> values;
  for (std::size_t r = begin; r < end; ++r) {
    ids.clear();
    values.clear();
    row(r, ids, values);
    columns.add_nonzero<double>(ids, values);
  }
}

// Rows that are stored as values: the non-zero pairs in the order of their new numbers.
void CandidateMatrix::append_key(std::size_t number, std::span<const std::uint32_t> column_map,
                                 std::string& out) const {
  thread_local std::vector<std::uint32_t> ids;
  thread_local std::vector<double> values;
  thread_local std::vector<std::pair<std::uint32_t, double>> pairs;
  ids.clear();
  values.clear();
  pairs.clear();
  row(number, ids, values);
  for (std::size_t i = 0; i < ids.size(); ++i)
    pairs.emplace_back(column_map.empty() ? ids[i] : column_map[ids[i]], values[i]);
  if (!column_map.empty()) std::sort(pairs.begin(), pairs.end());
  for (const auto& [id, value] : pairs) {
    out.append(reinterpret_cast<const char*>(&id), sizeof id);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

}  // namespace tunesmith
