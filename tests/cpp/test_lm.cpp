#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files/checksum.hpp"
#include "base/files/record_sorter.hpp"
#include "base/files/spool.hpp"
#include "base/utf8.hpp"
#include "base/words.hpp"
#include "check.hpp"
#include "lm/append.hpp"
#include "lm/arpa_reader.hpp"
#include "lm/arpa_writer.hpp"
#include "lm/batch.hpp"
#include "lm/chart_state.hpp"
#include "lm/estimate.hpp"
#include "lm/range_workers.hpp"

using namespace tunesmith;
using namespace tunesmith::lm;

namespace {

const std::string arpa =
    "\\data\\\nngram 1=5\nngram 2=4\nngram 3=2\n\n"
    "\\1-grams:\n-1.5\t<unk>\t0\n-99\t<s>\t-0.3\n-0.9\t</s>\n-0.7\ta\t-0.2\n-0.8\tb\t-0.1\n\n"
    "\\2-grams:\n-0.4\t<s> a\t-0.15\n-0.5\ta b\t-0.25\n-0.6\tb </s>\n-0.7\ta </s>\n\n"
    "\\3-grams:\n-0.2\t<s> a b\n-0.1\ta b </s>\n\n\\end\\\n";

// Read in pieces of this many bytes.
Model read(const std::string& text, std::size_t piece = 1000) {
  ArpaReader reader;
  for (std::size_t at = 0; at < text.size(); at += piece) reader.add(std::string_view(text).substr(at, piece));
  return Model(reader.finish());
}

std::string train(const std::vector<std::string_view>& lines, int order, std::size_t bytes, int threads = 1) {
  NgramCounter counter(order, SpecialWords::error, bytes, "/tmp", threads);
  counter.add(lines);
  EstimateOptions options;
  options.prune.assign(static_cast<std::size_t>(order), 0);
  options.fallback = {0.5, 1, 1.5};
  options.bytes = bytes;
  options.threads = threads;
  Estimate estimate(counter, options, [](std::uint64_t, std::uint64_t) {});
  ArpaWriter writer(estimate, threads);
  std::string text;
  for (std::string piece = writer.next(); !piece.empty(); piece = writer.next()) text += piece;
  return text;
}

double total(const Model& model, std::string_view line) {
  return score_lines(model, std::vector{line}, true, true, 1).total[0];
}

}  // namespace

TEST(sorter_gives_the_same_records_in_memory_and_from_disk) {
  std::mt19937 random(1);
  std::vector<std::vector<std::uint32_t>> records;
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (int i = 0; i < 5000; ++i) records.push_back({below(20), below(20), 1 + below(3), 0});
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{3000}, std::size_t{1} << 20}) {
    RecordSorter sorter(2, 2, RecordSorter::Equal::sum, bytes, "/tmp");
    for (const auto& record : records) std::copy(record.begin(), record.end(), sorter.append());
    sorter.sort();
    CHECK((sorter.spilled() > 0) == (bytes < 4 * 4 * 5000));
    std::uint64_t counted = 0, keys = 0;
    std::vector<std::uint32_t> last;
    for (; const std::uint32_t* head = sorter.head(); sorter.advance()) {
      const std::vector<std::uint32_t> key(head, head + 2);
      CHECK(last.empty() || last < key);  // rising, and each key once
      std::uint64_t expected = 0;
      for (const auto& record : records)
        if (record[0] == key[0] && record[1] == key[1]) expected += record[2];
      CHECK(head[2] == expected);
      counted += head[2];
      ++keys;
      last = key;
    }
    CHECK(keys == 400);
  }
}

TEST(sorter_counts_beyond_32_bits) {
  RecordSorter sorter(1, 2, RecordSorter::Equal::sum, 1 << 12, "/tmp");
  for (int i = 0; i < 3; ++i) {
    std::uint32_t* record = sorter.append();
    record[0] = 7, record[1] = 0xFFFFFFFF, record[2] = 0;
  }
  sorter.sort();
  CHECK(sorter.head()[1] == 0xFFFFFFFD && sorter.head()[2] == 2);  // 3 · (2³² - 1)
  sorter.advance();
  CHECK(sorter.head() == nullptr);
}

