#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "search/lists/fairseq_lists.hpp"
#include "search/lists/flat_lists.hpp"
#include "search/lists/json_lists.hpp"
#include "search/lists/list_builder.hpp"
#include "search/lists/moses_blocks.hpp"
#include "search/lists/nbest_reader.hpp"
#include "search/lists/sockeye_lists.hpp"
#include "search/matrices/dense_dots.hpp"
#include "search/matrices/factored_matrix.hpp"
#include "search/matrices/merge.hpp"
#include "search/matrices/plain_builder.hpp"
#include "search/matrices/sentence_support.hpp"

using namespace tunesmith;

namespace {

// Rows 1 0 2 | 0 0 3 | 0 5 0 of three features; further ones are 0. With this number of columns not all are dense.
PlainStorage<float> small_rows(std::size_t columns = few_columns + 1) {
  PlainBuilder builder;
  builder.add(2, 2);
  builder.add(0, 1);
  builder.end_row();
  builder.add(2, 3);
  builder.end_row();
  builder.add(1, 5);
  builder.end_row();
  return std::move(builder).finish<float>(columns);
}

std::vector<double> row_of(const CandidateMatrix& matrix, std::size_t row) {
  std::vector<std::uint32_t> ids;
  std::vector<double> values, out(matrix.columns());
  matrix.row(row, ids, values);
  for (std::size_t i = 0; i < ids.size(); ++i) out[ids[i]] = values[i];
  return out;
}

// Two rules with one dense feature and identity columns: F = (2, 1, 0), (3, 0, 1).
FeatureMatrix two_rules() {
  FeatureMatrix::Parts parts;
  parts.rows = 2;
  parts.dense_columns = parts.columns = 1;
  parts.dense = {2, 3};
  parts.starts = {0, 0, 0};
  parts.identity_rows = 2;
  return FeatureMatrix(std::move(parts));
}

// Sentence 0: rule 1 twice and rule 0 | rule 0. Sentence 1: none. Sentence 2: no rule. Column 3 is a state.
struct Decoded {
  std::vector<std::int64_t> sentences{0, 2, 2, 3}, list_offsets{0, 2, 2, 2}, rule_offsets{0, 3, 4, 4},
      pair_offsets{0, 0, 1, 1};
  std::vector<std::uint32_t> list{1, 0}, state_ids{3}, pair_ids{4};
  std::vector<std::uint16_t> places{0, 1, 0, 1};
  std::vector<float> states{10, 20, 30}, pair_values{7};

  FactoredArrays<std::uint16_t> view() const {
    return {5,         sentences, list_offsets, list,     rule_offsets, places,
            state_ids, states,    pair_offsets, pair_ids, pair_values};
  }
};

}  // namespace

// The rows of `small_rows`, whatever the storage.
void check_small_rows(const PlainStorage<float>& rows) {
  const PlainMatrix<float> matrix(rows.view());
  std::vector<double> first(rows.columns), third(rows.columns), w(rows.columns);
  first[0] = 1, first[2] = 2, third[1] = 5;
  CHECK(row_of(matrix, 0) == first && row_of(matrix, 2) == third);
  w[0] = 1, w[1] = 10, w[2] = 100;
  double out[3], two[2];
  matrix.dots(0, 3, w, out);
  CHECK(out[0] == 201 && out[1] == 300 && out[2] == 50);
  matrix.dots(1, 3, w, two);
  CHECK(two[0] == out[1] && two[1] == out[2]);
}

TEST(a_column_half_of_the_rows_have_is_dense) {
  const PlainStorage<float> rows = small_rows();
  CHECK((rows.dense_ids == std::vector<std::uint32_t>{2}));
  CHECK((rows.ids == std::vector<std::uint32_t>{0, 1}));
  check_small_rows(rows);
}

TEST(few_columns_are_all_dense) {
  const PlainStorage<float> rows = small_rows(3);
  CHECK((rows.dense_ids == std::vector<std::uint32_t>{0, 1, 2}));
  CHECK(rows.ids.empty());
  check_small_rows(rows);
}

