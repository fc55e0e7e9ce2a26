// Templates that see classes instead of words (Green et al. 2014, sections 3.1 and 3.2).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "features/rules/rule_template.hpp"

namespace tunesmith {

// The class of every word of a vocabulary, by number, and the names of classes.
class WordLabels {
 public:
  // Every number is that of a name.
  WordLabels(std::vector<std::string> names, std::vector<std::int32_t> numbers);
  std::size_t size() const { return names_.size(); }
  const std::string& name(std::int32_t number) const { return names_[static_cast<std::size_t>(number)]; }
  // The class of a word of the vocabulary. Throws Error for another one: the table is damaged.
  std::int32_t of(WordId word) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::int32_t> numbers_;
};

// Section 3.1: the rule with classes for its words; gaps stay.
std::unique_ptr<RuleTemplate> class_rule(WordLabels source, WordLabels target);
// Section 3.1: the class of every target word.
std::unique_ptr<RuleTemplate> target_class(WordLabels target);
// Section 3.2: the classes of every connected part of the links.
std::unique_ptr<RuleTemplate> class_alignment(WordLabels source, WordLabels target);
// Section 3.2: the class of every source word without a link.
std::unique_ptr<RuleTemplate> source_class_deletion(WordLabels source);

}  // namespace tunesmith
