
#include "bind/convert.hpp"
#include "bind/references.hpp"
#include "metrics/bleu.hpp"
#include "metrics/ngram_statistics.hpp"
#include "metrics/reference_ngrams.hpp"

namespace tunesmith::bind {
namespace {

using References = Guarded<ReferenceNgrams>;

NewRows<double> statistics(const References& self, nb::handle hypotheses, const Integers& sentences,
                           LengthRule length, bool information, int threads) {
  const Strings strings(hypotheses);
  return filled_rows(self, strings.size(), statistics_width(self.order()), [&](std::span<double> out) {
    ngram_statistics(self, strings.views(), span_of(sentences), {length, information, threads}, out);
  });
}

NewRows<double> word_statistics(const References& self, nb::handle texts, const Integers& words, const Ids& ids,
                                const Integers& offsets, const Integers& sentences, LengthRule length,
                                bool information, int threads) {
  const Strings strings(texts);
  return filled_rows(self, sentences.size(), statistics_width(self.order()), [&](std::span<double> out) {
    const WordTokens tokens(strings.views(), span_of(words));
    const WordIds hypotheses{span_of(ids), span_of(offsets), tokens};
    ngram_statistics(self, hypotheses, span_of(sentences), {length, information, threads}, out);
  });
}

// Applies a score to every row of statistics.
template <class Score>
NewArray<double> score_rows(const Rows<double>& rows, Score score) {
  if (rows.shape(1) < 4 || rows.shape(1) % 2 != 0) throw Error("rows must have 2 + 2 × order statistics");
  const int order = static_cast<int>(rows.shape(1) / 2) - 1;
  std::vector<double> out(rows.shape(0));
  without_gil([&] {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = score(rows.data() + i * rows.shape(1), order);
  });
  return to_array(std::move(out));
}

}  // namespace

void bind_metrics(nb::module_& m) {
  nb::enum_<LengthRule>(m, "LengthRule", "Which of several reference lengths a hypothesis is compared with.")
      .value("closest", LengthRule::closest)
      .value("shortest", LengthRule::shortest)
      .value("average", LengthRule::average);
  nb::enum_<Smoothing>(m, "Smoothing", "What stands for an n-gram order without matches.")
      .value("none", Smoothing::none)
      .value("floor", Smoothing::floor)
      .value("add_k", Smoothing::add_k)
      .value("exp", Smoothing::exp);

  nb::class_<References>(m, "ReferenceNgrams", "The n-grams of the references of many sentences.")
      .def(nb::init<int>(), "order"_a)
      .def("add", &add_sentences<ReferenceNgrams>, "sentences"_a,
           "Add sentences, each a sequence of its references. A repeated reference counts once.")
      .def(
          "compute_information", [](References& self) { locked(self, [&] { self.compute_information(); }); },
          "Compute NIST information weights over all references; no sentence can be added afterwards.")
      .def(
          "reference_counts",
          [](const References& self) {
            std::vector<std::int64_t> counts(self.size());
            for (std::size_t i = 0; i < counts.size(); ++i)
              counts[i] = static_cast<std::int64_t>(self.reference_count(i));
            return to_array(std::move(counts));
          },
          "The number of different references of each sentence.")
      .def("statistics", &statistics, "hypotheses"_a, "sentences"_a, "length"_a, "information"_a = false,
           "threads"_a = 1,
           "Rows of statistics of hypotheses[i] against the references of sentence sentences[i]: hypothesis "
           "length, "
           "reference length, clipped matches per order (or their information), n-grams per order.")
      .def("word_statistics", &word_statistics, "texts"_a, "words"_a, "ids"_a, "offsets"_a, "sentences"_a,
           "length"_a, "information"_a = false, "threads"_a = 1,
           "The same for hypotheses given as ids: hypothesis i has the words ids[offsets[i] : offsets[i + 1]]; "
           "texts[j] holds the tokens of word words[j]; `words` rise.")
      .def("__len__", [](const References& self) { return self.size(); });

  m.def(
      "bleu",
      [](const Rows<double>& rows, Smoothing smoothing, double value, bool effective_order) {
        return score_rows(rows, [&](const double* row, int order) {
          return bleu(row, order, {smoothing, value, effective_order});
        });
      },
      "rows"_a, "smoothing"_a, "value"_a, "effective_order"_a, "BLEU (0 to 1) of every row of statistics.");
  m.def(
      "bleu_plus_one",
      [](const Rows<double>& rows, bool smooth_unigrams, bool smooth_brevity, bool grounded) {
        return score_rows(rows, [&](const double* row, int order) {
          return bleu_plus_one(row, order, {smooth_unigrams, smooth_brevity, grounded});
        });
      },
      "rows"_a, "smooth_unigrams"_a, "smooth_brevity"_a, "grounded"_a,
      "BLEU+1 (Lin and Och 2004) of every row, with the extensions of Nakov et al. 2012 by choice.");
  m.def(
      "bleu_interpolated",
      [](const Rows<double>& rows) {
        return score_rows(rows, [](const double* row, int order) { return bleu_interpolated(row, order); });
      },
      "rows"_a, "Interpolated sentence BLEU (Liang et al. 2006) of every row.");
}

}  // namespace tunesmith::bind
