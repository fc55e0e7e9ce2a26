#include "features/structure/linked_words.hpp"

#include <utility>

#include "base/narrow.hpp"
#include "features/search/word_pair_feature.hpp"

namespace tunesmith {

LinkedWords::LinkedWords(const RuleArrays& rules, TokenForms source, TokenForms target, Combine combine)
    : source_(std::move(source)), target_(std::move(target)), combine_(combine) {
  add(Vocabulary::unknown, Vocabulary::unknown);
  rules.for_each(0, rules.rules(), [&](const RuleEntry& rule) {
    for (const RuleLink link : rule.links)
      add(static_cast<std::uint32_t>(rule.source[link.source]),
          static_cast<std::uint32_t>(rule.target[link.target]));
  });
}

void LinkedWords::add(std::uint32_t source, std::uint32_t target) {
  if (pair(source, target) != NumberTable::none) return;
  pairs_.set(key(source, target), narrow<std::uint32_t>(starts_.size() - 1));
  const auto add_form = [&](std::uint32_t a, std::uint32_t b) {
    std::uint32_t number = form_pairs_.find(key(a, b));
    if (number == NumberTable::none) {
      number = narrow<std::uint32_t>(form_keys_.size());
      form_pairs_.set(key(a, b), number);
      form_keys_.push_back(key(a, b));
    }
    forms_.push_back(number);
  };
  if (combine_ == Combine::full)
    for_each_form_pair(source_, source, target_, target, combine_, add_form);
  else
    for (std::size_t kind = 0; kind < source_.kinds(); ++kind)
      add_form(source_.of(source)[kind], target_.of(target)[kind]);
  starts_.push_back(forms_.size());
}

std::string LinkedWords::name(std::uint32_t form_pair) const {
  return WordPairs(source_.names(), target_.names(), '|').detail(form_keys_[form_pair]);
}

std::uint32_t LinkedWords::find(std::string_view name) const {
  const auto key = WordPairs(source_.names(), target_.names(), '|').key(name);
  return key ? form_pairs_.find(*key) : NumberTable::none;
}

}  // namespace tunesmith
