#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "bind/tuning/graph_arguments.hpp"
#include "bind/tuning_arrays.hpp"
#include "tuning/graphs/graph_lines.hpp"
#include "tuning/graphs/kept_derivations.hpp"

namespace tunesmith::bind {
namespace {

// Translations read off the graphs of a pool, and where they are the best along the lines that were followed last.
struct HeldTranslations {
  HeldTranslations(std::size_t sentences, std::size_t most) : known(sentences), lines(sentences, most) {}

  void check_place(const Graphs& graphs, std::size_t first) const {
    if (first > known.sentences() || graphs.size() > known.sentences() - first)
      throw Error("there are " + std::to_string(known.sentences()) + " sentences; got graphs of sentences " +
                  std::to_string(first) + " to " + std::to_string(first + graphs.size()));
  }
  void check_numbers(const Integers& sentences, const Integers& numbers) const {
    if (sentences.size() != numbers.size()) throw Error("there must be a sentence for each translation");
    for (std::size_t i = 0; i < sentences.size(); ++i)
      if (sentences(i) < 0 || static_cast<std::size_t>(sentences(i)) >= known.sentences() || numbers(i) < 0 ||
          static_cast<std::size_t>(numbers(i)) >= known.size(static_cast<std::size_t>(sentences(i))))
        throw Error("there is no translation " + std::to_string(numbers(i)) + " of sentence " +
                    std::to_string(sentences(i)));
  }

  mutable std::shared_mutex mutex;
  KnownTranslations known;
  GraphLines lines;
};

void follow(HeldTranslations& self, const Graphs& graphs, std::size_t first, const RuleFeatures& rules,
            const Doubles& point, const Rows<double>& directions, const Doubles& low, const Doubles& high,
            int threads) {
  self.check_place(graphs, first);
  if (directions.shape(1) != point.size() || low.size() != directions.shape(0) || high.size() != low.size())
    throw Error("directions must be as long as the point, with a range for each");
  locked(self, [&] {
    self.lines.follow(graphs, first, features_of(rules, point.size()), self.known, span_of(point),
                      span_of(directions), {span_of(low), span_of(high)}, threads);
  });
}

auto best_bleu_on_lines(const HeldTranslations& self, const Doubles& low, const Doubles& high, double min_width,
                        Smoothing smoothing, double value, int threads) {
  if (low.size() != self.lines.size() || high.size() != low.size())
    throw Error("there must be one range for each line");
  std::vector<double> steps(low.size()), best(low.size());
  locked(self, [&] {
    self.known.check_measured();
    parallel_ranges(steps.size(), threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const LineOptimum found =
            self.lines.best_bleu(i, self.known, {low(i), high(i), min_width}, {smoothing, value, false});
        steps[i] = found.step;
        best[i] = found.score;
      }
    });
  });
  return array_tuple(std::move(steps), std::move(best));
}

}  // namespace