// Every width up to beyond what registers hold; arrays of exactly this size, so that sanitizers see a read beyond
// the end.
template <class Value>
bool quick_and_portable_agree() {
  bool same = true;
  for (std::size_t width = 0; width < 40; ++width) {
    constexpr std::size_t count = 7;
    std::vector<Value> rows(count * width);
    std::vector<double> w(width), quick(count), portable(count);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = static_cast<Value>(std::sin(static_cast<double>(i * i)));
    for (std::size_t j = 0; j < width; ++j) w[j] = std::cos(static_cast<double>(j) * 3) / 7;
    dense_dots(rows.data(), count, width, w.data(), quick.data());
    dense_dots_portable(rows.data(), count, width, w.data(), portable.data());
    double plain = 0;
    for (std::size_t j = 0; j < width; ++j) plain += w[j] * static_cast<double>(rows[j]);
    same = same && quick == portable && check::near(plain, quick[0]);
  }
  return same;
}

TEST(dots_are_the_same_bytes_on_every_machine) {
  CHECK(quick_and_portable_agree<float>());
  CHECK(quick_and_portable_agree<double>());
}

TEST(rows_with_a_repeated_feature_are_refused) {
  PlainBuilder builder;
  builder.add(4, 1);
  builder.add(4, 1);
  CHECK_THROWS(builder.end_row(), Error);
  CHECK(builder.repeated() == 4);
}

TEST(plain_arrays_that_do_not_fit_are_refused) {
  const PlainStorage<float> good = small_rows();
  PlainStorage<float> bad = good;
  bad.ids[0] = static_cast<std::uint32_t>(bad.columns);
  CHECK_THROWS(PlainMatrix<float>(bad.view()), Error);
  bad = good;
  bad.ids[0] = 2;  // is dense
  CHECK_THROWS(PlainMatrix<float>(bad.view()), Error);
  bad = good;
  bad.offsets[1] = 5;
  CHECK_THROWS(PlainMatrix<float>(bad.view()), Error);
  bad = good;
  bad.offsets[1] = -1;
  CHECK_THROWS(PlainMatrix<float>(bad.view()), Error);
  bad = good;
  bad.dense.pop_back();
  CHECK_THROWS(PlainMatrix<float>(bad.view()), Error);
  bad = good;
  bad.dense[0] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS(PlainMatrix<float>(bad.view()), Error);
}

TEST(factored_rows_are_rules_and_states) {
  const FeatureMatrix features = two_rules();
  const Decoded decoded;
  const FactoredMatrix<std::uint16_t> matrix(features, decoded.view());
  CHECK((row_of(matrix, 0) == std::vector<double>{8, 1, 2, 10, 0}));
  CHECK((row_of(matrix, 1) == std::vector<double>{2, 1, 0, 20, 7}));
  CHECK((row_of(matrix, 2) == std::vector<double>{0, 0, 0, 30, 0}));
  const std::vector<double> w{1, 10, 100, 1000, 10000};
  double all[3], part[2];
  matrix.all_dots(w, all, 2);
  CHECK(all[0] == 10218 && all[1] == 90012 && all[2] == 30000);
  matrix.dots(1, 3, w, part);
  CHECK(part[0] == all[1] && part[1] == all[2]);
  std::vector<double> sum(5);
  const std::vector<double> c{1, -1, 2};
  matrix.combine(0, c, sum);
  CHECK((sum == std::vector<double>{6, 0, 2, 50, -7}));
}

