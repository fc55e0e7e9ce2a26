#include "search/graphs/reference_matches.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

std::uint64_t key(std::uint32_t node, std::int32_t word) {
  return static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint32_t>(word);
}

}  // namespace

ReferenceMatches::ReferenceMatches(const std::vector<std::vector<std::int32_t>>& references, int order,
                                   const NgramInformation* information)
    : order_(order), nodes_{{0, 0, 0}} {
  if (order < 1 || order > 9) throw Error("n-gram order " + std::to_string(order) + " is not between 1 and 9");
  if (references.empty()) throw Error("an oracle needs at least one reference");
  const auto length = static_cast<std::size_t>(order);
  for (auto reference = references.begin(); reference != references.end(); ++reference) {
    if (std::find(references.begin(), reference, *reference) != reference) continue;
    lengths_.push_back(static_cast<std::uint32_t>(reference->size()));
    for (std::size_t begin = 0; begin < reference->size(); ++begin) {
      std::uint32_t node = 0;
      for (std::size_t i = begin; i < std::min(begin + length, reference->size()); ++i) {
        if ((*reference)[i] < 0) break;
        node = child_.try_emplace(key(node, (*reference)[i]), narrow<std::uint32_t>(nodes_.size())).first->second;
        if (node == nodes_.size())
          nodes_.push_back(
              {0, 0, information == nullptr ? 1.0 : information->of({&(*reference)[begin], i - begin + 1})});
        if (nodes_[node].used++ == 0) touched_.push_back(node);
      }
    }
    for (const std::uint32_t node : touched_) {
      nodes_[node].most = std::max(nodes_[node].most, nodes_[node].used);
      nodes_[node].used = 0;
    }
    touched_.clear();
  }
}

std::uint64_t ReferenceMatches::match(std::span<const std::int32_t> words, double* matches) {
  std::fill(matches, matches + order_, 0.0);
  std::uint64_t fingerprint = 0;
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    std::uint32_t node = 0;
    // An n-gram that no reference has cannot be continued to one that some reference has.
    const std::size_t end = std::min(begin + static_cast<std::size_t>(order_), words.size());
    for (std::size_t i = begin; i < end && words[i] >= 0; ++i) {
      const auto found = child_.find(key(node, words[i]));
      if (found == child_.end()) break;
      node = found->second;
      fingerprint += mix(node, 1);  // a sum, so that the order of n-grams does not matter
      if (nodes_[node].used == 0) touched_.push_back(node);
      if (nodes_[node].used++ < nodes_[node].most) matches[i - begin] += nodes_[node].weight;
    }
  }
  for (const std::uint32_t node : touched_) nodes_[node].used = 0;
  touched_.clear();
  return fingerprint;
}

}  // namespace tunesmith
