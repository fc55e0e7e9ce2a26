#include "features/search/feature_kinds.hpp"

#include "features/search/appended_language_model.hpp"
#include "features/search/class_boundary.hpp"
#include "features/search/in_domain.hpp"
#include "features/search/reordering/distortion.hpp"
#include "features/search/reordering/reordering.hpp"
#include "features/search/reordering/rule_orientation.hpp"
#include "features/search/reordering/signed_distortion.hpp"
#include "features/search/source_triggers.hpp"
#include "features/search/target_bigrams.hpp"
#include "features/search/token_ratio.hpp"
#include "features/structure/backtrack.hpp"
#include "features/structure/insertion.hpp"
#include "features/structure/link_bigrams.hpp"
#include "features/structure/link_pairs.hpp"
#include "features/structure/parent_child.hpp"

namespace tunesmith {

std::span<const FeatureKind> feature_kinds() {
  static const FeatureKind kinds[] = {
      language_model_kind,    distortion_kind,          reordering_kind,          target_bigrams_kind,
      source_triggers_kind,   punctuation_ratio_kind,   function_word_ratio_kind, class_boundary_kind,
      signed_distortion_kind, lexical_orientation_kind, class_orientation_kind,   link_pairs_kind,
      link_bigrams_kind,      insertion_kind,           parent_child_kind,        backtrack_kind,
      in_domain_kind,         adjacent_in_domain_kind,
  };
  return kinds;
}

SearchFeature make_feature(std::string_view kind, const FeatureInputs& inputs) {
  for (const FeatureKind& known : feature_kinds()) {
    if (known.name != kind) continue;
    if (!known.serves(inputs.growth)) throw Error(inputs.name + " cannot be used in this kind of search");
    SearchFeature made = known.make(inputs);
    for (const auto& [key, value] : inputs.values)
      if (!inputs.read.contains(key)) throw Error(inputs.name + " has no setting " + key);
    return made;
  }
  std::string names;
  for (const FeatureKind& known : feature_kinds()) names += (names.empty() ? "" : ", ") + std::string(known.name);
  throw Error("no feature of the search is called " + std::string(kind) + "; known are " + names);
}

}  // namespace tunesmith
