#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "grammar/collection/keyed_sums.hpp"
#include "grammar/collection/spill.hpp"
#include "grammar/extraction/extract.hpp"
#include "grammar/extraction/fisher.hpp"
#include "grammar/extraction/lexical_weight.hpp"
#include "grammar/tables/moses_reader.hpp"
#include "grammar/tables/moses_writer.hpp"
#include "grammar/tables/source_filter.hpp"

using namespace tunesmith;

namespace {

// A rule as text: source / target / links.
std::string shown(const RuleView& rule) {
  std::string text;
  for (const Symbol symbol : rule.source) text += std::to_string(symbol) + ' ';
  text += "/ ";
  for (const Symbol symbol : rule.target) text += std::to_string(symbol) + ' ';
  text += '/';
  for (const RuleLink& link : rule.links)
    text += ' ' + std::to_string(link.source) + '-' + std::to_string(link.target);
  return text;
}

std::multiset<std::string> shown(const Occurrences& found) {
  std::multiset<std::string> all;
  for (std::size_t i = 0; i < found.size(); ++i) all.insert(shown(found.rule(i)));
  return all;
}

const std::vector<WordId> three = {3, 4, 5}, two = {6, 7};

}  // namespace

TEST(phrase_pairs_take_in_unaligned_words_unless_tight) {
  // 3-6 and 5-7; 4 is not aligned.
  const std::vector<Link> links = {{0, 0}, {2, 1}};
  RuleExtractor extractor;
  Occurrences found;
  extractor.phrases({three, two, links}, {}, found);
  CHECK((shown(found) == std::multiset<std::string>{"3 / 6 / 0-0", "3 4 / 6 / 0-0", "5 / 7 / 0-0", "4 5 / 7 / 1-0",
                                                    "3 4 5 / 6 7 / 0-0 2-1"}));
  extractor.phrases({three, two, links}, {.max_length = 2, .tight = true}, found);
  CHECK((shown(found) == std::multiset<std::string>{"3 / 6 / 0-0", "5 / 7 / 0-0"}));
}

TEST(orientations_look_at_words_phrases_or_blocks) {
  // Target order 1 0 2: the word before the last one is not next to it, the block before it is.
  const std::vector<WordId> e = {6, 7, 8};
  const std::vector<Link> links = {{0, 1}, {1, 0}, {2, 2}};
  const AlignedPair pair{three, e, links};
  const PhrasePair last{2, 3, 2, 3}, first{1, 2, 0, 1};
  InitialPhrases phrases;
  OrientationFinder finder;
  const auto before_last = [&](int limit, OrientationModel model) {
    phrases.find(pair, limit, false);
    finder.prepare(pair, phrases, model, false);
    return finder.previous(last);
  };
  CHECK(before_last(7, OrientationModel::word) == Orientation::discontinuous_right);
  CHECK(before_last(1, OrientationModel::phrase) == Orientation::discontinuous_right);
  CHECK(before_last(2, OrientationModel::phrase) == Orientation::monotone);
  CHECK(before_last(1, OrientationModel::hier) == Orientation::monotone);
  CHECK(finder.next(last) == Orientation::monotone);
  CHECK(finder.previous(first) == Orientation::discontinuous_right);
  CHECK(finder.next(first) == Orientation::swap);
}

TEST(orientation_probabilities_are_smoothed_and_merged) {
  const OrientationCounts counts = {{{3, 1, 2, 0}, {0, 0, 0, 0}}};
  std::vector<float> out;
  append_log_probabilities(counts, {.orientations = OrientationSet::msd}, out);
  CHECK(out.size() == 6);
  CHECK(std::abs(std::exp(out[0]) - 3.5 / 7.5) < 1e-6);
  CHECK(std::abs(std::exp(out[2]) - 2.5 / 7.5) < 1e-6);
  CHECK(std::abs(std::exp(out[5]) - 1.0 / 3) < 1e-6);
  out.clear();
  append_log_probabilities(counts, {.orientations = OrientationSet::mslr, .next = false, .smoothing = 0}, out);
  CHECK(out.size() == 4);
  CHECK(std::abs(std::exp(out[2]) - 2.0 / 6) < 1e-6);
  CHECK(out[3] == -100);
}