TEST(an_empty_sorter_has_no_record) {
  RecordSorter sorter(3, 1, RecordSorter::Equal::keep, 100, "/tmp");
  sorter.sort();
  CHECK(sorter.head() == nullptr);
  CHECK_THROWS(RecordSorter(3, 1, RecordSorter::Equal::sum, 100, "/tmp"), Error);
}

TEST(sorted_records_in_parts_are_those_of_the_whole) {
  for (const std::size_t bytes : {std::size_t{3000}, std::size_t{1} << 20})
    for (const int threads : {1, 2, 3, 8}) {
      std::mt19937 random(2);
      RecordSorter sorter(2, 2, RecordSorter::Equal::sum, bytes, "/tmp", threads);
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> expected;
      for (int i = 0; i < 40000; ++i) {
        // A few words have most of the records.
        const auto word = static_cast<std::uint32_t>(random() % (random() % 40 + 1)),
                   after = static_cast<std::uint32_t>(random() % 30);
        const std::uint32_t record[4] = {word, after, 1, 0};
        std::copy(record, record + 4, sorter.append());
        ++expected[{word, after}];
      }
      sorter.end();
      CHECK((sorter.spilled() > 0) == (bytes == 3000));
      for (const std::size_t parts : {1, 2, 16, 100}) {
        std::vector<RecordReader> readers = sorter.split(parts, 2);
        CHECK(!readers.empty() && readers.size() <= parts);
        auto next = expected.begin();
        std::optional<std::uint32_t> last;  // word of the part before
        bool equal = true;
        for (RecordReader& reader : readers) {
          reader.start();
          equal = equal && reader.head() != nullptr && last != reader.head()[0];
          for (; const std::uint32_t* head = reader.head(); reader.advance(), ++next) {
            equal = equal && next != expected.end() && next->first == std::pair(head[0], head[1]) &&
                    next->second == head[2];
            last = head[0];
          }
        }
        CHECK(equal && next == expected.end());
      }
    }
}

TEST(an_estimate_has_the_same_bytes_with_any_number_of_threads_and_any_memory) {
  std::mt19937 random(3);
  std::vector<std::string> text;
  for (int i = 0; i < 3000; ++i) {
    std::string& line = text.emplace_back();
    for (auto words = random() % 15; words > 0; --words)
      line += " w" + std::to_string(random() % (random() % 150 + 1));
  }
  const std::vector<std::string_view> lines(text.begin(), text.end());
  for (const int order : {1, 2, 3, 5}) {
    const std::string expected = train(lines, order, std::size_t{1} << 30);
    for (const int threads : {2, 3, 8})
      for (const std::size_t bytes : {std::size_t{20000}, std::size_t{400000}, std::size_t{1} << 30})
        CHECK(train(lines, order, bytes, threads) == expected);
  }
}

TEST(progress_stops_all_workers) {
  struct Stop {};
  const Progress progress = [](std::uint64_t, std::uint64_t) { throw Stop(); };
  for (const std::size_t size : {1, 2, 3}) {
    Meter meter(progress, 0);
    std::uint64_t counts[3] = {};
    const auto work = [&](std::size_t range) {
      while (true) meter.count(counts[range]);
    };
    std::vector<std::function<void(std::size_t)>> workers(size, work);
    CHECK_THROWS(run_ranges(3, workers, meter), Stop);
  }
}

TEST(a_writer_may_go_before_its_end) {
  const std::vector<std::string_view> lines(5000, "a b c d e f g");
  NgramCounter counter(5, SpecialWords::error, 1 << 24, "/tmp", 2);
  counter.add(lines);
  EstimateOptions options;
  options.prune.assign(5, 0);
  options.fallback = {0.5, 1, 1.5};
  Estimate estimate(counter, options, [](std::uint64_t, std::uint64_t) {});
  ArpaWriter writer(estimate, 3);
  CHECK(writer.next().starts_with("\\data\\"));
}

