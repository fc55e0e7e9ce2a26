#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/convert.hpp"
#include "lm/arpa_reader.hpp"
#include "lm/batch.hpp"
#include "lm/builder.hpp"
#include "lm/chart_state.hpp"
#include "lm/class_words.hpp"
#include "lm/estimate.hpp"
#include "lm/model.hpp"

namespace tunesmith::bind {
namespace {

using namespace tunesmith::lm;

// States as Python holds them: they know their model. 0 is that of the empty context, which fits every model.
struct BoundState {
  State state;
  std::uint64_t model = 0;

  friend bool operator==(const BoundState& a, const BoundState& b) {
    return a.state == b.state && (a.model == b.model || a.state.length == 0);
  }
};

struct BoundChartState {
  ChartState state;
  std::uint64_t model;

  friend bool operator==(const BoundChartState& a, const BoundChartState& b) {
    return a.model == b.model && a.state == b.state;
  }
};

void check_model(const Model& self, std::uint64_t model) {
  if (model != self.identity() && model != 0)
    throw Error("the state is of another model; a state can be used with the model that made it alone");
}

auto score(const Model& self, const StringSequence& lines, bool begin, bool end, int threads) {
  const Strings strings(lines);
  LineScores scores = without_gil([&] { return score_lines(self, strings.views(), begin, end, threads); });
  return array_tuple(std::move(scores.total), std::move(scores.of_known), std::move(scores.words),
                     std::move(scores.unknown));
}

auto score_each_word(const Model& self, const StringSequence& lines, bool begin, bool end) {
  const Strings strings(lines);
  WordScores scores = without_gil([&] { return score_words(self, strings.views(), begin, end); });
  return array_tuple(std::move(scores.offsets), std::move(scores.probability), std::move(scores.length),
                     std::move(scores.id));
}

std::uint32_t checked_id(const Model& self, std::int64_t id) {
  if (id < 0 || id >= static_cast<std::int64_t>(self.vocabulary()))
    throw Error("word number " + std::to_string(id) + " is not between 0 and " +
                std::to_string(self.vocabulary()));
  return static_cast<std::uint32_t>(id);
}

NewArray<float> score_ngrams(const Model& self, const Rows<std::int32_t>& rows) {
  return to_array(without_gil([&] { return score_rows(self, span_of(rows), rows.shape(1)); }));
}

auto score_word(const Model& self, const BoundState& state, std::int64_t id) {
  check_model(self, state.model);
  BoundState out{{}, self.identity()};
  const Scored scored = self.score(state.state, checked_id(self, id), out.state);
  return std::make_tuple(scored.probability, scored.length, out);
}

nb::tuple state_words(const BoundState& self) {
  nb::list words;
  for (std::uint32_t i = 0; i < self.state.length; ++i) words.append(self.state.words[i]);
  return nb::tuple(words);
}

void add_piece(const Model& self, PieceScorer& scorer, const nb::tuple& piece) {
  float score = 0;
  if (piece.size() != 2 || !nb::isinstance<BoundChartState>(piece[0]) || !nb::try_cast(piece[1], score))
    throw nb::type_error("a piece is a tuple of a ChartState and its score");
  const auto& bound = nb::cast<const BoundChartState&>(piece[0]);
  check_model(self, bound.model);
  scorer.add_piece(bound.state, score);
}

// Words are numbers, pieces are (state, score): one piece more.
auto score_piece(const Model& self, nb::handle items, bool begin) {
  BoundChartState out{{}, self.identity()};
  PieceScorer scorer(self, out.state);
  if (begin) scorer.add_begin();
  for (nb::handle item : items) {
    if (nb::isinstance<nb::tuple>(item)) {
      add_piece(self, scorer, nb::borrow<nb::tuple>(item));
      continue;
    }
    std::int64_t word = 0;
    if (!nb::try_cast(item, word)) throw nb::type_error("an item is a word number or a piece (state, score)");
    scorer.add_word(checked_id(self, word));
  }
  const float log_probability = scorer.finish();
  return std::make_tuple(out, log_probability);
}

}  // namespace

void bind_lm_model(nb::module_& m) {
  nb::class_<ClassWords>(m, "ClassWords", "The words of a class language model.")
      .def(
          "__init__",
          [](ClassWords* self, const StringSequence& words, const Array<std::int32_t>& numbers,
             const Array<float>& probabilities, std::uint32_t unknown, float unknown_probability) {
            const Strings strings(words);
            new (self) ClassWords(strings.views(), span_of(numbers), span_of(probabilities),
                                  {unknown, unknown_probability});
          },
          "words"_a, "numbers"_a, "probabilities"_a, "unknown"_a, "unknown_probability"_a,
          "For each word the number of its class in the model of classes and log10 p(word | class); the same of "
          "unknown words.")
      .def(
          "find",
          [](const ClassWords& self, const std::string& word) {
            const ClassWord found = self.find(word);
            return std::make_tuple(found.number, found.probability);
          },
          "word"_a, "Number of the class and log10 p(word | class) of any word.");
  nb::class_<Model>(m, "LmModel", "A back-off language model for queries.")
      .def_static(
          "map",
          [](int file, const std::string& name, std::uint64_t whole_up_to) {
            return new Model(Image::map(file, name, whole_up_to));
          },
          "file"_a, "name"_a, "whole_up_to"_a, nb::call_guard<nb::gil_scoped_release>(),
          nb::rv_policy::take_ownership,
          "The model in an open binary file, by memory map; `name` is for messages. Larger files than "
          "`whole_up_to` bytes are checked in "
          "samples.")
      .def_static(
          "from_bytes", [](nb::bytes bytes) { return new Model(Image::copy({bytes.c_str(), bytes.size()})); },
          "bytes"_a, nb::rv_policy::take_ownership, "The model in the bytes of a binary file.")
      .def_static(
          "from_estimate", [](Estimate& estimate) { return new Model(to_image(estimate)); }, "estimate"_a,
          nb::call_guard<nb::gil_scoped_release>(), nb::rv_policy::take_ownership,
          "The model of an estimate, which is used up.")
      .def_prop_ro("order", &Model::order)
      .def("__len__", &Model::vocabulary)
      .def_prop_ro("ngrams",
                   [](const Model& self) {
                     const auto& counts = self.image().sizes().ngrams;
                     return std::vector<std::uint64_t>(counts, counts + self.order());
                   })
      .def(
          "ids",
          [](const Model& self, const StringSequence& words) {
            const Strings strings(words);
            std::vector<std::int32_t> ids;
            for (const std::string_view word : strings.views())
              ids.push_back(static_cast<std::int32_t>(self.id(word)));
            return to_array(std::move(ids));
          },
          "words"_a, "The number of each word, 0 where it is unknown.")
      .def(
          "word", [](const Model& self, std::int64_t id) { return to_str(self.word(checked_id(self, id))); },
          "id"_a, "The word with this number.")
      .def("score", &score, "lines"_a, "begin"_a = true, "end"_a = true, "threads"_a = 1,
           "For each line: log10 probability, the part of known words in it, words, unknown words.")
      .def("score_words", &score_each_word, "lines"_a, "begin"_a = true, "end"_a = true,
           "Where lines begin; for each word log10 probability, length of the n-gram that matched, number.")
      .def("score_ngrams", &score_ngrams, "rows"_a, "log10 p(last | words before) for each row of word numbers.")
      .def(
          "begin_state", [](const Model& self) { return BoundState{self.begin(), self.identity()}; },
          "The state after <s>.")
      .def("score_word", &score_word, "state"_a, "id"_a,
           "log10 probability, length matched, state after the word.")
      .def("score_piece", &score_piece, "items"_a, "begin"_a = false,
           nb::sig("def score_piece(self, items: collections.abc.Sequence[int | tuple[ChartState, float]], "
                   "begin: bool = False) -> tuple[ChartState, float]"),
           "Chart state and score of a piece made of word numbers and (state, score) pieces.")
      .def_prop_ro(
          "blocks", [](const Model& self) { return self.image().block_count(); },
          "How many blocks of the image have their own checksum.")
      .def(
          "check_blocks",
          [](const Model& self, std::uint64_t begin, std::uint64_t end) { self.image().check_blocks(begin, end); },
          "begin"_a, "end"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Compare blocks `begin` to `end` with their checksums; ValueError if one is damaged.")
      .def_prop_ro(
          "image",
          [](nb::handle self) {
            const auto bytes = nb::cast<const Model&>(self).image().bytes();
            return nb::steal(PyMemoryView_FromMemory(const_cast<char*>(bytes.data()),
                                                     static_cast<Py_ssize_t>(bytes.size()), PyBUF_READ));
          },
          nb::for_getter(nb::sig("def image(self) -> memoryview")),
          "The bytes of the binary file; valid while the model lives.");

  nb::class_<BoundState>(m, "LmState", "The words a model must remember, nearest first.")
      .def(nb::init<>())
      .def_prop_ro("words", &state_words, nb::for_getter(nb::sig("def words(self) -> tuple[int, ...]")))
      .def("__len__", [](const BoundState& self) { return self.state.length; })
      .def(
          "__eq__", [](const BoundState& a, const BoundState& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__", [](const BoundState& self) { return static_cast<Py_ssize_t>(self.state.hash() >> 1); });
  nb::class_<BoundChartState>(m, "ChartState", "What a piece of a sentence shows to its neighbours.")
      .def_prop_ro("left_length", [](const BoundChartState& self) { return self.state.left_length; })
      .def_prop_ro("left_full", [](const BoundChartState& self) { return self.state.left_full; })
      .def_prop_ro("right", [](const BoundChartState& self) { return BoundState{self.state.right, self.model}; })
      .def(
          "__eq__", [](const BoundChartState& a, const BoundChartState& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__",
           [](const BoundChartState& self) { return static_cast<Py_ssize_t>(self.state.hash() >> 1); });

  nb::class_<ArpaReader>(m, "ArpaReader", "Reads ARPA text piece by piece.")
      .def(nb::init<>())
      .def(
          "add",
          [](ArpaReader& self, nb::bytes bytes) {
            const std::string_view view = text_of(bytes);
            without_gil([&] { self.add(view); });
          },
          "bytes"_a, "The next bytes, cut anywhere.")
      .def(
          "finish", [](ArpaReader& self) { return new Model(self.finish()); },
          nb::call_guard<nb::gil_scoped_release>(), nb::rv_policy::take_ownership, "The model.")
      .def_prop_ro("notes", [](const ArpaReader& self) { return self.notes(); });
}

}  // namespace tunesmith::bind