TEST(target_normal_form_has_words_before_gaps) {
  const std::vector<WordId> e = {6, 7, 8};
  const std::vector<Link> links = {{0, 0}, {1, 1}, {2, 2}};
  RuleExtractor extractor;
  Occurrences found;
  HieroOptions options;
  options.min_gap = 1;
  options.normal_form = true;
  extractor.hiero({three, e, links}, options, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    bool gap = false;
    for (const Symbol symbol : found.rule(i).target) {
      CHECK(is_gap(symbol) || !gap);
      gap = gap || is_gap(symbol);
    }
  }
  CHECK(shown(found).count("3 -1 / 6 -1 / 0-0") == 2);  // of the whole, and of its first two words
}

TEST(options_out_of_range_are_refused) {
  CHECK_THROWS(check_options(PhraseOptions{.max_length = 0}), Error);
  CHECK_THROWS(check_options(HieroOptions{.max_gaps = 3}), Error);
  CHECK_THROWS(check_options(HieroOptions{.max_span = 256}), Error);
}

TEST(source_keys_sort_as_source_sides_do) {
  const std::vector<std::vector<Symbol>> sorted = {{-2},    {-1},   {-1, 0},   {-1, 3},      {0},
                                                   {0, -1}, {0, 0}, {1, 2, 3}, {1, 2, 3, 4}, {2}};
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) CHECK(source_key(sorted[i]) < source_key(sorted[i + 1]));
}

TEST(records_keep_what_they_are_given) {
  const std::vector<Symbol> f = {3, -1, 4}, e = {-1, 5};
  const std::vector<RuleLink> links = {{0, 1}, {2, 1}, {2, 1}};
  std::vector<std::uint32_t> words;
  append_record({f, e, links}, 17, 3, words);
  append_record({e, f, {}}, no_pair, 0, words);
  const Record first{words.data()};
  CHECK((shown({first.source(), first.target(), first.links()}) == shown({f, e, links})));
  CHECK(first.pair() == 17 && first.shared_by() == 3);
  const Record second{words.data() + first.words()};
  CHECK((shown({second.source(), second.target(), second.links()}) == shown({e, f, {}})));
  CHECK(first.words() + second.words() == words.size());
}

TEST(sides_are_alike_without_the_numbers_of_gaps) {
  const std::vector<Symbol> a = {-1, 3, -2}, b = {-2, 3, -1}, c = {3, -1, -2};
  CHECK(side_key(a).high == side_key(b).high && side_key(a).low == side_key(b).low);
  CHECK(side_key(a).high != side_key(c).high);
  CHECK(!is_swapped(a) && is_swapped(b) && !is_swapped(c));
}

// Rows in two blocks ask for the sums of their keys; some records ask for nothing, some add nothing.
TEST(keyed_sums_are_those_of_a_map) {
  std::string folder = (std::filesystem::temp_directory_path() / "tunesmith-XXXXXX").string();
  CHECK(::mkdtemp(folder.data()) != nullptr);
  constexpr std::uint32_t rows = 30000, in_first = 10000;
  for (const std::size_t memory : {std::size_t{1} << 10, std::size_t{1} << 24})
    for (const int threads : {1, 3}) {
      std::map<std::uint32_t, KeyedSum> expected;
      std::vector<std::uint32_t> key_of(rows);
      KeyedSums sums(rows, folder, "sums", memory, threads);
      std::vector<KeyedRecord> records;
      std::uint32_t state = 1;
      for (std::uint32_t row = 0; row < rows; ++row) {
        state = state * 1664525u + 1013904223u;
        key_of[row] = state >> 20;
        const std::vector<Symbol> side = {static_cast<Symbol>(key_of[row])};
        const auto kind = static_cast<std::int32_t>(row % 4) - 1;
        const KeyedRow place = row < in_first ? KeyedRow{0, row} : KeyedRow{1, row - in_first};
        records.push_back({side_key(side).high, kind, row % 5 == 0 ? no_row : place, side_key(side).low, kind});
        expected[key_of[row]].count += kind;
        if (kind >= 0) ++expected[key_of[row]].kinds[static_cast<std::size_t>(kind)];
        if (records.size() == 777) sums.add(records);
      }
      sums.add(records);
      sums.begin_sums({0, in_first, rows});
      for (std::size_t step = 0; step < sums.steps(); step += 3)
        sums.run_steps(step, std::min(step + 3, sums.steps()));
      const std::vector<KeyedSum> found = sums.read(0, rows);
      std::size_t wrong = 0, keys = 0;
      for (std::uint32_t row = 0; row < rows; ++row) {
        const KeyedSum want = row % 5 == 0 ? KeyedSum{} : expected[key_of[row]];
        wrong += found[row].count != want.count || found[row].kinds != want.kinds;
      }
      for (const auto& [key, sum] : expected) keys += sum.kinds != Kinds{};
      CHECK(wrong == 0 && sums.keys() == keys);
      CHECK((memory == std::size_t{1} << 10) == (sums.spilled_bytes() > 0));
    }
  std::filesystem::remove_all(folder);
}

