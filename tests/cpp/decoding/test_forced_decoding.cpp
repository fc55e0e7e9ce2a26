// Forced decoding of sentences of two words, by hand.
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "decoding/forced/forced_decoding.hpp"

using namespace tunesmith;

namespace {

constexpr Symbol a = 3, b = 4, A = 3, B = 4;

// a / A, a / B, a b / A B, b / B, b / A; each with p(e|f) and p(f|e).
struct Phrases {
  std::vector<std::uint64_t> source_offsets{0, 1, 3, 4}, source_rules{0, 2, 3, 5},
      target_offsets{0, 1, 2, 4, 5, 6};
  std::vector<Symbol> source_symbols{a, a, b, b}, target_symbols{A, B, A, B, B, A};
  std::vector<float> scores = std::vector<float>(10, 0.5f);
  std::vector<double> local{-1, -1, -5, -1, -1};

  ForcedTable table() const {
    ForcedTable out;
    out.arrays.source_offsets = source_offsets;
    out.arrays.source_rules = source_rules;
    out.arrays.target_offsets = target_offsets;
    out.arrays.source_symbols = source_symbols;
    out.arrays.target_symbols = target_symbols;
    out.arrays.scores = scores;
    out.local = local;
    out.score_columns = 2;
    return out;
  }
};

ForcedDerivation best(const ForcedTable& table, std::vector<WordId> source, std::vector<WordId> target,
                      const ForcedOptions& options) {
  return ForcedDecoding(table, nullptr, options).run(source, target, 0);
}

}  // namespace

TEST(forced_decoding_takes_the_best_segmentation) {
  const Phrases phrases;
  const ForcedTable table = phrases.table();
  table.check();
  const ForcedDerivation found = best(table, {a, b}, {A, B}, {});
  CHECK(found.score == -2);
  CHECK(found.steps.size() == 2 && found.steps[0].rule == 0 && found.steps[1].rule == 3);
  const ForcedDerivation swapped = best(table, {b, a}, {A, B}, {.distortion_weight = 0.25});
  CHECK(swapped.score == -2);  // b / A, a / B stays in order
  CHECK(best(table, {a, b}, {B, A}, {.distortion_limit = 0}).steps.size() == 2);
  CHECK(best(table, {a, b}, {A, A, A}, {}).steps.empty());
  CHECK(best(table, {a, 9}, {A, B}, {}).steps.empty());
  CHECK(best(table, {}, {A}, {}).steps.empty());
  CHECK(best(table, {a, b}, {A, B}, {.beam = 1}).score <= -2);
}

TEST(forced_decoding_refuses_tables_that_do_not_fit) {
  for (const int wrong : {0, 1, 2, 3, 4}) {
    Phrases phrases;
    if (wrong == 0) phrases.source_rules[3] = 6;
    if (wrong == 1) phrases.target_offsets[2] = 9;
    if (wrong == 2) phrases.scores.pop_back();
    if (wrong == 3) phrases.local[0] = std::numeric_limits<double>::quiet_NaN();
    if (wrong == 4) phrases.source_offsets.clear();
    bool refused = false;
    try {
      phrases.table().check();
    } catch (const Error&) {
      refused = true;
    }
    CHECK(refused);
  }
}
