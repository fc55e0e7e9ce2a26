// The connected parts of a rule's links: words of both sides that links join, directly or through others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "features/rule_arrays.hpp"

namespace tunesmith {

// Calls `visit(source, target)` with the rising positions of each part, parts by their first source word.
template <class Visit>
void for_each_linked_part(const RuleEntry& rule, Visit visit) {
  // Union-find over source positions: the smallest linked one stands for its part.
  std::array<std::uint8_t, longest_side> part, of_target;
  const auto find = [&](std::uint8_t at) {
    while (part[at] != at) at = part[at] = part[part[at]];
    return at;
  };
  for (std::size_t i = 0; i < rule.source.size(); ++i) part[i] = static_cast<std::uint8_t>(i);
  std::array<bool, longest_side> source_linked, target_linked;
  std::fill_n(source_linked.begin(), rule.source.size(), false);
  std::fill_n(target_linked.begin(), rule.target.size(), false);
  for (const RuleLink link : rule.links) {
    source_linked[link.source] = true;
    if (target_linked[link.target]) {
      const std::uint8_t a = find(link.source), b = find(of_target[link.target]);
      part[std::max(a, b)] = std::min(a, b);
    }
    target_linked[link.target] = true;
    of_target[link.target] = link.source;
  }
  std::vector<std::uint8_t> source, target;
  for (std::size_t head = 0; head < rule.source.size(); ++head) {
    if (!source_linked[head] || find(static_cast<std::uint8_t>(head)) != head) continue;
    source.clear();
    target.clear();
    for (std::size_t i = head; i < rule.source.size(); ++i)
      if (source_linked[i] && find(static_cast<std::uint8_t>(i)) == head)
        source.push_back(static_cast<std::uint8_t>(i));
    for (std::size_t j = 0; j < rule.target.size(); ++j)
      if (target_linked[j] && find(of_target[j]) == head) target.push_back(static_cast<std::uint8_t>(j));
    visit(std::span<const std::uint8_t>(source), std::span<const std::uint8_t>(target));
  }
}

}  // namespace tunesmith
