#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/search/candidates.hpp"
#include "bind/search/plain_arrays.hpp"
#include "search/lists/fairseq_lists.hpp"
#include "search/lists/flat_lists.hpp"
#include "search/lists/json_lists.hpp"
#include "search/lists/moses_blocks.hpp"
#include "search/lists/nbest_reader.hpp"
#include "search/lists/nbest_writer.hpp"
#include "search/lists/sockeye_lists.hpp"

namespace tunesmith::bind {
namespace {

std::vector<nb::str> names_of(const WordTable& table, std::size_t begin = 0) {
  std::vector<nb::str> names;
  for (std::size_t i = begin; i < table.size(); ++i) names.push_back(to_str(table.word(static_cast<WordId>(i))));
  return names;
}

auto tokens(TokenLists& lists) {
  return std::make_tuple(names_of(lists.table), to_array(std::move(lists.ids)),
                         to_array(std::move(lists.offsets)));
}

// The arrays of the matrix. Float where that says the same as the text.
AnyTuple matrix_of(ListPart& part) {
  PlainStorage<float> small;
  PlainStorage<double> large;
  without_gil([&] {
    if (part.narrow)
      small = std::move(part.matrix).finish<float>(part.columns);
    else
      large = std::move(part.matrix).finish<double>(part.columns);
  });
  return part.narrow ? arrays_of(std::move(small)) : arrays_of(std::move(large));
}

void bind_part(nb::module_& m) {
  nb::class_<ListPart>(m, "ListPart", "Candidates of some sentences. Arrays are handed over, once.")
      .def_ro("first", &ListPart::first, "The number of the first sentence.")
      .def_ro("columns", &ListPart::columns)
      .def(
          "offsets", [](ListPart& self) { return to_array(std::move(self.offsets)); },
          "Where the candidates of each sentence begin.")
      .def(
          "sentences", [](ListPart& self) { return to_array(std::move(self.sentences)); },
          "The sentence of every candidate, where they come in any order.")
      .def("matrix", &matrix_of, "The arrays of a plain matrix.")
      .def(
          "stated", [](const ListPart& self) { return to_array(self.matrix.stated(self.columns)); },
          "Columns that are given also where they are 0; before the matrix is handed over.")
      .def(
          "words", [](ListPart& self) { return tokens(self.words); }, "Vocabulary, ids and offsets of the words.")
      .def(
          "rest", [](ListPart& self) { return tokens(self.rest); }, "The same for what follows the score.")
      .def_ro("has_rest", &ListPart::any_rest)
      .def(
          "scores", [](ListPart& self) { return to_array(std::move(self.scores)); },
          "The scores of the lists; none where lines have none.");
}

nb::str replaced(const std::string& message) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
}

void bind_reader(nb::module_& m) {
  nb::class_<ListReader>(m, "ListReader", "Reads lists from the bytes of a file.")
      .def(
          "add",
          [](ListReader& self, nb::bytes block) {
            const std::string_view text = text_of(block);
            without_gil([&] { self.add(text); });
          },
          "block"_a, "The next bytes of the file; ValueError(message, line) for what is wrong.")
      .def("finish", &ListReader::finish, nb::call_guard<nb::gil_scoped_release>(), "No bytes follow.")
      .def(
          "features", [](ListReader& self, std::size_t begin) { return names_of(self.lists().features, begin); },
          "begin"_a = 0, "The names of the columns, from one of them on.")
      .def_prop_ro(
          "rows", [](ListReader& self) { return self.lists().rows(); }, "Candidates read and not taken.")
      .def_prop_ro(
          "columns", [](ListReader& self) { return self.lists().features.size(); }, "Features so far.")
      .def(
          "take", [](ListReader& self) { return self.lists().take(); }, nb::call_guard<nb::gil_scoped_release>(),
          "The sentences that are finished; columns keep their numbers. Those that come in any order are finished "
          "in the end.")
      .def(
          "bad_lines",
          [](const ListReader& self) {
            std::vector<std::pair<std::int64_t, nb::str>> lines;
            for (const BadLine& bad : self.bad().lines()) lines.emplace_back(bad.line, replaced(bad.message));
            return lines;
          },
          "Lines that were left out; at most a thousand.")
      .def_prop_ro(
          "bad_count", [](const ListReader& self) { return self.bad().count(); }, "How many lines were left out.");
}

SentenceOrder order_of(bool rising) {
  return rising ? SentenceOrder::rising : SentenceOrder::any;
}

auto texts_of(const std::vector<SentenceText>& given) {
  std::vector<std::tuple<std::int64_t, bool, nb::str>> out;
  for (const SentenceText& each : given) out.emplace_back(each.sentence, each.reference, to_str(each.text));
  return out;
}

}  // namespace

