// n-best lists with |||: id ||| words ||| Name= v v name=v … ||| score [||| alignment …], and their other orders.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "search/lists/list_reader.hpp"
#include "search/lists/nbest_layout.hpp"

namespace tunesmith {

// unlabelled: values may come without names, as in the first lists of Joshua.
// skip_bad: a line that cannot be read is left out, whole, instead of ending the reading.
struct NbestReading {
  NbestOrder order = NbestOrder::features_first;
  bool unlabelled = false;
  bool skip_bad = false;
};

// A label with one value is the feature of that name; one with several values is the features label_0, label_1, …
// and must have as many in every line. `name=v` is a feature too. What follows the score is kept as it is; an
// alignment and word scores that stand before it are kept there, separated by |||.
class NbestReader : public ListReader {
 public:
  explicit NbestReader(const NbestReading& reading)
      : ListReader(SentenceOrder::rising, reading.skip_bad), reading_(reading) {}

 private:
  struct Label {
    std::size_t values = 0;
    std::vector<std::uint32_t> features;
  };
  struct Fields {
    std::string_view words, features, score, alignment, rest;
    bool has_score = false;
  };
  // A label of the line that is read, with values_[begin .. end); its number is `none` where it is new.
  struct Found {
    std::string_view label;
    std::size_t begin = 0, end = 0;
    WordId number = WordTable::none;
  };

  void line(std::string_view text) override;
  Fields arranged(std::string_view text);
  void find_features(std::string_view field);
  void end_label(std::string_view label, std::size_t begin);
  WordId find_label(std::string_view label) const;
  void check_new_labels();
  void add_features();
  void add_rest(const Fields& fields);

  NbestReading reading_;
  WordTable label_table_;
  std::vector<Label> labels_;
  std::vector<std::string_view> fields_, sorted_;
  std::deque<std::string> numbered_;  // names in sorted_ that stand in no line
  std::vector<Found> found_;
  std::vector<WordId> before_;  // the labels of the line before
  std::vector<TextValue> values_;
  std::string_view word_scores_;
};

}  // namespace tunesmith
