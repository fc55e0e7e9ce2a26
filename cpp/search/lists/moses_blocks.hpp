// The features.dat and scores.dat of Moses' tuning tools: blocks of numbers, one block per sentence.
//
//   FEATURES_TXT_BEGIN_0 17 100 14 LM0_0 WordPenalty0_0 …     sentence, candidates, dense features and their names
//   -43.4 -9 … [sparse_name=1 …]                              one line per candidate
//   FEATURES_TXT_END_0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/lists/list_reader.hpp"

namespace tunesmith {

// Either kind of file, distinguished by the first line. In scores.dat the numbers of a line are statistics.
class MosesBlockReader : public ListReader {
 public:
  explicit MosesBlockReader(bool scores) : ListReader(SentenceOrder::rising, false), scores_(scores) {}
  void finish() override;

  // Statistics, width() of them for each candidate, and what Moses calls their metric.
  std::vector<double>& statistics() { return statistics_; }
  std::size_t width() const { return width_; }
  const std::string& metric() const { return metric_; }

 private:
  void line(std::string_view text) override;
  void header();
  void features();
  void statistics_row();
  [[noreturn]] void not_a_header() const;

  bool scores_;
  std::vector<std::string_view> words_;
  bool inside_ = false;
  std::uint64_t expected_ = 0, seen_ = 0;  // candidates of the open block
  std::vector<std::uint32_t> columns_;
  std::vector<double> statistics_;
  std::size_t width_ = 0, blocks_ = 0;
  std::string metric_;
};

}  // namespace tunesmith
