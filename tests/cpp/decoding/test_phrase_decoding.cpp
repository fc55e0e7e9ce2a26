#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "decoding/phrase/coverage.hpp"
#include "decoding/phrase/forced_phrases.hpp"
#include "features/search/reordering/distortion.hpp"
#include "features/search/reordering/reordering.hpp"

using namespace tunesmith;

namespace {

// Words that are covered, one bit each.
std::vector<bool> bits(const CoverageSet& set, CoverageId id, std::size_t words) {
  std::vector<bool> out(words);
  for (std::uint32_t at = 0; at < words; ++at) out[at] = at < set.gap(id) || set.covers(id, at - set.gap(id));
  return out;
}

}  // namespace

TEST(coverages_are_sets_of_words_with_one_number_each) {
  for (const std::uint32_t reach : {0u, 1u, 5u, 63u, 64u, 100u, 200u, 255u}) {
    CoverageSet set;
    set.reset(reach);
    std::mt19937 random(reach);
    const std::uint32_t words = 400;
    std::map<std::vector<bool>, CoverageId> numbers{{std::vector<bool>(words), 0}};
    for (int round = 0; round < 20; ++round) {
      CoverageId id = 0;
      std::vector<bool> wanted(words);
      while (set.gap(id) < words) {
        const std::uint32_t gap = set.gap(id), length = 1 + static_cast<std::uint32_t>(random() % 7);
        std::uint32_t begin = gap;
        if (reach > 0 && random() % 3 != 0) begin += static_cast<std::uint32_t>(random() % reach);
        std::uint32_t end = begin;
        while (end < std::min(words, begin + length) && !wanted[end]) ++end;
        if (begin != gap) end = std::min(end, gap + reach);
        if (end <= begin) continue;
        std::fill(wanted.begin() + begin, wanted.begin() + end, true);
        id = set.extend(id, begin, end);
        CHECK(bits(set, id, words) == wanted);
        CHECK(numbers.try_emplace(wanted, id).first->second == id);
        const auto first =
            static_cast<std::uint32_t>(std::find(wanted.begin(), wanted.end(), false) - wanted.begin());
        const auto last = wanted.rend() - std::find(wanted.rbegin(), wanted.rend(), true);
        CHECK(set.gap(id) == first);
        CHECK(set.reach(id) == (last > first ? static_cast<std::uint32_t>(last) - first : 0));
      }
    }
    CHECK(set.size() == numbers.size());
  }
}

TEST(orientations_are_seen_from_the_phrase_in_front) {
  CHECK(orientation(0, 0, 0, 2) == Orientation::monotone);
  CHECK(orientation(0, 0, 1, 2) == Orientation::discontinuous_right);
  CHECK(orientation(3, 5, 5, 6) == Orientation::monotone);
  CHECK(orientation(3, 5, 1, 3) == Orientation::swap);
  CHECK(orientation(3, 5, 6, 7) == Orientation::discontinuous_right);
  CHECK(orientation(3, 5, 1, 2) == Orientation::discontinuous_left);
}

TEST(reordering_wants_known_columns_and_a_value_for_each_rule) {
  const std::vector<std::string> columns{"previous-monotone", "next-non-monotone"};
  const std::vector<float> values{-1, -2, -3, -4};
  const LexicalReordering fits(columns, {0, 1}, values, 2);
  CHECK(fits.dense_ids().size() == 2);
  CHECK_THROWS(LexicalReordering(columns, {0, 1}, values, 3), Error);
  CHECK_THROWS(LexicalReordering(columns, {0}, values, 2), Error);
  for (const std::string wrong : {"", "previous", "monotone", "previous-", "next-monotonous", "behind-swap"})
    CHECK_THROWS(LexicalReordering(std::vector{wrong, columns[1]}, {0, 1}, values, 2), Error);
}

// States that are equal have equal hashes, and only phrases that will be scored alike are equal.
TEST(reordering_joins_phrases_with_equal_probabilities_towards_the_next) {
  const std::vector<std::string> columns{"previous-monotone", "next-monotone"};
  const std::vector<float> values{-1, -2, -3, -2, -1, -4};  // rules 0 and 1 are alike towards the next
  LexicalReordering feature(columns, {0, 1}, values, 3);
  feature.set_weights(std::vector{0.5, 0.25});
  const Sentence sentence;
  alignas(8) std::byte begin[16], states[4][16];
  float dense[2];
  const std::byte* none[2] = {nullptr, nullptr};
  feature.score({sentence, {7, 0, 0}, {{}, 10, Join::begin}, none, nullptr}, begin, dense);
  const std::vector<std::int32_t> symbols{-1, 3};
  const std::byte* tails[2] = {begin, nullptr};
  for (RuleId rule = 0; rule < 4; ++rule) {  // rule 3 passes through
    const Combination edge{
        sentence, {rule, 0, 1}, {symbols, 10, rule < 3 ? Join::rule : Join::unknown}, tails, nullptr};
    const float score = feature.score(edge, states[rule], dense);
    CHECK(score == feature.place_score(edge));
    CHECK(dense[0] == (rule < 3 ? values[2 * rule] : 0));
    CHECK(dense[1] == 0);
  }
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      const bool alike = a == b || (a < 2 && b < 2);
      CHECK(feature.equal(states[a], states[b]) == alike);
      if (alike) CHECK(feature.hash(states[a]) == feature.hash(states[b]));
    }
}

TEST(distortion_is_what_is_jumped_over) {
  LinearDistortion feature(0);
  feature.set_weights(std::vector{2.0});
  const Sentence sentence;
  alignas(8) std::byte state[8], next[8];
  const std::byte* tails[2] = {state, nullptr};
  const std::vector<std::int32_t> symbols{-1, 3};
  float dense = 1;
  CHECK(feature.score({sentence, {7, 0, 0}, {{}, 10, Join::begin}, tails, nullptr}, state, &dense) == 0);
  const std::uint16_t spans[][2] = {{2, 4}, {0, 1}, {1, 2}, {4, 5}};
  const float wanted[] = {-2, -4, 0, -2};
  for (int at = 0; at < 4; ++at) {
    const Combination edge{sentence, {1, spans[at][0], spans[at][1]}, {symbols, 10, Join::rule}, tails, nullptr};
    CHECK(feature.place_score(edge) == 2 * wanted[at]);
    CHECK(feature.score(edge, next, &dense) == 2 * wanted[at]);
    CHECK(dense == wanted[at]);
    std::copy(next, next + 8, state);
  }
}

TEST(forced_phrases_are_the_longest_from_left_to_right) {
  const ForcedPhrases forced({{{"a"}, {"A"}}, {{"a", "b"}, {}}, {{"b", "c", "d"}, {"X"}}, {{"d"}, {"D"}}});
  const std::vector<std::string_view> words{"d", "a", "b", "c", "d", "a", "x", "b", "c", "d"};
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  for (const auto& match : forced.find(words)) spans.emplace_back(match.begin, match.end);
  CHECK((spans == std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 3}, {4, 5}, {5, 6}, {7, 10}}));
  CHECK(ForcedPhrases().find(words).empty());
  CHECK_THROWS(ForcedPhrases({{{}, {"x"}}}), Error);
  CHECK_THROWS(ForcedPhrases({{{"a"}, {"x"}}, {{"a"}, {"y"}}}), Error);
}
