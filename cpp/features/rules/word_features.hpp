// Templates that look at words and their links.
#pragma once

#include <memory>
#include <vector>

#include "features/rules/rule_template.hpp"

namespace tunesmith {

// Chosen words of one vocabulary and their places in the choice; all words if none are chosen.
class WordChoice {
 public:
  static constexpr std::int32_t other = -1;

  // Words are different and not negative.
  explicit WordChoice(std::vector<WordId> words);
  bool all() const { return words_.empty(); }
  std::size_t size() const { return words_.size(); }
  WordId word(std::size_t place) const { return words_[place]; }
  std::int32_t place(WordId word) const {
    return static_cast<std::size_t>(word) < places_.size() ? places_[static_cast<std::size_t>(word)] : other;
  }

 private:
  std::vector<WordId> words_;
  std::vector<std::int32_t> places_;
};

// Cherry and Foster 2012, section 4.2: a pair for every two words aligned 1-1, and the pair of a word and "not
// 1-1" for every other word. Words that are not chosen are one word, "other".
std::unique_ptr<RuleTemplate> word_pair(std::vector<WordId> source, std::vector<WordId> target);

// Cherry and Foster 2012, section 4.2: chosen target words without a link.
std::unique_ptr<RuleTemplate> target_unaligned(std::vector<WordId> words);

// Green et al. 2014, section 5 (SPARSE): source words without a link.
std::unique_ptr<RuleTemplate> source_deletion();

// Green et al. 2014, section 3.2: the words of every connected part of the links of a rule that was seen more than
// `more_than` times.
std::unique_ptr<RuleTemplate> lexical_alignment(std::uint32_t more_than);

// Green et al. 2014, section 3.1: the rule itself, if it was seen more than `more_than` times.
std::unique_ptr<RuleTemplate> lexical_rule(std::uint32_t more_than);

}  // namespace tunesmith