TEST(support_counts_sentences_where_a_feature_is) {
  const FeatureMatrix features = two_rules();
  const Decoded decoded;
  const FactoredMatrix<std::uint16_t> factored(features, decoded.view());
  const std::vector<std::int64_t> groups{-1, 0, 0, 1, 1};
  for (const int threads : {1, 3}) {
    const CandidateLists lists{factored, decoded.sentences};
    CHECK((sentence_support(lists, {}, 0, threads) == std::vector<std::int64_t>{1, 1, 1, 2, 1}));
    CHECK((sentence_support(lists, groups, 2, threads) == std::vector<std::int64_t>{1, 2}));
    CHECK_THROWS(sentence_support(lists, groups, 1, threads), Error);
    CHECK_THROWS(sentence_support(lists, std::span(groups).first(2), 2, threads), Error);
  }
  const std::vector<std::int64_t> offsets{0, 2, 2, 3};
  for (const std::size_t columns : {std::size_t{3}, few_columns + 1}) {  // all dense; one dense, two sparse
    const PlainStorage<float> rows = small_rows(columns);
    const PlainMatrix<float> plain(rows.view());
    std::vector<std::int64_t> expected(columns);
    std::fill_n(expected.begin(), 3, 1);
    CHECK(sentence_support({plain, offsets}, {}, 0, 2) == expected);
  }
}

TEST(places_of_rules_are_those_of_first_use) {
  const RulePlaces placed = place_rules(std::vector<std::int64_t>{0, 1, 2}, std::vector<std::int64_t>{0, 3, 5},
                                        std::vector<std::uint32_t>{9, 4, 9, 4, 4});
  CHECK((placed.list == std::vector<std::uint32_t>{9, 4, 4}));
  CHECK((placed.places == std::vector<std::uint32_t>{0, 1, 0, 0, 0}));
  CHECK(placed.longest == 2);
  CHECK_THROWS(
      place_rules(std::vector<std::int64_t>{0, 1}, std::vector<std::int64_t>{0, 6}, std::vector<std::uint32_t>{1}),
      Error);
}

TEST(merging_keeps_each_candidate_once_in_order) {
  const PlainStorage<float> rows = small_rows();
  const PlainMatrix<float> matrix(rows.view());
  const std::vector<std::int64_t> one{0, 3}, two{0, 1, 3};
  const MergeSource sources[] = {{{matrix, one}, {}, {}, {}, {}, 0}, {{matrix, two}, {}, {}, {}, {}, 0}};
  const MergePlan plan = merge_plan(sources, 2);
  CHECK((plan.offsets == std::vector<std::int64_t>{0, 3, 5}));
  CHECK((plan.source == std::vector<std::uint32_t>{0, 0, 0, 1, 1}));
  CHECK((plan.index == std::vector<std::int64_t>{0, 1, 2, 1, 2}));
}

TEST(readers_take_any_blocks) {
  const std::string text = "0 ||| a b ||| f= 1 2 s= 0.5 ||| -1\n3 ||| c ||| f= 0 0 ||| 2 ||| 0-0";
  for (std::size_t size = 1; size < text.size(); ++size) {
    NbestReader reader({});
    for (std::size_t at = 0; at < text.size(); at += size) reader.add(std::string_view(text).substr(at, size));
    reader.finish();
    const ListPart part = reader.lists().take();
    CHECK((part.offsets == std::vector<std::int64_t>{0, 1, 1, 1, 2}));
    CHECK(part.words.ids.size() == 3);
    CHECK(part.columns == 3);
    CHECK(part.rest.ids.size() == 1);
  }
}