void bind_lists(nb::module_& m) {
  nb::enum_<NbestOrder>(m, "NbestOrder", "Order of the fields behind the words.")
      .value("features_first", NbestOrder::features_first)
      .value("score_first", NbestOrder::score_first)
      .value("alignment_first", NbestOrder::alignment_first);

  bind_part(m);
  bind_reader(m);

  nb::class_<NbestReader, ListReader>(m, "NbestReader", "Reads n-best lists whose fields are separated by |||.")
      .def(
          "__init__",
          [](NbestReader* self, NbestOrder order, bool unlabelled, bool skip_bad) {
            new (self) NbestReader(NbestReading{order, unlabelled, skip_bad});
          },
          "order"_a, "unlabelled"_a = false, "skip_bad"_a = false);

  nb::class_<JsonListReader, ListReader>(m, "JsonListReader", "Reads lists as JSON lines.")
      .def(
          "__init__",
          [](JsonListReader* self, bool rising, bool skip_bad) {
            new (self) JsonListReader(order_of(rising), skip_bad);
          },
          "rising"_a = false, "skip_bad"_a = false)
      .def(
          "extras", [](const JsonListReader& self) { return texts_of(self.extras()); },
          "Sentence, whether these are references (or the source), and the JSON of them.");

  nb::class_<SockeyeReader, ListReader>(m, "SockeyeReader", "Reads JSON lines of sockeye.")
      .def(
          "__init__",
          [](SockeyeReader* self, bool rising, bool skip_bad) {
            new (self) SockeyeReader(order_of(rising), skip_bad);
          },
          "rising"_a = false, "skip_bad"_a = false)
      .def_prop_ro("from_zero", &SockeyeReader::from_zero,
                   "Whether a line so far, kept or left out, was of sentence 0.");

  nb::class_<FairseqReader, ListReader>(m, "FairseqReader", "Reads the output of fairseq-generate.")
      .def(nb::init<bool>(), "skip_bad"_a = false)
      .def(
          "texts", [](const FairseqReader& self) { return texts_of(self.texts()); },
          "Sentence, whether it is a reference (or the source), and the text.");

  nb::class_<FlatReader, ListReader>(m, "FlatReader",
                                     "Reads flat files, and a second file with columns of numbers.")
      .def(nb::init<std::int64_t, bool, bool>(), "size"_a, "beside"_a = false, "skip_bad"_a = false)
      .def(
          "add_scores",
          [](FlatReader& self, nb::bytes block) {
            const std::string_view text = text_of(block);
            without_gil([&] { self.add_scores(text); });
          },
          "block"_a, "The next bytes of the file of scores, before the lines that they belong to.")
      .def("finish_scores", &FlatReader::finish_scores, "No scores follow.")
      .def_prop_ro("score_rows", &FlatReader::score_rows, "Rows of scores so far.")
      .def("check", &FlatReader::check, "ValueError if the lists cannot be read.")
      .def("check_scores", &FlatReader::check_scores, "ValueError if the scores cannot be used.")
      .def("check_end", &FlatReader::check_end, "ValueError if scores are left.");

  nb::class_<MosesBlockReader, ListReader>(m, "MosesBlockReader", "Reads features.dat or scores.dat of Moses.")
      .def(nb::init<bool>(), "scores"_a)
      .def(
          "statistics", [](MosesBlockReader& self) { return to_array(std::move(self.statistics())); },
          "The statistics of all candidates one after the other; once.")
      .def_prop_ro("width", &MosesBlockReader::width)
      .def_prop_ro("metric", [](const MosesBlockReader& self) { return to_str(self.metric()); });
}

}  // namespace tunesmith::bind
