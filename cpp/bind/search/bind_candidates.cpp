#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "base/finite.hpp"
#include "bind/search/candidates.hpp"
#include "bind/search/plain_arrays.hpp"
#include "search/matrices/factored_matrix.hpp"
#include "search/matrices/plain_builder.hpp"
#include "search/matrices/plain_matrix.hpp"
#include "search/matrices/sentence_support.hpp"

namespace tunesmith::bind {
namespace {

// A matrix together with the arrays it reads.
template <class Matrix, class... Arrays>
class Holding final : public Matrix {
 public:
  template <class... Given>
  explicit Holding(std::tuple<Arrays...> arrays, const Given&... given)
      : Matrix(given...), arrays_(std::move(arrays)) {}

 private:
  std::tuple<Arrays...> arrays_;
};

// Every number is read: memory of files is looked after in the meantime (tunesmith.io.mapped), which needs the
// GIL.
template <class Matrix, class... Arrays, class... Given>
std::unique_ptr<CandidateMatrix> hold(std::tuple<Arrays...> arrays, const Given&... given) {
  const nb::gil_scoped_release release;
  return std::make_unique<Holding<Matrix, Arrays...>>(std::move(arrays), given...);
}

template <class Place>
void def_factored_matrix(nb::module_& m) {
  m.def(
      "factored_matrix",
      [](const FeatureMatrix& features, std::size_t columns, Integers sentences, Integers list_offsets, Ids list,
         Integers rule_offsets, Array<Place> places, Ids state_ids, Rows<float> states, Integers pair_offsets,
         Ids pair_ids, Array<float> pair_values) {
        const FactoredArrays<Place> arrays{columns,
                                           span_of(sentences),
                                           span_of(list_offsets),
                                           span_of(list),
                                           span_of(rule_offsets),
                                           span_of(places),
                                           span_of(state_ids),
                                           span_of(states),
                                           span_of(pair_offsets),
                                           span_of(pair_ids),
                                           span_of(pair_values)};
        return hold<FactoredMatrix<Place>>(std::tuple(sentences, list_offsets, list, rule_offsets, places,
                                                      state_ids, states, pair_offsets, pair_ids, pair_values),
                                           features, arrays);
      },
      "features"_a, "columns"_a, "sentences"_a, "list_offsets"_a, "list"_a, "rule_offsets"_a, "places"_a,
      "state_ids"_a, "states"_a, "pair_offsets"_a, "pair_ids"_a, "pair_values"_a, nb::keep_alive<0, 1>(),
      "D·F + s over these arrays, which it keeps; ValueError if they do not fit together.");
}

template <class Value>
void def_plain_matrix(nb::module_& m) {
  m.def(
      "plain_matrix",
      [](std::size_t columns, Ids dense_ids, Rows<Value> dense, Integers offsets, Ids ids, Array<Value> values) {
        const PlainArrays<Value> arrays{dense.shape(0),   columns,      span_of(dense_ids), span_of(dense),
                                        span_of(offsets), span_of(ids), span_of(values)};
        return hold<PlainMatrix<Value>>(std::tuple(dense_ids, dense, offsets, ids, values), arrays);
      },
      "columns"_a, "dense_ids"_a, "dense"_a, "offsets"_a, "ids"_a, "values"_a,
      "A matrix over these arrays, which it keeps; ValueError if they do not fit together.");
}

AnyTuple split(std::size_t columns, const Integers& offsets, const Ids& ids, const Doubles& values) {
  const auto ends = span_of(offsets);
  bool narrow = false;
  PlainStorage<float> small;
  PlainStorage<double> large;
  without_gil([&] {
    if (ends.empty() || ends.front() != 0 || !std::is_sorted(ends.begin(), ends.end()) ||
        ends.back() != static_cast<std::int64_t>(ids.size()) || ids.size() != values.size())
      throw Error("offsets must rise from 0 to the number of ids and values");
    for (std::size_t r = 0; r + 1 < ends.size(); ++r)
      for (auto i = static_cast<std::size_t>(ends[r]) + 1; i < static_cast<std::size_t>(ends[r + 1]); ++i)
        if (ids(i) <= ids(i - 1)) throw Error("the ids of row " + std::to_string(r) + " do not rise");
    if (!all_finite(span_of(values))) throw Error("a feature value is not a finite number");
    narrow = fits_float(span_of(values));
    if (narrow)
      small = split_columns<float>(columns, ends, span_of(ids), span_of(values));
    else
      large = split_columns<double>(columns, ends, span_of(ids), span_of(values));
  });
  return narrow ? arrays_of(std::move(small)) : arrays_of(std::move(large));
}

void check_weights(const CandidateMatrix& self, const Doubles& w) {
  if (w.size() < self.columns())
    throw Error("there are " + std::to_string(w.size()) + " weights for " + std::to_string(self.columns()) +
                " features");
}

NewArray<double> dots(const CandidateMatrix& self, const Doubles& w, int threads) {
  check_weights(self, w);
  // Every entry is written below, so none is zeroed first.
  auto* const out = new double[std::max<std::size_t>(self.rows(), 1)];
  nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  without_gil([&] { self.all_dots(span_of(w), out, threads); });
  return {out, {self.rows()}, owner};
}

std::size_t checked_row(const CandidateMatrix& self, std::int64_t row) {
  if (row < 0 || static_cast<std::size_t>(row) >= self.rows())
    throw Error("there is no candidate " + std::to_string(row) + " among " + std::to_string(self.rows()));
  return static_cast<std::size_t>(row);
}

auto rows(const CandidateMatrix& self, const Integers& indices) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> ids;
  std::vector<double> values;
  without_gil([&] {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      self.row(checked_row(self, indices(i)), ids, values);
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
  });
  return array_tuple(std::move(offsets), std::move(ids), std::move(values));
}

NewArray<double> combine(const CandidateMatrix& self, const Doubles& coefficients,
                         std::optional<Integers> indices) {
  if (coefficients.size() != (indices ? indices->size() : self.rows()))
    throw Error("there are " + std::to_string(coefficients.size()) + " coefficients for " +
                std::to_string(indices ? indices->size() : self.rows()) + " candidates");
  std::vector<double> out(self.columns());
  without_gil([&] {
    if (!indices) self.combine(0, span_of(coefficients), out);
    for (std::size_t i = 0; indices && i < indices->size(); ++i)
      self.add_row(checked_row(self, (*indices)(i)), coefficients(i), out);
  });
  return to_array(std::move(out));
}

}  // namespace