TEST(parts_of_lists_put_together_are_the_lists) {
  const std::string text =
      "1 ||| a b ||| f= 1 ||| -1\n1 ||| b ||| g= 2 ||| -2 ||| x\n4 ||| c b ||| f= 3 ||| -3\n4 ||| d ||| g= 4 ||| "
      "-4\n5 ||| b d ||| h= 5 ||| -5\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    NbestReader reader({});
    std::vector<std::int64_t> sizes;
    std::vector<double> scores;
    std::string words, rest;
    const auto take = [&] {
      const ListPart part = reader.lists().take();
      CHECK(part.first == static_cast<std::int64_t>(sizes.size()));
      CHECK(part.matrix.rows() == static_cast<std::size_t>(part.offsets.back()));
      CHECK(part.words.offsets.size() == part.matrix.rows() + 1 &&
            part.rest.offsets.size() == part.words.offsets.size());
      for (std::size_t i = 0; i + 1 < part.offsets.size(); ++i)
        sizes.push_back(part.offsets[i + 1] - part.offsets[i]);
      scores.insert(scores.end(), part.scores.begin(), part.scores.end());
      for (const std::uint32_t id : part.words.ids) words += part.words.table.word(static_cast<WordId>(id));
      for (const std::uint32_t id : part.rest.ids) rest += part.rest.table.word(static_cast<WordId>(id));
    };
    for (std::size_t at = 0; at < text.size(); at += size) {
      reader.add(std::string_view(text).substr(at, size));
      take();
    }
    CHECK(reader.lists().rows() == 1);  // the sentence that may continue
    reader.finish();
    take();
    CHECK((sizes == std::vector<std::int64_t>{0, 2, 0, 0, 2, 1}));
    CHECK((scores == std::vector<double>{-1, -2, -3, -4, -5}));
    CHECK(words == "abbcbdbd" && rest == "x");
    CHECK(reader.lists().features.size() == 3);
  }
  JsonListReader any(SentenceOrder::any, false);
  any.add("{\"id\": 1, \"hypothesis\": \"a\"}\n");
  CHECK_THROWS(any.lists().take(), Error);
}

TEST(fairseq_lines_belong_to_the_candidate_before) {
  FairseqReader reader(true);
  reader.add("log\nS-1\ts\nH-1\t-1\ta b\nD-1\t-1\tab\nP-1\t-1 -2.5\nH-0\tx\ty\nD-0\t-1\ty\nP-0\t-1\n");
  reader.add("P-1\t-1\nH-0_2\t-3\tc\nA-0\t0-0\nA-0\t0-0\nH-0\t-4\t|||\nH-2\nE-0\tx\nH-3\t-5");
  reader.finish();
  CHECK(reader.bad().count() == 5);
  CHECK(reader.bad().lines()[0].line == 6 && reader.bad().lines()[1].line == 9 &&
        reader.bad().lines()[2].line == 12);
  const ListPart part = reader.lists().take();
  CHECK((part.sentences == std::vector<std::int64_t>{1, 0, 3}));
  CHECK((part.scores == std::vector<double>{-1, -3, -5}));
  CHECK(part.words.ids.size() == 2 && part.rest.ids.size() == 9);
  CHECK(reader.texts().size() == 1 && reader.texts()[0].text == "s");
}

TEST(sockeye_lines_are_taken_whole_or_not_at_all) {
  SockeyeReader reader(SentenceOrder::any, true);
  reader.add(R"({"sentence_id": "2", "translations": ["a", "b"], "scores": [[1, 2], 3], "x": [[]], "score": null})"
             "\n");
  for (const char* bad :
       {"[1]", R"({"sentence_id": -1, "translation": "a", "score": 1})", R"({"sentence_id": 1})",
        R"({"sentence_id": 1, "translations": ["a"], "scores": []})",
        R"({"sentence_id": 1, "translations": ["a", 1], "scores": [1, 2]})",
        R"({"sentence_id": 1, "translations": ["a"], "scores": [[]]})",
        R"({"sentence_id": 1, "translations": ["a"], "scores": [1e999]})",
        R"({"sentence_id": 1, "translations": ["a",], "scores": [1]})",
        R"({"sentence_id": 1.5, "translation": "a", "score": 1})", R"({"translation": "a", "score": 1})",
        R"({"sentence_id": 1, "translation": "a", "score": 1)"})
    reader.add(bad + std::string("\n"));
  reader.add(R"({"sentence_id": 1, "translation": "c \u00e9", "score": 4})");
  reader.finish();
  CHECK(reader.bad().count() == 11);
  const ListPart part = reader.lists().take();
  CHECK((part.sentences == std::vector<std::int64_t>{2, 2, 1}));
  CHECK((part.scores == std::vector<double>{1, 3, 4}));
  CHECK(part.columns == 2 && part.words.ids.size() == 4);
}

