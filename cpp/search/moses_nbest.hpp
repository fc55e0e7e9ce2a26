// n-best lists as Moses writes them: id ||| words ||| Name= v v … ||| score [||| alignment …]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/line_splitter.hpp"
#include "search/list_builder.hpp"

namespace tunesmith {

// A label with one value is the feature of that name; one with several values is the features label_0, label_1, …
// and must have as many in every line. What follows the score is kept as it is.
class MosesNbestReader {
 public:
  void add(std::string_view block);
  void finish();
  ListBuilder& lists() { return lists_; }

 private:
  struct Label {
    std::size_t values = 0;
    std::vector<std::uint32_t> features;
  };

  void line(std::string_view text);
  void features(std::string_view field);
  void end_label(std::string_view label);
  [[noreturn]] void wrong_fields(std::size_t count) const;

  LineSplitter splitter_;
  ListBuilder lists_;
  WordTable label_table_;
  std::vector<Label> labels_;
  std::vector<TextValue> values_;
  std::vector<std::string_view> fields_;
  bool with_scores_ = false;
};

}  // namespace tunesmith
