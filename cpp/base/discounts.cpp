#include "base/discounts.hpp"

namespace tunesmith {

DiscountEstimate estimate_discounts(const std::array<std::uint64_t, 5>& n, const std::string& thing) {
  DiscountEstimate found;
  for (std::size_t i = 1; i <= 3; ++i)
    if (n[i] == 0) {
      found.failure = "no " + thing + " has the count " + std::to_string(i);
      return found;
    }
  const auto real = [](std::uint64_t x) { return static_cast<double>(x); };
  const double y = real(n[1]) / (real(n[1]) + 2 * real(n[2]));
  for (std::size_t i = 1; i <= 3; ++i) {  // D_i = i - (i + 1) · Y · n_(i+1) / n_i
    const double amount = real(i) - real(i + 1) * y * real(n[i + 1]) / real(n[i]);
    found.amount[i - 1] = amount;
    if (found.failure.empty() && !(amount > 0 && amount <= real(i)))
      found.failure = "the discount of the count " + std::to_string(i) + " would be " + std::to_string(amount);
  }
  return found;
}

}  // namespace tunesmith
