
#include "bind/convert.hpp"
#include "bind/references.hpp"
#include "metrics/chrf.hpp"
#include "metrics/ter.hpp"

namespace tunesmith::bind {
namespace {

template <class References>
NewRows<double> statistics(const Guarded<References>& self, nb::handle hypotheses, const Integers& sentences,
                           int threads, std::size_t width) {
  const Strings strings(hypotheses);
  return filled_rows(self, strings.size(), width, [&](std::span<double> out) {
    self.statistics(strings.views(), span_of(sentences), threads, out);
  });
}

}  // namespace

void bind_other_metrics(nb::module_& m) {
  using Chrf = Guarded<ChrfReferences>;
  nb::class_<Chrf>(m, "ChrfReferences", "The n-grams of characters and words of the references of many sentences.")
      .def(
          "__init__",
          [](Chrf* self, int char_order, int word_order, double beta) {
            new (self) Chrf(ChrfOptions{char_order, word_order, beta});
          },
          "char_order"_a, "word_order"_a, "beta"_a)
      .def("add", &add_sentences<ChrfReferences>, "sentences"_a,
           "Add sentences, each a sequence of its references.")
      .def(
          "statistics",
          [](const Chrf& self, nb::handle hypotheses, const Integers& sentences, int threads) {
            return statistics<ChrfReferences>(self, hypotheses, sentences, threads, self.width());
          },
          "hypotheses"_a, "sentences"_a, "threads"_a = 1,
          "Rows of n-grams of the hypothesis, of its best reference, and of both, for each order of characters, "
          "then of words.")
      .def("__len__", [](const Chrf& self) { return self.size(); });

  using Ter = Guarded<TerReferences>;
  nb::class_<Ter>(m, "TerReferences", "The words of the references of many sentences.")
      .def(nb::init<>())
      .def("add", &add_sentences<TerReferences>, "sentences"_a,
           "Add sentences, each a sequence of its references.")
      .def(
          "statistics",
          [](const Ter& self, nb::handle hypotheses, const Integers& sentences, int threads) {
            return statistics<TerReferences>(self, hypotheses, sentences, threads, 2);
          },
          "hypotheses"_a, "sentences"_a, "threads"_a = 1,
          "Rows of the fewest edits, shifts included, and the average length of the references.")
      .def("__len__", [](const Ter& self) { return self.size(); });
}

}  // namespace tunesmith::bind
