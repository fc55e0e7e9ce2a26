// Flat files: n lines for each sentence, the words of a candidate and columns of numbers after tabs; more
// columns may be in a second file.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/lists/list_reader.hpp"

namespace tunesmith {

// size: candidates of a sentence, 0 if the first line says it. `beside`: there is a file of scores.
//
// A line `# n=4<TAB>name<TAB>name` at the start says how many candidates a sentence has, and names the columns;
// `# name name` does so in the file of scores. Others are column_0, column_1 and so on. A column `model_score` is
// the score of the list. A bad line is left out; the next one still belongs to the sentence it stands for.
class FlatReader : public ListReader {
 public:
  FlatReader(std::int64_t size, bool beside, bool skip_bad)
      : ListReader(SentenceOrder::rising, skip_bad), size_(size), beside_(beside) {}
  void finish() override;

  // The next bytes of the file of scores, whose rows must come before the lines that they belong to.
  void add_scores(std::string_view block);
  // No scores follow.
  void finish_scores();
  // Rows of scores so far.
  std::int64_t score_rows() const { return score_rows_; }

  // What ends the reading, bad lines left out or not. Error about the lists; LineError or Error about the scores.
  void check() const;
  void check_scores() const;
  // Error if there are more scores than candidates.
  void check_end() const;

 private:
  // A row of the file of scores.
  struct Row {
    std::int64_t at = 0, line = 0;
    bool blank = false;
    std::vector<TextValue> values;
  };
  // How columns are called: by the first line, or by their numbers.
  struct Columns {
    std::vector<std::string> names;
    bool named = false;
    std::vector<std::uint32_t> features;
  };
  static constexpr std::uint32_t is_score = 0xFFFFFFFF;

  void line(std::string_view text) override;
  bool header(std::string_view text);
  void score_line(std::string_view text);
  // The row of the candidate, nullptr if there is none.
  const Row* row_of(std::int64_t candidate);
  void check_count(const Columns& columns, std::size_t values) const;
  std::uint32_t feature(Columns& columns, std::size_t at);

  std::int64_t size_;
  bool beside_, has_header_ = false, no_size_ = false;
  Columns columns_, score_columns_;
  std::vector<TextValue> values_;
  LineSplitter score_splitter_;
  std::deque<Row> rows_;
  std::int64_t score_rows_ = 0;
  std::optional<LineError> score_error_;
};

}  // namespace tunesmith
