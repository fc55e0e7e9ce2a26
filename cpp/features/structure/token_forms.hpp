// The forms under which features know a word: as written, its class, its ends, with digits masked (Watanabe et al.
// 2007, section 3.3).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "corpus/vocab.hpp"
#include "features/search/feature_inputs.hpp"

namespace tunesmith {

// Which forms of two words make a feature: each with each, or those of the same kind.
enum class Combine { full, paired };

// Every word has as many forms as there are kinds; some may be equal.
class TokenForms {
 public:
  static constexpr std::size_t most_kinds = 5;

  // numbers: the forms of word 0, then those of word 1, ...; numbers of `names`. Throws Error if there are too
  // many kinds, or if a number is none of a name.
  TokenForms(std::shared_ptr<const Vocabulary> names, std::size_t kinds, std::vector<std::uint32_t> numbers);
  // Reads the inputs `SIDE_names` and `SIDE_forms`, for the words of a vocabulary.
  TokenForms(const FeatureInputs& inputs, const std::string& side, const Vocabulary& words);

  std::size_t kinds() const { return kinds_; }
  std::span<const std::uint32_t> of(std::uint32_t word) const {
    return std::span(numbers_).subspan(word * kinds_, kinds_);
  }
  // The same, equal ones once, in the order of the first of them.
  std::span<const std::uint32_t> distinct(std::uint32_t word) const {
    return std::span(distinct_).subspan(starts_[word], starts_[word + 1] - starts_[word]);
  }
  const Vocabulary& names() const { return *names_; }

 private:
  std::shared_ptr<const Vocabulary> names_;
  std::size_t kinds_;
  std::vector<std::uint32_t> numbers_, distinct_, starts_{0};
};

// The input `combine`. Throws Error if it is neither `full` nor `paired`.
Combine combine_of(const FeatureInputs& inputs);

// Calls `visit(form of a, form of b)` for the forms of the same kind, equal pairs once.
template <class Visit>
void for_each_paired_form(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, Visit visit) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool known = false;
    for (std::size_t j = 0; j < i; ++j) known |= a[j] == a[i] && b[j] == b[i];
    if (!known) visit(a[i], b[i]);
  }
}

// Calls `visit(form of a, form of b)` for the combinations of two words' forms, equal ones once.
template <class Visit>
void for_each_form_pair(const TokenForms& first, std::uint32_t a, const TokenForms& second, std::uint32_t b,
                        Combine combine, Visit visit) {
  if (combine == Combine::paired) {
    for_each_paired_form(first.of(a), second.of(b), visit);
    return;
  }
  for (const std::uint32_t one : first.distinct(a))
    for (const std::uint32_t two : second.distinct(b)) visit(one, two);
}

}  // namespace tunesmith
