// Phrase and rule tables in the text format of Moses.
//
//   ein haus ||| a house ||| 0.5 0.4 0.3 0.2 ||| 0-0 1-1 ||| 4 6 2 ||| |||
//   ein [X][X] haus [X] ||| a [X][X] house [X] ||| 0.5 0.4 0.3 0.2 ||| 0-0 1-1 2-2 ||| 4 6 2 ||| |||
//
// Scores, alignment (of words, and of gaps in rule tables), counts of target side, source side and both.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "corpus/vocab.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

class MosesReader {
 public:
  // `hiero`: both sides end with the label of the left-hand side, such as [X].
  explicit MosesReader(bool hiero) : hiero_(hiero) {}

  // Takes the next lines in; throws LineError, after which nothing more can be read or written.
  void add(std::span<const std::string_view> lines);
  // Once: writes the arrays of a table, sorted, to an empty folder and returns the vocabularies. Throws LineError
  // for a rule that came twice, FileError where the folder cannot be written.
  std::pair<Vocabulary, Vocabulary> write(const std::string& folder);

  std::size_t size() const { return rules_.size(); }
  std::size_t scores() const { return score_count_; }
  std::size_t counts() const { return count_fields_; }
  const std::string& label() const { return label_; }
  // Lines whose sparse features or properties were left out.
  std::size_t dropped() const { return dropped_; }
  // Lines with a gap.
  std::size_t gaps() const { return gaps_; }

 private:
  struct Rule {
    std::uint64_t symbols, links;
    std::uint32_t line;
    std::uint16_t link_count;
    std::uint8_t source_size, target_size;
  };
  struct Field {
    std::vector<std::string_view> words;
  };

  void add_line(std::string_view line);
  void add_side(std::vector<std::string_view>& words, const char* side, WordCounter& table);
  void add_scores(const std::vector<std::string_view>& words);
  void add_links(const std::vector<std::string_view>& words, Rule& rule);
  void add_counts(const std::vector<std::string_view>& words);
  [[noreturn]] void fail(const std::string& message) const {
    throw LineError(static_cast<std::int64_t>(lines_) + 1, message);
  }

  bool hiero_, closed_ = false;
  std::size_t gaps_ = 0, lines_ = 0, score_count_ = 0, count_fields_ = 0, dropped_ = 0;
  std::string label_;
  WordCounter source_, target_;
  std::vector<Rule> rules_;
  std::vector<Symbol> symbols_;
  std::vector<RuleLink> links_;
  std::vector<float> scores_;
  std::vector<double> counts_;  // target, source, joint of every rule
  std::vector<Field> fields_;
};

}  // namespace tunesmith
