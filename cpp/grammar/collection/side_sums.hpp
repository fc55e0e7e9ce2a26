// Sums over the sides of all rules.
#pragma once

#include <memory>
#include <vector>

#include "grammar/collection/keyed_sums.hpp"

namespace tunesmith {

// All may be missing while nobody needs them.
struct SideSums {
  std::unique_ptr<KeyedSums> targets;        // of the rules with the target side of each rule
  std::unique_ptr<KeyedSums> target_shares;  // three rows for each rule, see smoothing.hpp, for Kneser-Ney
  // Sentence pairs with a side in some rule, for the significance of hierarchical rules: both or none.
  std::unique_ptr<KeyedSums> source_pairs, target_pairs;

  // Sides that are present.
  std::vector<KeyedSums*> all() const {
    std::vector<KeyedSums*> all;
    for (const auto* sums : {&targets, &target_shares, &source_pairs, &target_pairs})
      if (*sums) all.push_back(sums->get());
    return all;
  }
};

}  // namespace tunesmith