TEST(spool_gives_back_what_was_written_wherever_it_was) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{600000}, std::size_t{1} << 30}) {
    MemoryBudget budget(bytes);
    Spool spool(3, budget, "/tmp");
    for (std::uint32_t i = 0; i < 200000; ++i) {
      std::uint32_t* record = spool.append();
      record[0] = i, record[1] = i * i, record[2] = ~i;
    }
    spool.rewind();
    std::uint32_t next = 0;
    bool equal = true;
    for (; spool.head() != nullptr; spool.advance(), ++next)
      equal = equal && spool.head()[0] == next && spool.head()[1] == next * next && spool.head()[2] == ~next;
    CHECK(equal && next == 200000 && spool.size() == 200000);
    CHECK(budget.take(bytes) && !budget.take(1));  // all memory was given back
  }
}

TEST(temporary_files_say_what_is_wrong) {
  CHECK_THROWS(TemporaryFile("/no/such/folder"), FileError);
}

TEST(checksum_notices_every_bit) {
  std::string data(200, 'x');
  const std::uint64_t sum = checksum(data.data(), data.size());
  for (std::size_t bit = 0; bit < 8 * data.size(); ++bit) {
    data[bit / 8] = static_cast<char>(data[bit / 8] ^ (1 << bit % 8));
    CHECK(checksum(data.data(), data.size()) != sum);
    data[bit / 8] = static_cast<char>(data[bit / 8] ^ (1 << bit % 8));
  }
  CHECK(checksum(data.data(), 199) != sum);
}

