// What a feature of the search is made from: settings, arrays and models by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "features/rule_arrays.hpp"
#include "features/search/growth.hpp"
#include "lm/class_words.hpp"
#include "lm/model.hpp"

namespace tunesmith {

using FeatureInput = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>,
                                  std::span<const float>, std::span<const std::uint64_t>,
                                  std::shared_ptr<const lm::Model>, std::shared_ptr<const lm::ClassWords>>;

struct FeatureInputs {
  std::string name;  // of the feature; a model may have several of one kind, such as two language models
  std::map<std::string, FeatureInput, std::less<>> values;
  const RuleArrays& rules;  // outlive the feature
  Growth growth;
  // The number of a feature of this name in the feature index.
  std::function<std::uint32_t(std::string_view)> number;
  mutable std::set<std::string, std::less<>> read{};  // keys that get() was asked for

  // Throws Error if there is no such input, or if it is of another type.
  template <class T>
  const T& get(std::string_view key) const {
    read.emplace(key);
    const auto found = values.find(key);
    if (found == values.end()) throw Error(name + " needs " + std::string(key));
    if (const T* const value = std::get_if<T>(&found->second)) return *value;
    throw Error(name + ": " + std::string(key) + " is of another type than the feature takes");
  }
};

}  // namespace tunesmith
