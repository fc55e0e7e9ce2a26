#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/convert.hpp"
#include "lm/arpa_writer.hpp"
#include "lm/count.hpp"
#include "lm/estimate.hpp"

namespace tunesmith::bind {
namespace {

using namespace tunesmith::lm;

// A Python callback (done, total) for work that runs without the GIL; also where Ctrl-C is noticed.
Progress to_progress(nb::object callback) {
  return [callback = std::move(callback)](std::uint64_t done, std::uint64_t total) {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    if (!callback.is_none()) callback(done, total == 0 ? done : total);  // total is not always known
  };
}

void make_estimate(Estimate* self, NgramCounter& counter, std::vector<std::uint64_t> prune, Fallback fallback,
                   std::size_t memory, const std::string& folder, nb::object progress, int threads) {
  const Progress told = to_progress(std::move(progress));
  nb::gil_scoped_release release;
  new (self) Estimate(counter, {std::move(prune), fallback, memory, folder, threads}, told);
}

auto order_reports(const Estimate& self) {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, decltype(Discounts::amount), std::string>> orders;
  for (std::size_t i = 0; i < self.statistics().size(); ++i) {
    const CountsOfCounts& counts = self.statistics()[i];
    const Discounts& discounts = self.discounts()[i];
    orders.emplace_back(counts.total, counts.kept, discounts.amount, discounts.fallback_reason);
  }
  return orders;
}

}  // namespace

void bind_lm(nb::module_& m) {
  nb::enum_<SpecialWords>(m, "SpecialWords", "What is done with <s>, </s> or <unk> as a word of a text.")
      .value("error", SpecialWords::error)
      .value("skip", SpecialWords::skip)
      .value("unknown", SpecialWords::unknown);

  nb::class_<NgramCounter>(m, "NgramCounter", "Counts the n-grams of any number of lines within a given memory.")
      .def(nb::init<int, SpecialWords, std::size_t, const std::string&, int>(), "order"_a, "special"_a, "memory"_a,
           "folder"_a, "threads"_a = 1)
      .def(
          "add",
          [](NgramCounter& self, nb::handle lines) {
            const Strings strings(lines);
            nb::gil_scoped_release release;
            self.add(strings.views());
          },
          "lines"_a, "Count the n-grams of these lines.")
      .def("limit_vocabulary", &NgramCounter::limit_vocabulary, "limit"_a,
           nb::call_guard<nb::gil_scoped_release>(), "Words besides the most frequent ones become <unk>.")
      .def_prop_ro("tokens", &NgramCounter::tokens, "Words counted so far.")
      .def_prop_ro("sentences", &NgramCounter::sentences, "Lines counted so far.")
      .def_prop_ro("types_left_out", &NgramCounter::types_left_out, "Words that became <unk>.");

  nb::class_<Estimate>(m, "LmEstimate", "Modified Kneser-Ney estimates; the n-grams can be read once.")
      .def("__init__", &make_estimate, "counter"_a, "prune"_a, "fallback"_a.none(), "memory"_a, "folder"_a,
           "progress"_a.none() = nb::none(), "threads"_a = 1)
      .def_prop_ro("order", &Estimate::order)
      .def_prop_ro(
          "types", [](const Estimate& self) { return self.words().size(); }, "Words with the special ones.")
      .def_prop_ro("spilled", &Estimate::spilled, "Sorted runs that went to disk.")
      .def("orders", &order_reports,
           "For each order: n-grams, n-grams kept, discounts, why they are not estimated (or nothing).");

  nb::class_<ArpaWriter>(m, "ArpaWriter", "An estimate as ARPA text, piece by piece.")
      .def(nb::init<Estimate&, int>(), "estimate"_a, "threads"_a = 1, nb::keep_alive<1, 2>())
      .def(
          "next", [](ArpaWriter& self) { return to_bytes(without_gil([&] { return self.next(); })); },
          "The next piece, empty at the end.");
}

}  // namespace tunesmith::bind