TEST(utf8_is_told_from_other_bytes) {
  for (const char* good : {"", "a", "é", "我", "😀", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"})
    CHECK(is_utf8_text(good));
  for (const char* bad :
       {"\xFF", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "a\xE6"})
    CHECK(!is_utf8_text(bad));
  CHECK(!is_utf8_text(std::string_view("a\0", 2)));
}

TEST(scores_by_hand) {
  const Model model = read(arpa);
  CHECK(model.order() == 3 && model.vocabulary() == 5);
  CHECK(check::near(total(model, "a b"), -0.4 - 0.2 - 0.1, 1e-6));
  CHECK(check::near(total(model, "b a"), (-0.3 - 0.8) + (-0.1 - 0.7) - 0.7, 1e-6));
  CHECK(check::near(total(model, "x"), (-0.3 - 1.5) - 0.9, 1e-6));
  CHECK(check::near(total(model, ""), -0.3 - 0.9, 1e-6));
}

TEST(states_hold_what_can_matter) {
  const Model model = read(arpa);
  const std::uint32_t a = model.id("a"), b = model.id("b");
  State one, two;
  CHECK(model.score(model.begin(), a, one).length == 2);
  CHECK(one.length == 2 && one.words[0] == a && one.words[1] == sentence_begin);
  CHECK(model.score(one, b, two).length == 3);
  CHECK(two.length == 2 && two.words[0] == b && two.words[1] == a);  // "a b" begins "a b </s>"
  model.score(two, sentence_end, one);
  CHECK(one.length == 0);  // nothing begins with </s>
  model.score(model.begin(), unknown, one);
  CHECK(one == State() && one.hash() == State().hash());
}

TEST(short_words_are_told_apart_by_their_keys) {
  // Words of one to eight bytes over two letters: all different among those of the same length.
  for (std::size_t length = 1; length <= 8; ++length) {
    std::vector<std::uint64_t> keys;
    for (unsigned bits = 0; bits < 1u << length; ++bits) {
      std::string word(length, 'a');
      for (std::size_t i = 0; i < length; ++i) word[i] = static_cast<char>('a' + (bits >> i & 1));
      keys.push_back(word_key(word));
    }
    std::sort(keys.begin(), keys.end());
    CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
  }
}

TEST(arpa_is_read_in_pieces_of_any_size) {
  const Model whole = read(arpa);
  for (std::size_t piece = 1; piece < 40; ++piece) {
    const auto bytes = whole.image().bytes();
    const Model model = read(arpa, piece);
    CHECK(std::equal(bytes.begin(), bytes.end(), model.image().bytes().begin(), model.image().bytes().end()));
  }
}

TEST(a_bad_line_is_named) {
  const auto line_of = [](std::string_view from, std::string_view to) -> std::int64_t {
    std::string text = arpa;
    text.replace(text.find(from), from.size(), to);
    try {
      read(text);
    } catch (const LineError& error) {
      return error.line;
    }
    return -1;
  };
  CHECK(line_of("-0.8\tb", "0.8\tb") == 11);
  CHECK(line_of("a b\t-0.25", "a c\t-0.25") == 15);
  CHECK(line_of("ngram 2=4", "ngram 2=9") == 18);
  CHECK(line_of("\\end\\", "") == 24);
  CHECK(line_of("ngram 3=2", "ngram 3=1") == 21);
}

TEST(training_does_not_depend_on_memory) {
  std::mt19937 random(3);
  std::vector<std::string> lines(400);
  for (std::string& line : lines)
    for (int i = 0; i < 8; ++i)
      line.append("w").append(std::to_string(random() % (1 + random() % 30))).append(" ");
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  for (const int order : {1, 2, 3, 6, 9}) {
    const std::string large = train(views, order, std::size_t{1} << 26);
    CHECK(large == train(views, order, 2000));
    CHECK(large.ends_with("\n\\end\\\n"));
    const Model model = read(large);
    CHECK(model.order() == order);
    // Probabilities of all words after the state of any line sum to one.
    for (const std::string_view line : {views[0], views[7], std::string_view("unseen w1")}) {
      State state = model.begin(), next;
      for_each_word(line, [&](std::string_view word) {
        model.score(state, model.id(word), next);
        state = next;
      });
      double sum = 0;
      for (std::uint32_t word = 0; word < model.vocabulary(); ++word)
        if (word != sentence_begin) sum += std::pow(10.0, model.score(state, word, next).probability);
      CHECK(check::near(sum, 1, 1e-5));
    }
  }
}

TEST(appending_phrases_gives_the_score_and_the_state_of_their_words) {
  std::mt19937 random(9);
  for (int order = 1; order <= 5; ++order) {
    const Model model = read(train({"a b c d", "b c d a", "c a b", "a b c", "d d a b"}, order, 1 << 20));
    for (int round = 0; round < 300; ++round) {
      State by_words = model.begin(), by_phrases = model.begin(), next;
      double words = 0, phrases = 0;
      for (int phrase = 0; phrase < 5; ++phrase) {
        ChartState piece;
        PieceScorer scorer(model, piece);
        for (unsigned length = random() % 4; length-- > 0;) {
          const std::uint32_t word = model.id(std::string(1, "abcdx"[random() % 5]));
          scorer.add_word(word);
          words += model.score(by_words, word, next).probability;
          by_words = next;
        }
        phrases += scorer.finish();
        phrases += append(model, by_phrases, piece, next);
        by_phrases = next;
        CHECK(check::near(words, phrases, 1e-5));
        CHECK(by_words == by_phrases);
      }
    }
  }
}

TEST(every_split_of_a_sentence_gives_its_score) {
  const Model model = read(train({"a b c d", "b c d a", "c a b", "a b c"}, 4, 1 << 20));
  const std::string line = "a b c d a b";
  std::vector<std::uint32_t> ids;
  for_each_word(line, [&](std::string_view word) { ids.push_back(model.id(word)); });
  ids.push_back(sentence_end);
  // Three pieces, all borders; the last two joined first.
  for (std::size_t i = 0; i <= ids.size(); ++i)
    for (std::size_t j = i; j <= ids.size(); ++j) {
      const auto piece = [&](std::size_t from, std::size_t to, ChartState& out) {
        PieceScorer scorer(model, out);
        for (; from < to; ++from) scorer.add_word(ids[from]);
        return scorer.finish();
      };
      ChartState first, second, third, tail, all;
      const float one = piece(0, i, first), two = piece(i, j, second), three = piece(j, ids.size(), third);
      PieceScorer join(model, tail);
      join.add_piece(second, two);
      join.add_piece(third, three);
      const float of_tail = join.finish();
      PieceScorer scorer(model, all);
      scorer.add_begin();
      scorer.add_piece(first, one);
      scorer.add_piece(tail, of_tail);
      CHECK(check::near(scorer.finish(), total(model, line), 1e-5));
      CHECK(all.left_full && all.left_length == 0 && all == all);
    }
}
