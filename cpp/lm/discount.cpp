#include "lm/discount.hpp"

#include "base/discounts.hpp"
#include "base/error.hpp"

namespace tunesmith::lm {

Discounts estimate_discounts(int order, const CountsOfCounts& counts, const Fallback& fallback) {
  const DiscountEstimate estimate = tunesmith::estimate_discounts(counts.with_count, "n-gram");
  if (estimate.failure.empty()) return {estimate.amount, ""};
  if (!fallback)
    throw Error("the discounts of order " + std::to_string(order) + " cannot be estimated: " + estimate.failure +
                ". Is the text small, made by a program, or full of repeated lines? " +
                "Allow fixed discounts (--fallback 0.5,1,1.5), or lower --order");
  return {*fallback, estimate.failure};
}

}  // namespace tunesmith::lm
