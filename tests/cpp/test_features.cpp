#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "features/rules/compile.hpp"
#include "features/rules/dense_rows.hpp"
#include "features/rules/names.hpp"
#include "features/rules/word_features.hpp"
#include "features/weight_table.hpp"

using namespace tunesmith;

namespace {

Vocabulary vocabulary(std::vector<std::string_view> words) {
  words.insert(words.begin(), {"<unk>", "<s>", "</s>"});
  return Vocabulary(words, std::vector<std::int64_t>(words.size(), 1));
}

// f → e1 e2 (0-0 0-1); f X1 → X1 e1 (0-1), g → e2 (none), as the table stores them.
struct SmallTable {
  Vocabulary source = vocabulary({"f", "g"}), target = vocabulary({"e1", "e_2"});
  std::vector<std::uint64_t> source_offsets{0, 1, 3, 4}, source_rules{0, 1, 2, 3}, target_offsets{0, 2, 4, 5},
      link_offsets{0, 2, 3, 3};
  std::vector<Symbol> source_symbols{3, 3, -1, 4}, target_symbols{3, 4, -1, 3, 4};
  std::vector<std::uint8_t> links{0, 0, 0, 1, 0, 1};
  std::vector<float> scores{1.0F, 0.5F, 0.0F};
  std::vector<std::uint32_t> occurrences{3, 60, 0};

  RuleArrays arrays() const {
    return {.source_offsets = source_offsets,
            .source_rules = source_rules,
            .target_offsets = target_offsets,
            .link_offsets = link_offsets,
            .source_symbols = source_symbols,
            .target_symbols = target_symbols,
            .links = links,
            .scores = scores,
            .occurrences = occurrences,
            .score_columns = 1,
            .source_words = &source,
            .target_words = &target};
  }
};

}  // namespace

TEST(feature_names_of_words_can_be_read_back) {
  for (const std::string word : {"a", "a_b", "%", "%5F", "[X,1]", "[X,2]", "[X,3]", "|=|", "茶"}) {
    std::string name;
    append_word(word, name);
    CHECK(name.find_first_of("_|=") == std::string::npos);
    CHECK(read_word(name).value_or("") == word);
  }
  for (const char* wrong : {"%", "%4", "%zz", "%41", "%5f", "a_b", "[X,1]"}) CHECK(!read_word(wrong));
}

TEST(features_of_a_small_table) {
  const SmallTable table;
  const auto alignment = lexical_alignment(0);
  FeaturePlan plan;
  plan.dense = {{"p", DenseColumn::Kind::log_score, 0}, {"words", DenseColumn::Kind::word_penalty}};
  plan.special = {{"glue", SpecialRule::glue, 1.0F}, {"words", SpecialRule::unknown, -1.0F}};
  plan.templates = {{"links", alignment.get()}};
  plan.identity = true;
  for (const int threads : {1, 2, 3}) {
    const CompiledFeatures made = compile_features(table.arrays(), plan, threads);
    CHECK(made.matrix.rows() == 7 && made.matrix.columns() == 5 + 3);
    CHECK(made.names.name(3) == "links:f|e1_e%5F2" && made.names.name(4) == "links:f|e1");
    CHECK(made.names.name(6) == "id:f_[X,1]|[X,1]_e1");
    CHECK(made.names.find("id:g|e%5F2") == 7u);
    std::vector<double> w{1, 10, 100, 1000, 2000, 1e5, 2e5, 3e5}, out(7);
    made.matrix.scores(w, threads, std::span<double>(out));
    CHECK(out[0] == 0 - 20 + 1000 + 1e5);
    CHECK(out[2] == -100 - 10 + 3e5);
    CHECK(out[3] == -10 && out[4] == 100 && out[5] == 0);
  }
}

TEST(damaged_rule_tables_throw) {
  const auto compiles = [](const SmallTable& table) {
    FeaturePlan plan;
    plan.dense = {{"p", DenseColumn::Kind::log_score, 0}};
    const auto pairs = word_pair({}, {});
    plan.templates = {{"pairs", pairs.get()}};
    compile_features(table.arrays(), plan, 2);
  };
  SmallTable table;
  compiles(table);
  const auto breaks = [&](auto change) {
    SmallTable damaged;
    change(damaged);
    try {
      compiles(damaged);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  CHECK(breaks([](SmallTable& t) { t.links[1] = 9; }));
  CHECK(breaks([](SmallTable& t) { t.links[5] = 0; }));  // a gap
  CHECK(breaks([](SmallTable& t) { t.target_symbols[0] = 5; }));
  CHECK(breaks([](SmallTable& t) { t.source_symbols[0] = -3; }));
  CHECK(breaks([](SmallTable& t) { t.target_offsets[1] = 99; }));
  CHECK(breaks([](SmallTable& t) { t.source_offsets[1] = 4; }));
  CHECK(breaks([](SmallTable& t) { t.source_rules[1] = 99; }));
  CHECK(breaks([](SmallTable& t) { t.source_rules.pop_back(); }));
  CHECK(breaks([](SmallTable& t) { t.occurrences.pop_back(); }));
  CHECK(breaks([](SmallTable& t) { t.scores[1] = std::numeric_limits<float>::infinity(); }));
}

TEST(weight_tables_say_which_line_is_wrong) {
  const auto line_of = [](std::string_view text) -> std::int64_t {
    try {
      WeightTable::parse(text);
    } catch (const LineError& error) {
      return error.line;
    }
    return -1;
  };
  CHECK(line_of("# a\n\nlm\t1\nx\t-1e-3\r\n") == -1);
  CHECK(line_of("# a\nlm 1") == 2);
  CHECK(line_of("lm\t1\nlm\t2") == 2);
  CHECK(line_of("lm\tinf") == 1);
  const WeightTable table = WeightTable::parse("# by\n# hand\nlm\t0.1\n");
  CHECK(table.header() == "by\nhand" && table.format() == "lm\t0.1\n");
}

TEST(dense_rows_are_computed_when_they_are_read) {
  std::atomic<std::size_t> computed = 0;
  const DenseRows rows(1000, 3, [&](std::size_t begin, std::size_t end, float* out) {
    computed += end - begin;
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t i = 0; i < 3; ++i) *out++ = static_cast<float>(10 * row + i);
  });
  CHECK(computed == 0);
  CHECK(rows[999][2] == 9992.0F);
  CHECK(computed < 100);
  std::vector<std::thread> threads;
  std::atomic<bool> right = true;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&] {
      for (std::size_t row = 0; row < 1000; ++row)
        for (std::size_t i = 0; i < 3; ++i)
          if (rows[row][i] != static_cast<float>(10 * row + i)) right = false;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right);
  const DenseRows refusing(10, 1, [](std::size_t begin, std::size_t end, float* out) {
    if (begin <= 3 && 3 < end) throw Error("damaged");
    std::fill(out, out + (end - begin), 1.0F);
  });
  CHECK_THROWS(refusing[5], Error);
  CHECK_THROWS(refusing[5], Error);
}
