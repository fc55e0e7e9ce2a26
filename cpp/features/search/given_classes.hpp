// Word classes among the inputs of a feature.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/vocab.hpp"
#include "features/search/feature_inputs.hpp"

namespace tunesmith {

struct GivenClasses {
  std::vector<std::string> names;
  std::vector<std::int32_t> numbers;  // of the class of each word
  std::int32_t unknown;               // of words that are not in the vocabulary
};

// Reads `names`, `numbers` and `unknown` after a prefix. Throws Error unless every word of the vocabulary has a
// class and every class a name.
inline GivenClasses read_classes(const FeatureInputs& inputs, const std::string& prefix, const Vocabulary& words) {
  GivenClasses out{inputs.get<std::vector<std::string>>(prefix + "names"), {}, 0};
  const auto checked = [&](std::int64_t number) {
    if (number < 0 || static_cast<std::size_t>(number) >= out.names.size())
      throw Error(inputs.name + ": class " + std::to_string(number) + " has no name");
    return static_cast<std::int32_t>(number);
  };
  const auto numbers = inputs.get<std::span<const float>>(prefix + "numbers");
  if (numbers.size() != words.size()) throw Error(inputs.name + " needs a class for each word of the vocabulary");
  for (const float number : numbers) out.numbers.push_back(checked(static_cast<std::int64_t>(number)));
  out.unknown = checked(inputs.get<std::int64_t>(prefix + "unknown"));
  return out;
}

}  // namespace tunesmith