void bind_candidates(nb::module_& m) {
  nb::class_<CandidateMatrix>(m, "CandidateMatrix", "Features of many candidates: X·w, rows, Xᵀ·c and X·P.")
      .def_prop_ro("rows", &CandidateMatrix::rows)
      .def_prop_ro("columns", &CandidateMatrix::columns)
      .def("dots", &dots, "w"_a, "threads"_a = 1, "X·w.")
      .def("list_rows", &rows, "indices"_a, "The non-zero entries of these rows: offsets, ids, values.")
      .def("combine", &combine, "coefficients"_a, "indices"_a.none() = nb::none(),
           "Xᵀ·c over all rows, or over these.")
      .def(
          "project",
          [](const CandidateMatrix& self, std::size_t groups, const Integers& offsets, const Ids& ids,
             const Doubles& values) {
            PlainStorage<double> out = without_gil(
                [&] { return project(self, {groups, span_of(offsets), span_of(ids), span_of(values)}); });
            return arrays_of(std::move(out));
          },
          "groups"_a, "offsets"_a, "ids"_a, "values"_a,
          "X·P as the arrays of a plain matrix; P is CSR, one row per column of X.");
  def_plain_matrix<float>(m);
  def_plain_matrix<double>(m);
  def_factored_matrix<std::uint16_t>(m);
  def_factored_matrix<std::uint32_t>(m);
  m.def(
      "place_rules",
      [](const Integers& sentences, const Integers& rule_offsets, const Ids& rules) {
        RulePlaces out =
            without_gil([&] { return place_rules(span_of(sentences), span_of(rule_offsets), span_of(rules)); });
        const std::size_t longest = out.longest;
        return std::make_tuple(to_array(std::move(out.list_offsets)), to_array(std::move(out.list)),
                               to_array(std::move(out.places)), longest);
      },
      "sentences"_a, "rule_offsets"_a, "rules"_a,
      "The different rules of each sentence (offsets, rules), the place of every rule there, the longest list.");
  m.def("split_columns", &split, "columns"_a, "offsets"_a, "ids"_a, "values"_a,
        "CSR rows as the arrays of a plain matrix: dense_ids, dense, offsets, ids, values; float32 where that "
        "holds every value exactly.");

  nb::class_<HeldLists>(m, "CandidateLists", "A matrix cut into sentences, for the kernels of tuners.")
      .def(nb::init<const CandidateMatrix&, Integers>(), "matrix"_a, "offsets"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("sentences", [](const HeldLists& self) { return self.lists.sentences(); })
      .def_prop_ro("candidates", [](const HeldLists& self) { return self.lists.matrix.rows(); })
      .def_prop_ro("columns", [](const HeldLists& self) { return self.lists.matrix.columns(); });
  m.def(
      "sentence_support",
      [](const HeldLists& candidates, std::optional<Integers> groups, std::size_t size, int threads) {
        std::span<const std::int64_t> of;
        if (groups) of = span_of(*groups);
        if (groups && of.size() < candidates.lists.matrix.columns())
          throw Error("a group is missing for a feature");
        return to_array(without_gil([&] { return sentence_support(candidates.lists, of, size, threads); }));
      },
      "candidates"_a, "groups"_a.none() = nb::none(), "size"_a = 0, "threads"_a = 1,
      "In the lists of how many sentences each feature fires, or each of `size` groups of features.");
  m.def(
      "support_by_fold",
      [](const HeldLists& candidates, const Integers& parts, std::size_t count) {
        return to_array(without_gil([&] { return support_by_fold(candidates.lists, span_of(parts), count); }));
      },
      "candidates"_a, "parts"_a, "count"_a,
      "In the lists of how many sentences of each part each feature fires, part after part.");
}

}  // namespace tunesmith::bind