TEST(flat_lines_keep_their_sentences_when_one_is_left_out) {
  FlatReader reader(2, true, true);
  reader.add_scores("# x y\n1 2\n3 4\n5 6\n7 8\n\n");
  reader.finish_scores();
  reader.add("a\t1\nb\tz\nc\t3\nd\t4");
  reader.finish();
  reader.check();
  reader.check_scores();
  reader.check_end();
  const ListPart part = reader.lists().take();
  CHECK((part.offsets == std::vector<std::int64_t>{0, 1, 3}));
  CHECK(reader.bad().count() == 1 && reader.bad().lines()[0].line == 2 && part.columns == 3);
  FlatReader many(1, true, false);
  many.add_scores("1\n2\n");
  many.finish_scores();
  many.add("a\n");
  many.finish();
  CHECK_THROWS(many.check_end(), Error);
  many.add("b\nc\n");
  CHECK_THROWS(many.check_scores(), Error);
  FlatReader without(0, false, true);
  without.add("a\n");
  CHECK_THROWS(without.check(), Error);
  FlatReader cut(2, false, true);
  cut.add("a\n");
  CHECK_THROWS(cut.finish(), LineError);
}

TEST(orders_of_fields_are_told_apart) {
  const auto read = [](NbestReading reading, std::string_view text) {
    NbestReader reader(reading);
    reader.add(text);
    reader.finish();
    const ListPart part = reader.lists().take();
    return std::pair{part.scores, part.rest.ids.size()};
  };
  const auto expected = [](double score, std::size_t rest) { return std::pair{std::vector<double>{score}, rest}; };
  CHECK(read({NbestOrder::score_first}, "0 ||| a ||| -2 ||| f=1 g=2\n") == expected(-2, 0));
  CHECK(read({NbestOrder::alignment_first}, "0 ||| a ||| F0= 1 ||| -3\n") == expected(-3, 0));
  CHECK(read({NbestOrder::alignment_first}, "0 ||| a ||| 0-0 ||| F0=1 WordScores= 1 2 ||| -3\n") ==
        expected(-3, 5));
  CHECK(read({NbestOrder::features_first, true}, "0 ||| a ||| 1 2 ||| -4\n") == expected(-4, 0));
  CHECK_THROWS(read({NbestOrder::features_first}, "0 ||| a ||| 1 2 ||| -4\n"), LineError);
}

TEST(json_is_read_strictly) {
  const auto read = [](std::string_view text) {
    JsonListReader reader(SentenceOrder::any, false);
    reader.add(text);
    reader.finish();
    return reader.lists().take().words.table.size();
  };
  CHECK(read(R"( {"hypothesis" : "a \u00e9\ud83d\ude00 \n b","x":[1,{"y":null}],"id":3, "score":null} )") == 3);
  CHECK(read("\n{\"id\": 0, \"hypothesis\": \"\", \"features\": {}}\n \n") == 0);
  for (const char* bad : {
           R"({)",
           R"([])",
           R"({"id":0})",
           R"({"hypothesis":"a"})",
           R"({"id":0,"hypothesis":"a"}x)",
           R"({"id":0,"hypothesis":"a",})",
           R"({"id":0 "hypothesis":"a"})",
           R"({"id":-1,"hypothesis":"a"})",
           R"({"id":1.5,"hypothesis":"a"})",
           R"({"id":0,"hypothesis":"\ud800"})",
           R"({"id":0,"hypothesis":"\u0000"})",
           R"({"id":0,"hypothesis":"\ud800\u0041"})",
           R"({"id":0,"hypothesis":"\x"})",
           R"({"id":0,"hypothesis":"a)",
           R"({"id":0,"hypothesis":"a","score":NaN})",
           R"({"id":0,"hypothesis":"a","score":01})",
           R"({"id":0,"hypothesis":"a","score":1.})",
           R"({"id":0,"hypothesis":"a","features":{"b":"1"}})",
           R"({"id":0,"hypothesis":"a","features":{"b":1,"b":2}})",
           R"({"id":0,"hypothesis":"a","features":{"":1}})",
           R"({"id":0,"hypothesis":"a","features":{"b c":1}})",
           R"({"id":0,"hypothesis":"a","features":[1]})",
           R"({"id":0,"hypothesis":"a","x":tru})",
           R"({"id":0,"hypothesis":5})",
           R"({"id":"0","hypothesis":"a"})",
       })
    CHECK_THROWS(read(bad), LineError);
  CHECK_THROWS(read("{\"x\":" + std::string(5000, '[')), LineError);
  CHECK(read("{\"id\":0,\"hypothesis\":\"a\",\"x\":" + std::string(900, '[') + std::string(900, ']') + "}") == 1);
}

