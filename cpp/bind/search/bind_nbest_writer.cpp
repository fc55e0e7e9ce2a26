#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/search/candidates.hpp"
#include "search/lists/nbest_writer.hpp"

namespace tunesmith::bind {
namespace {

using Tokens = std::tuple<nb::object, Ids, Integers>;

// Tokens of `candidates` sequences, every index checked. `vocabulary` holds the strings.
TokenTexts texts_of(const Tokens& tokens, const Strings& vocabulary, std::size_t candidates) {
  const auto& [names, ids, offsets] = tokens;
  const auto ends = span_of(offsets);
  const auto numbers = span_of(ids);
  if (ends.size() != candidates + 1 || ends.front() != 0 || !std::is_sorted(ends.begin(), ends.end()) ||
      ends.back() != static_cast<std::int64_t>(numbers.size()))
    throw Error("offsets of words must rise from 0 to their number");
  for (const std::uint32_t id : numbers)
    if (id >= vocabulary.size()) throw Error("word " + std::to_string(id) + " is not in the vocabulary");
  return {vocabulary.views(), numbers, ends};
}

// Formats one range of sentences after the other; everything is checked once.
class NbestWriter {
 public:
  NbestWriter(const HeldLists& lists,
              const std::vector<std::tuple<std::string, std::vector<std::uint32_t>, bool>>& labels, bool narrow,
              NbestOrder order, bool joined, Tokens words, std::optional<Tokens> rest, Doubles scores)
      : words_(words),
        rest_(rest),
        scores_(scores),
        vocabulary_(std::get<0>(words)),
        rest_vocabulary_(rest ? std::get<0>(*rest) : nb::object(nb::tuple())),
        lists_(lists.lists),
        order_(order),
        joined_(joined) {
    const std::size_t candidates = lists.lists.matrix.rows(), columns = lists.lists.matrix.columns();
    std::vector<bool> named(columns);
    for (const auto& [name, ids, always] : labels) {
      for (const std::uint32_t id : ids) {
        if (id >= columns) throw Error("a label names column " + std::to_string(id) + ", which does not exist");
        named[id] = true;
      }
      if (joined && ids.size() != 1) throw Error("a name that is joined to its value has one column");
      labels_.push_back({name, ids, always});
    }
    if (std::find(named.begin(), named.end(), false) != named.end()) throw Error("a column has no label");
    if (scores.size() != 0 && scores.size() != candidates) throw Error("there must be a score for each candidate");
    if (scores.size() == 0 && candidates > 0 && (rest || order == NbestOrder::score_first))
      throw Error("there are no scores, which lines of this order need");
    texts_ = texts_of(words_, vocabulary_, candidates);
    if (rest) rest_texts_ = texts_of(*rest_, rest_vocabulary_, candidates);
    narrow_ = narrow;
  }

  std::string format(std::size_t begin, std::size_t end, std::size_t first) const {
    if (begin > end || end > lists_.sentences()) throw Error("there are no such sentences");
    return format_nbest({lists_, labels_, narrow_, texts_, rest_ ? &rest_texts_ : nullptr, span_of(scores_), first,
                         order_, joined_},
                        begin, end);
  }

 private:
  Tokens words_;
  std::optional<Tokens> rest_;
  Doubles scores_;
  Strings vocabulary_, rest_vocabulary_;
  CandidateLists lists_;
  NbestOrder order_;
  bool joined_;
  std::vector<NbestLabel> labels_;
  TokenTexts texts_, rest_texts_;
  bool narrow_ = false;
};

}  // namespace

void bind_nbest_writer(nb::module_& m) {
  nb::class_<NbestWriter>(m, "NbestWriter", "Writes n-best lists with fields separated by |||.")
      .def(
          nb::init<const HeldLists&, const std::vector<std::tuple<std::string, std::vector<std::uint32_t>, bool>>&,
                   bool, NbestOrder, bool, Tokens, std::optional<Tokens>, Doubles>(),
          "lists"_a, "labels"_a, "narrow"_a, "order"_a, "joined"_a, "words"_a, "rest"_a.none(), "scores"_a,
          nb::keep_alive<1, 2>(),
          nb::sig("def __init__(self, lists: CandidateLists, labels: collections.abc.Sequence[tuple[str, "
                  "collections.abc.Sequence[int], bool]], narrow: bool, order: NbestOrder, joined: bool, words: "
                  "tuple[typing.Any, ...], rest: "
                  "tuple[typing.Any, ...] | None, scores: numpy.typing.NDArray[numpy.float64]) -> None"))
      .def(
          "format",
          [](const NbestWriter& self, std::size_t begin, std::size_t end, std::size_t first) {
            return to_str(without_gil([&] { return self.format(begin, end, first); }));
          },
          "begin"_a, "end"_a, "first"_a = 0,
          "The lines of the candidates of these sentences; first: the number that sentence 0 gets.");
}

}  // namespace tunesmith::bind
