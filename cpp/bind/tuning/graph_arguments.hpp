// Graphs and features of their rules as Python gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bind/convert.hpp"
#include "tuning/graphs/graph_features.hpp"
#include "tuning/graphs/kept_derivations.hpp"

namespace tunesmith::bind {

using Graphs = std::vector<const Hypergraph*>;
using RuleFeatures = std::optional<const FeatureMatrix*>;

inline GraphFeatures features_of(const RuleFeatures& rules, std::size_t columns) {
  return {rules.value_or(nullptr), columns};
}

// Sentences, offsets and edges of derivations that an optimizer met.
inline auto visits_of(std::span<const DerivationEdges> lists) {
  std::vector<std::int64_t> sentences;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> edges;
  for (std::size_t s = 0; s < lists.size(); ++s)
    for (std::size_t i = 0; i < lists[s].size(); ++i) {
      sentences.push_back(static_cast<std::int64_t>(s));
      edges.insert(edges.end(), lists[s][i].begin(), lists[s][i].end());
      offsets.push_back(edges.size());
    }
  return array_tuple(std::move(sentences), std::move(offsets), std::move(edges));
}

}  // namespace tunesmith::bind
