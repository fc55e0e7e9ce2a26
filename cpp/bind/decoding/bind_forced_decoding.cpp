#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <utility>

#include "base/parallel.hpp"
#include "bind/decoding/held_leave_one_out.hpp"
#include "bind/grammar/held_table.hpp"
#include "bind/interruptible.hpp"
#include "decoding/forced/forced_decoding.hpp"

namespace tunesmith::bind {
namespace {

// A table together with the arrays it reads.
struct HeldForcedTable : ForcedTable {
  HeldForcedTable(const nb::dict& table, Doubles scores, std::size_t columns,
                  std::pair<std::size_t, std::size_t> probabilities)
      : held(table), local_scores(std::move(scores)) {
    arrays = held.table;
    local = span_of(local_scores);
    score_columns = columns;
    relative = {probabilities.first, probabilities.second};
    check();
  }

  HeldArrays held;
  Doubles local_scores;
};

auto force(const HeldForcedTable& table, const HeldLeaveOneOut* left_out, const WordIds& source,
           const Integers& source_offsets, const WordIds& target, const Integers& target_offsets,
           const Integers& pairs, const ForcedOptions& options, int threads) {
  const WordNumbers sources = numbers(source, source_offsets), targets = numbers(target, target_offsets);
  const std::size_t size = source_offsets.size() - 1;
  if (target_offsets.size() != size + 1 || pairs.size() != size)
    throw Error("there must be as many target sentences and numbers of pairs as source sentences");
  if (left_out != nullptr) {
    if (left_out->joint_counts.size() != table.local.size()) throw Error("what is left out is not of this table");
    for (std::size_t i = 0; i < size; ++i)
      if (pairs(i) < 0 || static_cast<std::size_t>(pairs(i)) >= left_out->pairs())
        throw Error("numbers of pairs must be those of what is left out");
  }
  std::vector<ForcedDerivation> found(size);
  without_gil([&] {
    run_interruptibly([&](const std::atomic<bool>& stop) {
      parallel_ranges(size, threads, [&](std::size_t begin, std::size_t end) {
        ForcedDecoding decoding(table, left_out, options);
        for (std::size_t i = begin; i < end && !stop; ++i)
          found[i] = decoding.run(sources.of(i), targets.of(i), static_cast<std::size_t>(pairs(i)));
      });
    });
  });
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> rules, begins, ends;
  std::vector<double> scores;
  for (const ForcedDerivation& each : found) {
    for (const ForcedStep& step : each.steps) {
      rules.push_back(step.rule);
      begins.push_back(step.begin);
      ends.push_back(step.end);
    }
    offsets.push_back(static_cast<std::int64_t>(rules.size()));
    scores.push_back(each.score);
  }
  return array_tuple(std::move(offsets), std::move(rules), std::move(begins), std::move(ends), std::move(scores));
}

}  // namespace

void bind_forced_decoding(nb::module_& m) {
  nb::class_<ForcedOptions>(m, "ForcedOptions", "See cpp/decoding/forced/forced_decoding.hpp.")
      .def(nb::init<>())
      .def_rw("max_length", &ForcedOptions::max_length)
      .def_rw("distortion_limit", &ForcedOptions::distortion_limit)
      .def_rw("beam", &ForcedOptions::beam)
      .def_rw("distortion_weight", &ForcedOptions::distortion_weight)
      .def_rw("own", &ForcedOptions::own)
      .def_prop_rw(
          "weights", [](const ForcedOptions& self) { return std::pair(self.weights[0], self.weights[1]); },
          [](ForcedOptions& self, std::pair<double, double> weights) {
            self.weights = {weights.first, weights.second};
          });
  nb::class_<HeldForcedTable>(m, "ForcedTable", "A phrase table and local scores, as forced decoding reads them.")
      .def(nb::init<const ArrayDict&, Doubles, std::size_t, std::pair<std::size_t, std::size_t>>(), "table"_a,
           "local"_a, "columns"_a, "relative"_a);
  m.def("force", &force, "table"_a, "left_out"_a.none(), "source"_a, "source_offsets"_a, "target"_a,
        "target_offsets"_a, "pairs"_a, "options"_a, "threads"_a,
        "Offsets, rules, begins and ends of the best derivation of each sentence pair, and its score; no rules "
        "where there is none.");
}

}  // namespace tunesmith::bind