void bind_graph_tuning(nb::module_& m) {
  m.def(
      "check_graph_features",
      [](const Hypergraph& graph, const RuleFeatures& rules, std::size_t columns) {
        without_gil([&] { features_of(rules, columns).check(graph); });
      },
      "graph"_a, "rules"_a.none(), "columns"_a, "Refuses rules and features that do not exist.");
  m.def(
      "graph_scores",
      [](const Hypergraph& graph, const RuleFeatures& rules, const Doubles& w) {
        std::vector<double> scores;
        without_gil([&] { features_of(rules, w.size()).scores(graph, span_of(w), scores); });
        return to_array(std::move(scores));
      },
      "graph"_a, "rules"_a.none(), "w"_a, "The score of each edge: features of its rule and its own.");
  m.def(
      "with_kept",
      [](const Hypergraph& newer, const Hypergraph& older, std::size_t older_kept,
         const Array<std::uint64_t>& offsets, const Ids& edges, const RuleFeatures& rules, std::size_t columns) {
        const DerivationEdges derivations{copy_of(offsets), copy_of(edges)};
        if (derivations.offsets.empty() || derivations.offsets.front() != 0 ||
            derivations.offsets.back() != edges.size() ||
            !std::is_sorted(derivations.offsets.begin(), derivations.offsets.end()))
          throw Error("offsets of derivations must rise from 0 to the number of edges");
        for (std::size_t i = 0; i < edges.size(); ++i)
          if (edges(i) >= older.edges()) throw Error("there is no edge " + std::to_string(edges(i)));
        GraphWithKept found = without_gil(
            [&] { return with_kept(newer, older, older_kept, derivations, features_of(rules, columns)); });
        return std::make_tuple(std::move(found.graph), found.kept);
      },
      "newer"_a, "older"_a, "older_kept"_a, "offsets"_a, "edges"_a, "rules"_a.none(), "columns"_a,
      "The newer graph with derivations of an older one as edges of its goal, and how many there are.");
  m.def(
      "without_unreached",
      [](const Hypergraph& graph, std::size_t kept, const Doubles& scores) {
        if (scores.size() != graph.edges()) throw Error("there must be one score for each edge");
        GraphWithKept found = without_gil([&] { return without_unreached(graph, kept, span_of(scores)); });
        return std::make_tuple(std::move(found.graph), found.kept);
      },
      "graph"_a, "kept"_a, "scores"_a,
      "The graph without the derivations it keeps that score higher than its own best, and how many it keeps.");
  m.def(
      "edges_with_features",
      [](const Hypergraph& graph, const RuleFeatures& rules, std::size_t columns) {
        std::vector<std::int64_t> counts(columns);
        without_gil([&] {
          const GraphFeatures features = features_of(rules, columns);
          features.check(graph);
          for (EdgeId edge = 0; edge < graph.edges(); ++edge)
            features.visit(graph, edge, [&](std::uint32_t id, float value) { counts[id] += value != 0; });
        });
        return to_array(std::move(counts));
      },
      "graph"_a, "rules"_a.none(), "columns"_a, "For every feature, in how many edges it is not 0.");
  nb::class_<HeldTranslations>(m, "GraphTranslations",
                               "Translations read off search graphs, each once, with their metric statistics.")
      .def(nb::init<std::size_t, std::size_t>(), "sentences"_a, "columns"_a = 0,
           "columns: features whose values on all edges are kept, 4 bytes an edge; 0 where graphs are not in "
           "memory.")
      .def("follow", &follow, "graphs"_a, "first"_a, "rules"_a.none(), "point"_a, "directions"_a, "low"_a,
           "high"_a, "threads"_a = 1,
           "Finds what is best along lines, in the graphs of sentences `first`, `first` + 1, …")
      .def(
          "best",
          [](HeldTranslations& self, const Graphs& graphs, std::size_t first, const RuleFeatures& rules,
             const Doubles& w, int threads) {
            self.check_place(graphs, first);
            return to_array(locked(self, [&] {
              return self.lines.best(graphs, first, features_of(rules, w.size()), self.known, span_of(w), threads);
            }));
          },
          "graphs"_a, "first"_a, "rules"_a.none(), "w"_a, "threads"_a = 1,
          "The number of the best translation of each graph, -1 for a graph without any.")
      .def(
          "without_statistics",
          [](const HeldTranslations& self) {
            KnownTranslations::New found = locked(self, [&] { return self.known.without_statistics(); });
            return array_tuple(std::move(found.sentences), std::move(found.offsets), std::move(found.words));
          },
          "Sentences, offsets and words of the translations that have not been measured.")
      .def(
          "add_statistics",
          [](HeldTranslations& self, const Rows<double>& rows) {
            locked(self, [&] { self.known.add_statistics(span_of(rows), rows.shape(0), rows.shape(1)); });
          },
          "rows"_a, "Statistics of the translations of without_statistics().")
      .def(
          "statistics",
          [](const HeldTranslations& self, const Integers& sentences, const Integers& numbers) {
            std::vector<double> rows;
            locked(self, [&] {
              self.known.check_measured();
              self.check_numbers(sentences, numbers);
              for (std::size_t i = 0; i < sentences.size(); ++i) {
                const auto s = static_cast<std::size_t>(sentences(i));
                const auto row = self.known.row(s, self.known.row_of(s, static_cast<std::uint32_t>(numbers(i))));
                rows.insert(rows.end(), row.begin(), row.end());
              }
            });
            return to_rows(std::move(rows), sentences.size(), self.known.width());
          },
          "sentences"_a, "numbers"_a, "A row for each translation.")
      .def(
          "words",
          [](const HeldTranslations& self, const Integers& sentences, const Integers& numbers) {
            std::vector<std::int64_t> offsets{0};
            std::vector<std::uint32_t> words;
            locked(self, [&] {
              self.check_numbers(sentences, numbers);
              for (std::size_t i = 0; i < sentences.size(); ++i) {
                self.known.append_words(static_cast<std::size_t>(sentences(i)),
                                        static_cast<std::uint32_t>(numbers(i)), words);
                offsets.push_back(static_cast<std::int64_t>(words.size()));
              }
            });
            return array_tuple(std::move(offsets), std::move(words));
          },
          "sentences"_a, "numbers"_a, "Offsets and words of translations.")
      .def(
          "envelope",
          [](const HeldTranslations& self, std::size_t line) {
            CorpusEnvelope found;
            locked(self, [&] {
              if (line >= self.lines.size()) throw Error("there is no line " + std::to_string(line));
              self.known.check_measured();
              found = self.lines.envelope(line, self.known);
            });
            const std::size_t width = self.known.width(), rows = width == 0 ? 0 : found.totals.size() / width;
            return std::make_tuple(to_array(std::move(found.breakpoints)),
                                   to_rows(std::move(found.totals), rows, width));
          },
          "line"_a, "Breakpoints of a line that was followed, and the summed statistics between them.")
      .def(
          "visit",
          [](HeldTranslations& self, std::size_t line) {
            locked(self, [&] {
              if (line >= self.lines.size()) throw Error("there is no line " + std::to_string(line));
              self.lines.visit(line);
            });
          },
          "line"_a, "Remembers the derivations that are the best somewhere on a line that was followed.")
      .def(
          "forget_visited", [](HeldTranslations& self) { locked(self, [&] { self.lines.forget_visited(); }); },
          "Forgets the derivations that are remembered.")
      .def(
          "visited", [](const HeldTranslations& self) { return visits_of(self.lines.visited()); },
          "The derivations that are remembered: sentences, offsets, edges in pre-order.")
      .def("best_bleu_on_lines", &best_bleu_on_lines, "low"_a, "high"_a, "min_width"_a, "smoothing"_a, "value"_a,
           "threads"_a = 1, "For each line that was followed the step of highest BLEU, and that BLEU (0 to 1).");
}

}  // namespace tunesmith::bind
