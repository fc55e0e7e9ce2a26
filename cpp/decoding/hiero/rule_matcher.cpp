#include "decoding/hiero/rule_matcher.hpp"

namespace tunesmith {

void RuleMatcher::start(const Sentence& sentence, const Chart& chart, std::size_t begin) {
  sentence_ = &sentence;
  chart_ = &chart;
  begin_ = end_ = begin;
  if (before_word_.size() < chart.longest() + 1) {
    before_word_.resize(chart.longest() + 1);
    before_gap_.resize(chart.longest() + 1);
  }
  before_word_[0].assign(1, {RuleTrie::root, 0, {0, 0}, {0, 0}});
  before_gap_[0].clear();
}

void RuleMatcher::add(const Dotted& from, RuleTrie::Node node) {
  Dotted dotted = from;
  dotted.node = node;
  const std::size_t width = end_ - begin_;
  if (trie_.has_words(node)) before_word_[width].push_back(dotted);
  if (trie_.gap(node) != RuleTrie::none) before_gap_[width].push_back(dotted);
  if (const std::uint32_t side = trie_.side(node); side != RuleTrie::none)
    matches_.push_back(
        {side, dotted.gaps, {dotted.begins[0], dotted.begins[1]}, {dotted.ends[0], dotted.ends[1]}});
}

const std::vector<RuleMatch>& RuleMatcher::next() {
  const std::size_t width = ++end_ - begin_;
  matches_.clear();
  before_word_[width].clear();
  before_gap_[width].clear();
  if (const std::uint32_t word = sentence_->words[end_ - 1]; word > 2)
    for (const Dotted& dotted : before_word_[width - 1])
      if (const RuleTrie::Node node = trie_.child(dotted.node, word); node != RuleTrie::none) add(dotted, node);
  for (std::size_t middle = 1; middle < width; ++middle) {
    if (before_gap_[middle].empty() || chart_->cell(begin_ + middle, end_).empty()) continue;
    for (Dotted dotted : before_gap_[middle]) {
      dotted.begins[dotted.gaps] = static_cast<std::uint16_t>(begin_ + middle);
      dotted.ends[dotted.gaps++] = static_cast<std::uint16_t>(end_);
      add(dotted, trie_.gap(dotted.node));
    }
  }
  return matches_;
}

void RuleMatcher::complete() {
  const RuleTrie::Node node = trie_.gap(RuleTrie::root);
  if (node == RuleTrie::none || chart_->cell(begin_, end_).empty()) return;
  const std::size_t count = matches_.size();
  add({RuleTrie::root, 1, {static_cast<std::uint16_t>(begin_), 0}, {static_cast<std::uint16_t>(end_), 0}}, node);
  matches_.resize(count);  // a side that is a gap alone would be its own part
}

}  // namespace tunesmith
