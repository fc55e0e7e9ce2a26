#include "bind/convert.hpp"
#include "features/feature_matrix.hpp"

namespace tunesmith::bind {
namespace {

FeatureMatrix* new_matrix(void* place, const Rows<float>& dense, const Array<std::uint64_t>& starts,
                          const Ids& ids, const Array<float>& values, std::size_t columns,
                          std::size_t identity_rows) {
  const auto copy = [](const auto& array) { return copy_of(array); };
  FeatureMatrix::Parts parts;
  parts.rows = dense.shape(0);
  parts.dense_columns = dense.shape(1);
  parts.columns = columns;
  parts.dense = copy(dense);
  parts.starts = copy(starts);
  parts.ids = copy(ids);
  parts.values = copy(values);
  parts.identity_rows = identity_rows;
  return new (place) FeatureMatrix(std::move(parts));
}

}  // namespace

void bind_feature_matrix(nb::module_& m) {
  nb::class_<FeatureMatrix>(m, "FeatureMatrix",
                            "Features of every rule: dense block, sparse part, identity block.")
      .def(
          "__init__",
          [](FeatureMatrix* self, const Rows<float>& dense, const Array<std::uint64_t>& starts, const Ids& ids,
             const Array<float>& values, std::size_t columns,
             std::size_t identity_rows) { new_matrix(self, dense, starts, ids, values, columns, identity_rows); },
          "dense"_a, "starts"_a, "ids"_a, "values"_a, "columns"_a, "identity_rows"_a = 0,
          "A copy of these parts; `columns` counts the dense and the sparse ones.")
      .def_prop_ro("rows", &FeatureMatrix::rows)
      .def_prop_ro("columns", &FeatureMatrix::columns)
      .def_prop_ro("identity_rows", [](const FeatureMatrix& self) { return self.parts().identity_rows; })
      .def(
          "same", [](const FeatureMatrix& self, const FeatureMatrix& other) { return self.same(other); },
          "other"_a, nb::call_guard<nb::gil_scoped_release>(), "Whether all values are the same.")
      .def_prop_ro("nonzeros", &FeatureMatrix::nonzeros, "Stored values of the sparse part.")
      .def_prop_ro("bytes", &FeatureMatrix::bytes, "Memory of the arrays.")
      .def(
          "scores",
          [](const FeatureMatrix& self, const Doubles& weights, int threads) {
            std::vector<double> out(self.rows());
            without_gil([&] { self.scores(span_of(weights), threads, std::span<double>(out)); });
            return to_array(std::move(out));
          },
          "weights"_a, "threads"_a = 1, "F · w, one number for every row.")
      .def(
          "scores_of",
          [](const FeatureMatrix& self, const Ids& rows, const Doubles& weights) {
            std::vector<double> out(rows.size());
            without_gil([&] { self.scores(span_of(rows), span_of(weights), out); });
            return to_array(std::move(out));
          },
          "rows"_a, "weights"_a, "F · w for these rows.")
      .def(
          "row",
          [](const FeatureMatrix& self, std::size_t row) {
            if (row >= self.rows()) throw Error("row " + std::to_string(row) + " is not there");
            std::vector<std::uint32_t> ids;
            std::vector<float> found;
            self.visit_row(row, [&](std::uint32_t id, float value) {
              ids.push_back(id);
              found.push_back(value);
            });
            return array_tuple(std::move(ids), std::move(found));
          },
          "row"_a, "Numbers and values of the features of one row that are not zero; numbers rise.")
      .def(
          "rows_of",
          [](const FeatureMatrix& self, const Ids& rows) {
            std::vector<std::uint64_t> starts{0};
            std::vector<std::uint32_t> ids;
            std::vector<float> found;
            without_gil([&] {
              for (std::size_t i = 0; i < rows.size(); ++i) {
                if (rows(i) >= self.rows()) throw Error("row " + std::to_string(rows(i)) + " is not there");
                self.visit_row(rows(i), [&](std::uint32_t id, float value) {
                  ids.push_back(id);
                  found.push_back(value);
                });
                starts.push_back(ids.size());
              }
            });
            return array_tuple(std::move(starts), std::move(ids), std::move(found));
          },
          "rows"_a, "Starts, numbers and values of the features of these rows that are not zero.")
      .def(
          "combine",
          [](const FeatureMatrix& self, const Ids& rows, const Doubles& coefficients) {
            if (rows.size() != coefficients.size()) throw Error("there must be one coefficient for every row");
            std::vector<double> out(self.columns());
            without_gil([&] {
              for (std::size_t i = 0; i < rows.size(); ++i) {
                if (rows(i) >= self.rows()) throw Error("row " + std::to_string(rows(i)) + " is not there");
                self.add_row(rows(i), coefficients(i), out);
              }
            });
            return to_array(std::move(out));
          },
          "rows"_a, "coefficients"_a, "The sum of coefficient × row over these rows.")
      .def(
          "firing_rows", [](const FeatureMatrix& self) { return to_array(self.firing_rows()); },
          "In how many rows each column in front of the identity block is not zero.")
      .def(
          "rows_firing",
          [](const FeatureMatrix& self, const Array<std::uint8_t>& chosen) {
            nb::gil_scoped_release release;
            return self.rows_firing(span_of(chosen));
          },
          "chosen"_a, "In how many rows at least one of the columns marked 1 is not zero.")
      .def(
          "sparse",
          [](const FeatureMatrix& self) {
            const auto& parts = self.parts();
            std::vector<std::uint64_t> starts(parts.plain_rows);
            starts.insert(starts.end(), parts.starts.begin(), parts.starts.end());
            return array_tuple(std::move(starts), std::vector(parts.ids), std::vector(parts.values));
          },
          "A copy of the sparse part: starts, ids, values.");
}

}  // namespace tunesmith::bind
