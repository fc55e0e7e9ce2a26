#include "bind/tuning_arrays.hpp"
#include "tuning/losses/pair_columns.hpp"
#include "tuning/losses/pair_columns_maker.hpp"

namespace tunesmith::bind {
namespace {

// Columns of pairs together with the arrays they look at.
struct HeldPairColumns {
  HeldPairColumns(const Integers& pair_bounds, const Integers& column_bounds, const Ids& columns,
                  const Integers& entry_bounds, const Ids& pairs, const Array<float>& values, std::size_t width)
      : pair_bounds(pair_bounds),
        column_bounds(column_bounds),
        columns(columns),
        entry_bounds(entry_bounds),
        pairs(pairs),
        values(values) {
    view = {span_of(pair_bounds),
            span_of(column_bounds),
            span_of(columns),
            span_of(entry_bounds),
            span_of(pairs),
            span_of(values),
            width};
    nb::gil_scoped_release release;
    check_pair_columns(view);
  }

  Integers pair_bounds, column_bounds;
  Ids columns;
  Integers entry_bounds;
  Ids pairs;
  Array<float> values;
  PairColumns view;
};

}  // namespace

void bind_pair_columns(nb::module_& m) {
  m.def(
      "pair_columns",
      [](const HeldLists& lists, const Integers& better, const Integers& worse, std::size_t a_block, int threads) {
        StoredPairColumns made;
        without_gil([&] {
          made = make_pair_columns(lists.lists.matrix, lists_of(lists), span_of(better), span_of(worse), a_block,
                                   threads);
        });
        return array_tuple(std::move(made.pair_bounds), std::move(made.column_bounds), std::move(made.columns),
                           std::move(made.entry_bounds), std::move(made.pairs), std::move(made.values),
                           std::move(made.used));
      },
      "lists"_a, "better"_a, "worse"_a, "a_block"_a = 0, "threads"_a = 1,
      "Differences of pairs by column: the arrays of PairColumns, and the columns of the lists that they have.");
  nb::class_<HeldPairColumns>(m, "PairColumns", "Differences of pairs, better minus worse, by column.")
      .def(nb::init<const Integers&, const Integers&, const Ids&, const Integers&, const Ids&, const Array<float>&,
                    std::size_t>(),
           "pair_bounds"_a, "column_bounds"_a, "columns"_a, "entry_bounds"_a, "pairs"_a, "values"_a, "width"_a)
      .def("__len__", [](const HeldPairColumns& self) { return self.view.size(); })
      .def(
          "sums",
          [](const HeldPairColumns& self, const Doubles& weights, PairLossKind kind, double smoothing,
             const Doubles& w, int threads) {
            std::vector<double> gradient(self.view.width);
            const double value = without_gil([&] {
              return pair_sums(self.view, span_of(weights), kind, smoothing, span_of(w), gradient, threads);
            });
            return std::make_tuple(value, to_array(std::move(gradient)));
          },
          "weights"_a, "kind"_a, "smoothing"_a, "w"_a, "threads"_a = 1,
          "The sum of the losses of pairs, each times its weight, and its gradient.")
      .def(
          "squares",
          [](const HeldPairColumns& self, const Doubles& weights, int threads) {
            std::vector<double> squares(self.view.width);
            without_gil([&] { pair_squares(self.view, span_of(weights), squares, threads); });
            return to_array(std::move(squares));
          },
          "weights"_a, "threads"_a = 1, "The weighted sum of the squares of each column.");
}

}  // namespace tunesmith::bind