TEST(bad_lines_leave_nothing_behind) {
  NbestReader reader({NbestOrder::features_first, false, true});
  reader.add("0 ||| a ||| f= 1 ||| 1\n0 ||| b ||| g= 1 g= 2 ||| 1\nx\n0 ||| c ||| h= nan ||| 1\n\xff\n");
  reader.add("0 ||| d ||| n_0= 1 n= 1 2 ||| 1\n0 ||| e ||| f= 2 ||| 1\n");
  reader.finish();
  CHECK(reader.bad().count() == 5);
  CHECK(reader.bad().lines()[0].line == 2 && reader.bad().lines()[4].line == 6);
  const ListPart part = reader.lists().take();
  CHECK((part.offsets == std::vector<std::int64_t>{0, 2}));
  CHECK(part.words.offsets.size() == 3 && part.scores.size() == 2);
}

TEST(values_know_whether_float_says_the_same) {
  const auto narrow = [](std::string_view text) { return value_of(text, "value").narrow; };
  CHECK(narrow("0.1") && narrow("-1.81723") && narrow("0") && narrow("1e-300") == false && narrow("+3"));
  CHECK(narrow("16777216") && !narrow("16777217") && !narrow("0.12345678901"));
  for (const char* bad : {"", "+", "-", "nan", "inf", "1e999", "0x1", "1,5", "1 ", "+-1", "."})
    CHECK_THROWS(value_of(bad, "value"), Error);
}

TEST(short_numbers_are_the_nearest_doubles) {
  const auto check = [](const std::string& text) {
    double expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    const double read = value_of(text, "value").value;
    CHECK(read == expected && std::signbit(read) == std::signbit(expected));
  };
  for (const char* text : {"0", "-0", "0.1", "-0.3", ".5", "1.", "-.25", "123456789012345", "1234567890123456789",
                           "0.000000000000001", "0.0000000000000000000000001", "9007199254740993", "00.10", "1e5"})
    check(text);
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = 6364136223846793005u * state + 1442695040888963407u;
    std::string text = std::to_string(state >> (state % 60));
    text.insert(state % (text.size() + 1), ".");
    if (text.size() > 1 && text != ".") check((state & 1 ? "-" : "") + text);
  }
}

TEST(blocks_of_moses_are_checked) {
  MosesBlockReader reader(false);
  reader.add("FEATURES_TXT_BEGIN_0 1 1 2 a b\n1 2 c=3\nFEATURES_TXT_END_0\n");
  reader.finish();
  CHECK((reader.lists().take().offsets == std::vector<std::int64_t>{0, 0, 1}));
  CHECK(reader.lists().features.size() == 3);
  MosesBlockReader cut(false);
  cut.add("FEATURES_TXT_BEGIN_0 1 2 2 a b\n1 2\n");
  CHECK_THROWS(cut.finish(), LineError);
}
