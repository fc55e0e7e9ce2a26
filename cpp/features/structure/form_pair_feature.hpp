// What sparse features of two words have in common where words go by several forms.
#pragma once

#include <array>
#include <span>
#include <utility>

#include "features/search/word_pair_feature.hpp"
#include "features/structure/token_forms.hpp"

namespace tunesmith {

// The forms of first and of second words; made before the features that read their names.
struct HoldsForms {
  TokenForms first, second;
  Combine combine;
};

// A feature of pairs of forms; Base is what the search asks of it.
template <class Base>
class FormPairFeature : protected HoldsForms, public WordPairFeature<Base> {
 protected:
  FormPairFeature(HoldsForms forms, char separator)
      : HoldsForms(std::move(forms)),
        WordPairFeature<Base>(HoldsForms::first.names(), HoldsForms::second.names(), separator) {}

  // Calls `visit(key)` for each feature that two words fire.
  template <class Visit>
  void for_each_key(std::uint32_t a, std::uint32_t b, Visit visit) const {
    for_each_form_pair(first, a, second, b, combine,
                       [&](std::uint32_t one, std::uint32_t two) { visit(WordPairs::key(one, two)); });
  }
  // Two words have no more features.
  double most_features() const {
    return static_cast<double>(combine == Combine::full ? first.kinds() * second.kinds() : first.kinds());
  }
  // The sum of the weights of these features.
  double weight_of_words(std::uint32_t a, std::uint32_t b) const {
    constexpr std::size_t most = TokenForms::most_kinds * TokenForms::most_kinds;
    std::array<std::uint64_t, most> keys;
    std::size_t count = 0;
    for_each_key(a, b, [&](std::uint64_t key) { keys[count++] = key; });
    return this->template weight_of_keys<most>(std::span(keys).first(count));
  }
};

}  // namespace tunesmith
