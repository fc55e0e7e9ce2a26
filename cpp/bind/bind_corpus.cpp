#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/convert.hpp"
#include "corpus/subwords.hpp"
#include "corpus/vocab.hpp"

namespace tunesmith::bind {
namespace {

// A lone surrogate is not text and therefore in no vocabulary.
std::optional<WordId> find(const Vocabulary& self, nb::str word) {
  try {
    return self.find(text_of(word));
  } catch (const nb::python_error&) {
    return std::nullopt;
  }
}

auto encode(const Vocabulary& self, const StringSequence& lines, int threads) {
  const Strings strings(lines);
  EncodedLines encoded = without_gil([&] { return self.encode(strings.views(), threads); });
  return array_tuple(std::move(encoded.ids), std::move(encoded.offsets));
}

std::vector<nb::str> decode(const Vocabulary& self, const Array<WordId>& ids, const Integers& offsets) {
  std::vector<nb::str> out;
  for (const std::string& line : without_gil([&] { return self.decode(span_of(ids), span_of(offsets)); }))
    out.push_back(to_str(line));
  return out;
}

std::tuple<std::vector<nb::str>, NewArray<std::uint32_t>, NewArray<std::int64_t>> join(
    const StringSequence& vocabulary, const Ids& ids, const Integers& offsets, SubwordMarks marks) {
  const Strings strings(vocabulary);
  JoinedWords joined =
      without_gil([&] { return join_pieces(strings.views(), span_of(ids), span_of(offsets), marks); });
  std::vector<nb::str> words;
  for (std::size_t i = 0; i < joined.table.size(); ++i)
    words.push_back(to_str(joined.table.word(static_cast<WordId>(i))));
  return {std::move(words), to_array(std::move(joined.ids)), to_array(std::move(joined.offsets))};
}

}  // namespace

void bind_corpus(nb::module_& m) {
  nb::class_<Vocabulary>(m, "Vocabulary", "A fixed list of words with counts; <unk>, <s>, </s> come first.")
      .def(
          "__init__",
          [](Vocabulary* self, nb::handle words, const Integers& counts) {
            const Strings strings(words);
            nb::gil_scoped_release release;
            new (self) Vocabulary(strings.views(), copy_of(counts));
          },
          "words"_a, "counts"_a)
      .def("__len__", &Vocabulary::size)
      .def("find", &find, "word"_a, "The number of the word, or None.")
      .def(
          "word", [](const Vocabulary& self, std::int64_t id) { return to_str(self.word(id)); }, "id"_a,
          "The word with this number.")
      .def(
          "words",
          [](const Vocabulary& self) {
            std::vector<nb::str> out;
            for (std::size_t i = 0; i < self.size(); ++i) out.push_back(to_str(self.word(static_cast<WordId>(i))));
            return out;
          },
          "All words in order.")
      .def(
          "counts", [](const Vocabulary& self) { return to_array(self.counts()); },
          "The count of every word, in a new array.")
      .def("encode", &encode, "lines"_a, "threads"_a = 1, "Word numbers of all lines, and where each line begins.")
      .def("decode", &decode, "ids"_a, "offsets"_a,
           "The lines with these word numbers, words joined by one space.");

  using Counter = Guarded<WordCounter>;
  nb::class_<Counter>(m, "WordCounter", "Counts the words of any number of lines.")
      .def(nb::init<>())
      .def(
          "add",
          [](Counter& self, nb::handle lines) {
            const Strings strings(lines);
            locked(self, [&] { self.add(strings.views()); });
          },
          "lines"_a, "Count the words of these lines.")
      .def_prop_ro(
          "tokens", [](const Counter& self) { return self.tokens(); }, "Words counted so far.")
      .def_prop_ro(
          "types", [](const Counter& self) { return self.types(); }, "Different words so far.")
      .def(
          "choose",
          [](const Counter& self, std::optional<std::int64_t> limit, std::int64_t min_count) {
            return locked(self, [&] { return self.choose(limit, min_count); });
          },
          "limit"_a.none(), "min_count"_a, "The most frequent words; all others are counted as <unk>.");

  nb::enum_<SubwordMarks>(m, "SubwordMarks", "How pieces of words are marked.")
      .value("bpe", SubwordMarks::bpe)
      .value("sentencepiece", SubwordMarks::sentencepiece);
  m.def("join_pieces", &join, "vocabulary"_a, "ids"_a, "offsets"_a, "marks"_a,
        "Words instead of pieces: their vocabulary, ids, and where each sentence begins.");
}

}  // namespace tunesmith::bind
