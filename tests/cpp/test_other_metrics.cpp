#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "metrics/chrf.hpp"
#include "metrics/ter.hpp"

using namespace tunesmith;

namespace {

template <class References>
std::vector<double> rows_of(const References& references, const std::vector<std::string_view>& hypotheses,
                            std::size_t width, int threads = 1) {
  std::vector<double> rows(hypotheses.size() * width);
  const std::vector<std::int64_t> sentences(hypotheses.size(), 0);
  references.statistics(hypotheses, sentences, threads, rows);
  return rows;
}

}  // namespace

TEST(chrf_counts_characters_without_white_space_and_words_with_punctuation_apart) {
  ChrfReferences references({.char_order = 2, .word_order = 1});
  references.add(std::vector<std::string_view>{"a\xC3\xA9 b."});  // four characters; words: aé, b, .
  const std::vector<double> expected = {3, 4, 2, 2, 3, 1, 1, 3, 0};
  CHECK(rows_of(references,
                {"\xC3\xA9\xE3\x80\x80"
                 "bx"},
                9) == (std::vector<double>{3, 4, 2, 2, 3, 1, 2, 3, 0}));
  CHECK(rows_of(references,
                {"\xC3\xA9"
                 "bx"},
                9) == expected);
}

TEST(chrf_takes_the_reference_with_the_best_score_and_knows_empty_ones) {
  ChrfReferences references({.char_order = 1});
  references.add(std::vector<std::string_view>{"", "xyz", "ab"});
  CHECK(rows_of(references, {"ab"}, 3) == (std::vector<double>{2, 2, 2}));
  CHECK(rows_of(references, {""}, 3) == (std::vector<double>{0, 0, 0}));
}

TEST(ter_counts_a_shift_once) {
  TerReferences references;
  references.add(std::vector<std::string_view>{"d a b c", "nothing of that at all"});
  CHECK(rows_of(references, {"a b c d"}, 2) == (std::vector<double>{1, 4.5}));
  CHECK(rows_of(references, {""}, 2) == (std::vector<double>{4, 4.5}));
  CHECK(rows_of(references, {"a b c d", "d a b c", "e"}, 2, 3) == (std::vector<double>{1, 4.5, 0, 4.5, 4, 4.5}));
}

TEST(ter_edits_words_of_very_different_numbers) {
  const std::vector<WordId> one = {7}, many(200, 7);
  EditCounter counter;
  CHECK(counter.count(one, many) == 199);
  CHECK(counter.count(many, one) == 199);
  CHECK(counter.count({}, many) == 200);
  CHECK(counter.count(many, {}) == 200);
}

TEST(bad_arguments_of_other_metrics_are_refused) {
  CHECK_THROWS(ChrfReferences({.char_order = 0}), Error);
  CHECK_THROWS(ChrfReferences({.char_order = 100}), Error);
  ChrfReferences characters({});
  CHECK_THROWS(characters.add({}), Error);
  TerReferences references;
  CHECK_THROWS(references.add({}), Error);
  references.add(std::vector<std::string_view>{"a"});
  const std::string_view hypotheses[] = {"a"};
  const std::int64_t outside[] = {1}, inside[] = {0};
  std::vector<double> row(2), wide(3);
  CHECK_THROWS(references.statistics(hypotheses, outside, 1, row), Error);
  CHECK_THROWS(references.statistics(hypotheses, inside, 1, wide), Error);
}
