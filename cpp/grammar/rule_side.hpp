// One side of a rule among all rules: what it is known by, and what smoothing needs of the rules that have it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "grammar/keyed_sums.hpp"
#include "grammar/rule.hpp"

namespace tunesmith {

// Gaps are alike here: conditioned on a target side, source sides differ by which gap is filled from where.
HashedKey side_key(std::span<const Symbol> side);

// Whether the second gap of the source side comes first in the target side.
bool is_swapped(std::span<const Symbol> target);

// What Kneser-Ney smoothing needs to know of the rules with a side.
struct SideRules {
  std::array<std::int64_t, 3> shares{};   // by kind, see smoothing.hpp, in units of `count_unit`
  std::array<std::uint32_t, 2> orders{};  // how many rules have the gaps in order, how many swapped

  // One rule of a side.
  static SideRules of(std::int64_t share, int kind, bool swapped) {
    SideRules one;
    one.shares[static_cast<std::size_t>(kind)] = share;
    one.orders[swapped ? 1 : 0] = 1;
    return one;
  }
  SideRules& operator+=(const SideRules& other) {
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += other.shares[i];
    for (std::size_t i = 0; i < orders.size(); ++i) orders[i] += other.orders[i];
    return *this;
  }
  bool operator==(const SideRules&) const = default;
};

}  // namespace tunesmith
