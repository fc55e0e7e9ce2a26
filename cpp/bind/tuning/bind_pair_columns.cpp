#include <nanobind/stl/variant.h>

#include <variant>

#include "bind/tuning_arrays.hpp"
#include "tuning/losses/pair_columns.hpp"
#include "tuning/losses/pair_columns_maker.hpp"

namespace tunesmith::bind {
namespace {

// Columns of pairs together with the arrays they look at.
struct HeldPairColumns {
  using Places = std::variant<Array<std::uint16_t>, Ids>;

  HeldPairColumns(const Integers& pair_bounds, const Integers& column_bounds, const Ids& columns,
                  const Integers& entry_bounds, const Places& pairs, const Array<std::uint8_t>& whole,
                  const Array<std::int8_t>& counts, const Integers& value_bounds, const Array<float>& values)
      : pair_bounds(pair_bounds),
        column_bounds(column_bounds),
        columns(columns),
        entry_bounds(entry_bounds),
        pairs(pairs),
        whole(whole),
        counts(counts),
        value_bounds(value_bounds),
        values(values) {
    view = {span_of(pair_bounds),
            span_of(column_bounds),
            span_of(columns),
            span_of(entry_bounds),
            std::visit([](const auto& array) { return PairColumns::Pairs(span_of(array)); }, pairs),
            span_of(whole),
            span_of(counts),
            span_of(value_bounds),
            span_of(values)};
    nb::gil_scoped_release release;
    check_pair_columns(view);
  }

  Integers pair_bounds, column_bounds;
  Ids columns;
  Integers entry_bounds;
  Places pairs;
  Array<std::uint8_t> whole;
  Array<std::int8_t> counts;
  Integers value_bounds;
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
        using Places = std::variant<NewArray<std::uint16_t>, NewArray<std::uint32_t>>;
        Places places = std::visit([](auto& all) { return Places(to_array(std::move(all))); }, made.pairs);
        return std::make_tuple(to_array(std::move(made.pair_bounds)), to_array(std::move(made.column_bounds)),
                               to_array(std::move(made.columns)), to_array(std::move(made.entry_bounds)),
                               std::move(places), to_array(std::move(made.whole)),
                               to_array(std::move(made.counts)), to_array(std::move(made.value_bounds)),
                               to_array(std::move(made.values)), to_array(std::move(made.used)));
      },
      "lists"_a, "better"_a, "worse"_a, "a_block"_a = 0, "threads"_a = 1,
      "Differences of pairs by column: the arrays of PairColumns, and the columns of the lists that they have.");
  nb::class_<HeldPairColumns>(m, "PairColumns", "Differences of pairs, better minus worse, by column.")
      .def(nb::init<const Integers&, const Integers&, const Ids&, const Integers&, const HeldPairColumns::Places&,
                    const Array<std::uint8_t>&, const Array<std::int8_t>&, const Integers&, const Array<float>&>(),
           "pair_bounds"_a, "column_bounds"_a, "columns"_a, "entry_bounds"_a, "pairs"_a, "whole"_a, "counts"_a,
           "value_bounds"_a, "values"_a)
      .def("__len__", [](const HeldPairColumns& self) { return self.view.size(); })
      .def(
          "sums",
          [](const HeldPairColumns& self, const Doubles& weights, PairLossKind kind, double smoothing,
             const Doubles& w, int threads) {
            std::vector<double> gradient(self.view.width());
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
            std::vector<double> squares(self.view.width());
            without_gil([&] { pair_squares(self.view, span_of(weights), squares, threads); });
            return to_array(std::move(squares));
          },
          "weights"_a, "threads"_a = 1, "The weighted sum of the squares of each column.");
}

}  // namespace tunesmith::bind
