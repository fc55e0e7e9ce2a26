// One number per rule: all that search sees of local features.
#pragma once

#include <span>

#include "features/application.hpp"

namespace tunesmith {

class LocalScores {
 public:
  virtual ~LocalScores() = default;
  // out[i] = what the local features of rule begin + i are worth under the current weights.
  virtual void score(RuleId begin, RuleId end, double* out) const = 0;
};

}  // namespace tunesmith
