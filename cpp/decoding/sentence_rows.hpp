// G_x: feature values that rules have at a place of one sentence, besides those of their rows in the matrix.
#pragma once

#include <memory>
#include <vector>

#include "decoding/model.hpp"
#include "decoding/target_option.hpp"

namespace tunesmith {

// Rows are made when they are first asked for. They hold span features, triggers among them, of rules of the
// table, unknown words and forced phrases alike; and how scores of the table change when a sentence pair is left
// out. Most models have none, and then nothing is computed. One thread works on a sentence.
class SentenceRows {
 public:
  // All outlive the rows. left_out: null, or the sentence pair whose counts are left out.
  SentenceRows(const DecoderModel& model, const Sentence& sentence, const OwnPair* left_out = nullptr)
      : sentence_(sentence), left_out_(left_out) {
    for (const auto& feature : model.span_features) values_.push_back(feature->start(sentence));
  }

  const Sentence& sentence() const { return sentence_; }
  const OwnPair* left_out() const { return left_out_; }
  std::size_t features() const { return values_.size(); }
  bool empty() const { return values_.empty() && left_out_ == nullptr; }

  // The options that may cover [begin, end), before any of them is scored.
  void open(std::size_t begin, std::size_t end, std::span<const TargetOption> options) {
    if (!values_.empty() && !options.empty()) open_all(begin, end, options);
  }
  // The weighted score of span features; the change of left-out counts is in the score of the option already.
  float score(const Application& application, const TargetOption& option) {
    float total = 0;
    for (const auto& values : values_) total += values->score({application, option.side});
    return total;
  }
  float score(std::size_t feature, const Application& application, const TargetOption& option) {
    return values_[feature]->score({application, option.side});
  }
  // The unweighted values of span feature `feature`.
  void list(std::size_t feature, const Application& application, const TargetOption& option, SparseValues& out) {
    values_[feature]->list({application, option.side}, out);
  }
  // The values of columns of the matrix: by how much they differ from the table in this sentence.
  void list_columns(const TargetOption& option, SparseValues& out) const;

 private:
  void open_all(std::size_t begin, std::size_t end, std::span<const TargetOption> options);

  const Sentence& sentence_;
  const OwnPair* left_out_;
  std::vector<std::unique_ptr<SpanValues>> values_;
  std::vector<PlacedRule> placed_;
};

}  // namespace tunesmith
