// G_x: feature values of rules at a place of one sentence, in addition to the values of their rows in the matrix.
#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "decoding/model.hpp"
#include "decoding/search_profile.hpp"
#include "decoding/target_option.hpp"

namespace tunesmith {

// What features keep of sentences as long as weights are the same. One for each thread.
struct KeptMemories {
  std::uint64_t epoch = 0;  // of the weights
  std::vector<std::unique_ptr<SentenceMemory>> across;
  std::vector<std::unique_ptr<SpanValues>> of_spans;
};

// With them is what features across rules keep of the sentence. Rows are made when they are first asked for. They
// hold span features, triggers among them, of rules of the table, unknown words and forced phrases alike; and how
// scores of the table change when a sentence pair is left out. Most models have none, and then nothing is
// computed. One thread works on a sentence.
class SentenceRows {
 public:
  // All outlive the rows. kept: from the last sentence, and for the next one. left_out: null, or the sentence pair
  // whose counts are left out. profile: null, or where the times of span features are added.
  SentenceRows(const DecoderModel& model, const Sentence& sentence, KeptMemories& kept,
               const OwnPair* left_out = nullptr, SearchProfile* profile = nullptr);
  SentenceRows(const SentenceRows&) = delete;
  SentenceRows& operator=(const SentenceRows&) = delete;
  ~SentenceRows();

  const Sentence& sentence() const { return sentence_; }
  const OwnPair* left_out() const { return left_out_; }
  std::size_t features() const { return values_.size(); }
  // Memory of a feature across rules; null if it keeps nothing.
  SentenceMemory* memory(std::size_t feature) { return memories_[feature].get(); }
  bool empty() const { return values_.empty() && left_out_ == nullptr; }

  // All options that may cover [begin, end), before any of them is scored: `options` and `count` of each list. The
  // options of a side that matches in several ways are taken once.
  template <class Lists>
  void open(std::size_t begin, std::size_t end, const Lists& lists) {
    if (!places_) return;
    for (const auto& list : lists) place(begin, end, {list.options, list.count});
    open_placed();
  }
  // Whether options have a score of the sentence, whatever their places.
  bool ranks() const { return ranks_; }
  // Adds it to the scores of options that do not have it.
  void add_of_sentence(std::span<TargetOption> options);
  // The weighted score of span features that is not in the score of the option; the change of left-out counts is.
  float score(const Application& application, const TargetOption& option) {
    return values_.empty() || (option.of_sentence && !places_) ? 0.0F : sum(application, option);
  }
  // The unweighted values of span feature `feature`.
  void list(std::size_t feature, const Application& application, const TargetOption& option, SparseValues& out) {
    values_[feature]->list({application, option.side}, out);
  }
  // The values of columns of the matrix: by how much they differ from the table in this sentence.
  void list_columns(const TargetOption& option, SparseValues& out) const;

 private:
  float sum(const Application& application, const TargetOption& option);  // no inline loop: most models have none
  void place(std::size_t begin, std::size_t end, std::span<const TargetOption> options);
  void open_placed();

  const Sentence& sentence_;
  KeptMemories& kept_;
  const OwnPair* left_out_;
  SearchProfile* profile_;
  std::uint64_t scored_ = 0;
  std::size_t across_;  // features across rules, whose times come before those of span features
  std::vector<std::unique_ptr<SpanValues>> values_;
  std::vector<bool> of_sentence_, of_rule_;  // of each of them
  bool ranks_ = false, places_ = false;      // some are, some are not
  std::vector<std::unique_ptr<SentenceMemory>> memories_;
  std::vector<PlacedRule> placed_;                // in the span that is opened
  std::unordered_set<const TargetOption*> seen_;  // where lists of it begin
};

}  // namespace tunesmith
