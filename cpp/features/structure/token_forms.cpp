#include "features/structure/token_forms.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

std::shared_ptr<const Vocabulary> names_of(const FeatureInputs& inputs, const std::string& side) {
  const auto& names = inputs.get<std::vector<std::string>>(side + "_names");
  return std::make_shared<const Vocabulary>(std::vector<std::string_view>(names.begin(), names.end()),
                                            std::vector<std::int64_t>(names.size()));
}

std::vector<std::uint32_t> numbers_of(const FeatureInputs& inputs, const std::string& side) {
  std::vector<std::uint32_t> numbers;
  for (const float number : inputs.get<std::span<const float>>(side + "_forms")) {
    if (!(number >= 0 && number < 16777216.0F)) throw Error(inputs.name + ": a form has no number");
    numbers.push_back(static_cast<std::uint32_t>(number));
  }
  return numbers;
}

}  // namespace

TokenForms::TokenForms(std::shared_ptr<const Vocabulary> names, std::size_t kinds,
                       std::vector<std::uint32_t> numbers)
    : names_(std::move(names)), kinds_(kinds), numbers_(std::move(numbers)) {
  if (kinds == 0 || kinds > most_kinds)
    throw Error("a word must have 1 to " + std::to_string(most_kinds) + " forms, got " + std::to_string(kinds));
  for (const std::uint32_t number : numbers_)
    if (number >= names_->size()) throw Error("a form of a word has no name");
  distinct_.reserve(numbers_.size());
  for (std::size_t word = 0; word < numbers_.size() / kinds_; ++word) {
    for (const std::uint32_t form : of(static_cast<std::uint32_t>(word)))
      if (std::find(distinct_.begin() + starts_.back(), distinct_.end(), form) == distinct_.end())
        distinct_.push_back(form);
    starts_.push_back(narrow<std::uint32_t>(distinct_.size()));
  }
}

TokenForms::TokenForms(const FeatureInputs& inputs, const std::string& side, const Vocabulary& words)
    : TokenForms(names_of(inputs, side), inputs.get<std::span<const float>>(side + "_forms").size() / words.size(),
                 numbers_of(inputs, side)) {
  if (numbers_.size() != kinds_ * words.size())
    throw Error(inputs.name + " needs the forms of each " + side + " word");
}

Combine combine_of(const FeatureInputs& inputs) {
  const auto& combine = inputs.get<std::string>("combine");
  if (combine != "full" && combine != "paired")
    throw Error(inputs.name + ": combine must be full or paired, got " + combine);
  return combine == "full" ? Combine::full : Combine::paired;
}

}  // namespace tunesmith
