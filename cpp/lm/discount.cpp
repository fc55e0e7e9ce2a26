#include "lm/discount.hpp"

#include "base/error.hpp"

namespace tunesmith::lm {
namespace {

std::string why_not(const CountsOfCounts& counts, const Discounts& discounts) {
  const auto& n = counts.with_count;
  for (std::size_t i = 1; i <= 3; ++i)
    if (n[i] == 0) return "no n-gram has the count " + std::to_string(i);
  for (std::size_t i = 1; i <= 3; ++i) {
    const double amount = discounts.amount[i - 1];
    if (!(amount > 0 && amount <= static_cast<double>(i)))
      return "the discount of the count " + std::to_string(i) + " would be " + std::to_string(amount);
  }
  return "";
}

}  // namespace

Discounts estimate_discounts(int order, const CountsOfCounts& counts, const Fallback& fallback) {
  Discounts discounts;
  // n[i] is n_i of the paper: the number of n-grams with count i.
  const auto& n = counts.with_count;
  const auto real = [](std::uint64_t x) { return static_cast<double>(x); };
  const double y = real(n[1]) / (real(n[1]) + 2 * real(n[2]));
  for (std::size_t i = 1; i <= 3; ++i)  // (26): D_i = i - (i + 1) · Y · n_(i+1) / n_i
    discounts.amount[i - 1] = real(i) - real(i + 1) * y * real(n[i + 1]) / real(n[i]);
  discounts.fallback_reason = why_not(counts, discounts);
  if (discounts.fallback_reason.empty()) return discounts;
  if (!fallback)
    throw Error("the discounts of order " + std::to_string(order) + " cannot be estimated: " +
                discounts.fallback_reason + ". Is the text small, made by a program, or full of repeated lines? " +
                "Allow fixed discounts (--fallback 0.5,1,1.5), or lower --order");
  discounts.amount = *fallback;
  return discounts;
}

}  // namespace tunesmith::lm