TEST(lexical_weights_average_links_and_use_null) {
  // w = (p(6|3) + p(6|4)) / 2 · p(7|NULL)
  const LexicalTable table({{3, 6, 1}, {3, 7, 1}, {4, 6, 1}, {null_word, 7, 1}, {null_word, 8, 3}});
  const Lexicon exact(table, std::nullopt), rounded(LexicalTable({{1, 2, 1}, {1, 3, 2}}), 3);
  const std::vector<Symbol> f = {3, -1, 4}, e = {6, 7, -1};
  const std::vector<RuleLink> links = {{0, 0}, {2, 0}};
  CHECK(check::near(lexical_weight(exact, f, e, links, false), 0.75 * 0.25));
  CHECK(rounded.probability(1, 2) == 0.333 && rounded.probability(1, 3) == 0.667);
  CHECK(exact.probability(8, 8) == 0);
}

TEST(source_sides_match_with_a_word_for_every_gap) {
  const std::vector<WordId> text = {3, 4, 5, 6, 3, 4};
  const std::vector<std::int64_t> offsets = {0, 4, 6};
  const SourceFilter filter({text, offsets}, 5);
  const auto matches = [&](std::vector<Symbol> source) { return filter.matches(source); };
  CHECK(matches({3}) && matches({3, 4, 5, 6}) && matches({3, -1, 6}) && matches({-1, 4, -2}) &&
        matches({3, -1, -2}));
  CHECK(!matches({6, 3}) && !matches({-1, 3}) && !matches({3, -1, 4}) && !matches({6, -1}) && !matches({7}));
  CHECK(!matches({-1, -2, 4}) && matches({-1, -2, 5}) && !matches({3, -1, 4, -2}));
}

TEST(moses_lines_become_sorted_rules_and_errors_have_lines) {
  MosesReader reader(false);
  const std::string_view good[] = {"a ||| b ||| 1 ||| 0-0 ||| 1 1 1"}, bad[] = {"a ||| c ||| 1 ||| 0-1 ||| 1 1 1"};
  reader.add(good);
  bool caught = false;
  try {
    reader.add(bad);
  } catch (const LineError& error) {
    caught = error.line == 2;
  }
  CHECK(caught && reader.size() == 1 && reader.scores() == 1);
}

TEST(damaged_arrays_are_refused_when_written_as_text) {
  const std::vector<std::string_view> words = {"<unk>", "<s>", "</s>", "a"};
  const Vocabulary vocabulary(words, {0, 0, 0, 1});
  const std::vector<std::uint64_t> one = {0, 1}, outside = {0, 9};
  const std::vector<Symbol> symbol = {3}, unknown = {77};
  const std::vector<std::uint8_t> link = {0, 0};
  const std::vector<float> score = {0.5f};
  const std::vector<double> count = {1};
  TableArrays table{one, one, one, one, symbol, symbol, link, score, count, count, count};
  const MosesStyle style{.scores = 1};
  CHECK(format_moses(table, vocabulary, vocabulary, style, 0, 1) == "a ||| a ||| 0.5 ||| 0-0 ||| 1 1 1 ||| |||\n");
  table.link_offsets = outside;
  CHECK_THROWS(format_moses(table, vocabulary, vocabulary, style, 0, 1), Error);
  table.link_offsets = one;
  table.target_symbols = unknown;
  CHECK_THROWS(format_moses(table, vocabulary, vocabulary, style, 0, 1), Error);
  table.target_symbols = symbol;
  CHECK_THROWS(format_moses(table, vocabulary, vocabulary, style, 0, 2), Error);
}

TEST(fishers_test_of_a_single_meeting) {
  CHECK(check::near(FisherTest(500).minus_log_p(1, 1, 1), std::log(500.0), 1e-9));
  CHECK(FisherTest(5).minus_log_p(5, 5, 5) == 0);
  CHECK(check::near(FisherTest(3'000'000).minus_log_p(1, 1, 1), std::log(3e6), 1e-6));
}
