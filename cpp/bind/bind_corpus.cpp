#include <nanobind/stl/optional.h>

#include "bind/convert.hpp"
#include "corpus/vocab.hpp"

namespace tunesmith::bind {
namespace {

using namespace nb::literals;
using WordIds = nb::ndarray<const WordId, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::str to_str(std::string_view text) {
  return nb::str(text.data(), text.size());
}

// The bytes of one word. A lone surrogate is no text and therefore in no vocabulary.
std::optional<WordId> find(const Vocabulary& self, nb::str word) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(word.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return self.find({bytes, static_cast<std::size_t>(size)});
}

nb::object encode(const Vocabulary& self, nb::handle lines, int threads) {
  const Strings strings(lines);
  EncodedLines encoded;
  {
    nb::gil_scoped_release release;
    encoded = self.encode(strings.views(), threads);
  }
  return nb::make_tuple(to_array(std::move(encoded.ids)), to_array(std::move(encoded.offsets)));
}

nb::list decode(const Vocabulary& self, const WordIds& ids, const Integers& offsets) {
  std::vector<std::string> lines;
  {
    nb::gil_scoped_release release;
    lines = self.decode({ids.data(), ids.size()}, {offsets.data(), offsets.size()});
  }
  nb::list out;
  for (const std::string& line : lines) out.append(to_str(line));
  return out;
}

}  // namespace

void bind_corpus(nb::module_& m) {
  nb::class_<Vocabulary>(m, "Vocabulary", "A fixed list of words with counts; <unk>, <s>, </s> come first.")
      .def(
          "__init__",
          [](Vocabulary* self, nb::handle words, const Integers& counts) {
            new (self)
                Vocabulary(Strings(words).views(), std::vector(counts.data(), counts.data() + counts.size()));
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
            nb::list out;
            for (std::size_t i = 0; i < self.size(); ++i) out.append(to_str(self.word(static_cast<WordId>(i))));
            return out;
          },
          nb::sig("def words(self) -> list[str]"), "All words in order.")
      .def(
          "counts", [](const Vocabulary& self) { return to_array(std::vector(self.counts())); },
          "The count of every word, in a new array.")
      .def("encode", &encode, "lines"_a, "threads"_a = 1,
           nb::sig("def encode(self, lines: collections.abc.Sequence[str], threads: int = 1) -> "
                   "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]"),
           "Word numbers of all lines, and where each line begins.")
      .def("decode", &decode, "ids"_a, "offsets"_a,
           nb::sig("def decode(self, ids: numpy.typing.NDArray[numpy.int32], "
                   "offsets: numpy.typing.NDArray[numpy.int64]) -> list[str]"),
           "The lines with these word numbers, words joined by one space.");

  nb::class_<WordCounter>(m, "WordCounter", "Counts the words of any number of lines.")
      .def(nb::init<>())
      .def(
          "add",
          [](WordCounter& self, nb::handle lines) {
            const Strings strings(lines);
            nb::gil_scoped_release release;
            self.add(strings.views());
          },
          "lines"_a, "Count the words of these lines.")
      .def_prop_ro("tokens", &WordCounter::tokens, "Words counted so far.")
      .def_prop_ro("types", &WordCounter::types, "Different words so far.")
      .def("choose", &WordCounter::choose, "limit"_a.none(), "min_count"_a,
           nb::call_guard<nb::gil_scoped_release>(), "The most frequent words; all others are counted as <unk>.");
}

}  // namespace tunesmith::bind
