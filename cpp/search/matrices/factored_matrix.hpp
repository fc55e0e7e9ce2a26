// Candidates of our own decoders: X = D·F + s, never multiplied out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "features/feature_matrix.hpp"
#include "search/matrices/candidate_matrix.hpp"

namespace tunesmith {

// The rules of candidates (D). Each sentence has a list of the different rules its candidates use; a candidate
// names their places in that list, one for each use: derivations of one sentence share most of their rules, so
// places fit two bytes and F·w is computed once for each rule of the list.
//
// Stateful features (s) are a block for those every candidate has (LM) and pairs for the others.
template <class Place>
struct FactoredArrays {
  std::size_t columns = 0;                     // those of F, then stateful features
  std::span<const std::int64_t> sentences;     // candidates of sentence s: [sentences[s], sentences[s + 1])
  std::span<const std::int64_t> list_offsets;  // its rules: [list_offsets[s], list_offsets[s + 1])
  std::span<const std::uint32_t> list;
  std::span<const std::int64_t> rule_offsets;  // per candidate
  std::span<const Place> places;
  std::span<const std::uint32_t> state_ids;    // ascending
  std::span<const float> states;               // candidates × state_ids.size()
  std::span<const std::int64_t> pair_offsets;  // per candidate
  std::span<const std::uint32_t> pair_ids;     // ascending in a row
  std::span<const float> pair_values;
};

// Place: std::uint16_t or std::uint32_t. The feature matrix is kept by reference.
template <class Place>
class FactoredMatrix : public CandidateMatrix {
 public:
  // Reads every number once; throws Error for arrays that do not fit together or to the feature matrix, and for
  // values that are not finite.
  FactoredMatrix(const FeatureMatrix& features, const FactoredArrays<Place>& arrays);

  std::size_t rows() const override { return static_cast<std::size_t>(arrays_.sentences.back()); }
  std::size_t columns() const override { return arrays_.columns; }
  // D·(F·w) + s·w.
  void dots(std::size_t begin, std::size_t end, std::span<const double> w, double* out) const override;
  // F·w once for each rule of the whole set. The same bytes as dots.
  void all_dots(std::span<const double> w, double* out, int threads) const override;
  void add_row(std::size_t row, double scale, std::span<double> w) const override;
  void add_row(std::size_t row, double scale, NotedSum& sum) const override;
  // Fᵀ(Dᵀ·c) + sᵀ·c.
  void combine(std::size_t begin, std::span<const double> c, std::span<double> out) const override;
  void row(std::size_t row, std::vector<std::uint32_t>& ids, std::vector<double>& values) const override;
  // The rows of F for the different rules of each sentence, not for those of each candidate.
  void add_columns(std::size_t begin, std::size_t end, DistinctColumns& columns) const override;
  // Rules (not their places), then stateful bytes.
  void append_key(std::size_t row, std::span<const std::uint32_t> column_map, std::string& out) const override;

 private:
  std::size_t sentence_of(std::size_t row) const;
  template <class Visit>
  void each_sentence(std::size_t begin, std::size_t end, Visit visit) const;
  // The rules of a candidate.
  template <class Visit>
  void each_rule(std::size_t sentence, std::size_t row, Visit visit) const;
  template <class Visit>
  void each_state(std::size_t row, Visit visit) const;
  // Candidates [begin, end) of one sentence, whose rules have these scores.
  void sentence_dots(std::size_t begin, std::size_t end, const double* scores, std::span<const double> w,
                     double* out) const;
  const std::vector<std::uint32_t>& different_rules() const;

  const FeatureMatrix& features_;
  FactoredArrays<Place> arrays_;
  mutable std::once_flag once_;
  mutable std::vector<std::uint32_t> different_;
};

extern template class FactoredMatrix<std::uint16_t>;
extern template class FactoredMatrix<std::uint32_t>;

// Rules of candidates as places in the lists of their sentences; see FactoredArrays.
struct RulePlaces {
  std::vector<std::int64_t> list_offsets{0};
  std::vector<std::uint32_t> list;
  std::vector<std::uint32_t> places;
  std::size_t longest = 0;  // the longest list
};
// rules[rule_offsets[c] .. rule_offsets[c + 1]) are those of candidate c, one for each use. A list is in the order
// of first use. Throws Error for offsets that do not rise.
RulePlaces place_rules(std::span<const std::int64_t> sentences, std::span<const std::int64_t> rule_offsets,
                       std::span<const std::uint32_t> rules);

}  // namespace tunesmith
