#include "bind/tuning_arrays.hpp"
#include "tuning/online/magnitude_ranks.hpp"
#include "tuning/sorted_l1/sorted_l1.hpp"

namespace tunesmith::bind {
namespace {

// `prox(out)` into a new array.
template <class Prox>
NewArray<double> proximal_values(std::size_t size, const Prox& prox) {
  Scratch<double> out = make_scratch<double>(size);
  without_gil([&] { prox(std::span(out.get(), size)); });
  return to_array(std::move(out), size);
}
// The same for sparse weights.
template <class Prox>
NewArray<double> proximal_values(const Integers& indices, std::size_t dimension, const Doubles& values,
                                 const Prox& prox) {
  if (indices.size() != values.size()) throw Error("there must be as many indices as values");
  return proximal_values(values.size(), [&](std::span<double> out) {
    check_indices(span_of(indices), dimension);
    prox(out);
  });
}

}  // namespace

void bind_sorted_l1(nb::module_& m) {
  m.def(
      "prox_sorted_l1",
      [](const Doubles& w, const Doubles& penalties, double step) {
        return proximal_values(
            w.size(), [&](std::span<double> out) { prox_sorted_l1(span_of(w), span_of(penalties), step, out); });
      },
      "w"_a, "penalties"_a, "step"_a, "The proximal point of `step` times the sorted L1 norm at `w`.");
  m.def(
      "prox_oscar",
      [](const Doubles& w, std::size_t dimension, double l1, double l2, double step) {
        return proximal_values(
            w.size(), [&](std::span<double> out) { prox_oscar(span_of(w), {dimension, l1, l2}, step, out); });
      },
      "w"_a, "dimension"_a, "l1"_a, "l2"_a, "step"_a, "The proximal point of `step` times OSCAR at `w`.");
  m.def(
      "sparse_prox_sorted_l1",
      [](const Integers& indices, const Doubles& values, std::size_t dimension, const Doubles& penalties,
         double step) {
        return proximal_values(indices, dimension, values, [&](std::span<double> out) {
          prox_sorted_l1(span_of(values), span_of(penalties), step, out);
        });
      },
      "indices"_a, "values"_a, "dimension"_a, "penalties"_a, "step"_a,
      "The proximal point of the sorted L1 norm at sparse weights; the indices must differ and be below "
      "`dimension`.");
  m.def(
      "sparse_prox_oscar",
      [](const Integers& indices, const Doubles& values, std::size_t dimension, double l1, double l2,
         double step) {
        return proximal_values(indices, dimension, values, [&](std::span<double> out) {
          prox_oscar(span_of(values), {dimension, l1, l2}, step, out);
        });
      },
      "indices"_a, "values"_a, "dimension"_a, "l1"_a, "l2"_a, "step"_a,
      "The proximal point of OSCAR at sparse weights; the indices must differ and be below `dimension`.");
  m.def(
      "equal_groups",
      [](const Doubles& w) {
        EqualGroups groups = without_gil([&] { return equal_groups(span_of(w)); });
        return std::make_tuple(to_array(std::move(groups.of), w.size()),
                               to_array(std::move(groups.weights), groups.count),
                               to_array(std::move(groups.sizes), groups.count));
      },
      "w"_a, "Equal weights: for each weight the number of its group (-1 for 0), weights and sizes of groups.");
  m.def(
      "oscar_value",
      [](const Doubles& w, std::size_t dimension, double l1, double l2) {
        nb::gil_scoped_release release;
        return oscar_value(span_of(w), {dimension, l1, l2});
      },
      "w"_a, "dimension"_a, "l1"_a, "l2"_a, "OSCAR at `w`.");
  m.def(
      "magnitude_ranks",
      [](const Doubles& w) {
        Scratch<std::uint32_t> found = make_scratch<std::uint32_t>(w.size());
        without_gil([&] {
          const MagnitudeRanks ranks(span_of(w), -1.0, "weight");
          for (std::size_t i = 0; i < w.size(); ++i) found[i] = ranks.rank(i);
        });
        return to_array(std::move(found), w.size());
      },
      "w"_a, "For each number, how many have a larger magnitude.");
}

}  // namespace tunesmith::bind
