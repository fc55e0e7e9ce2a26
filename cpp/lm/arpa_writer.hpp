// An estimated model as ARPA text, piece by piece.
#pragma once

#include <string>

#include "lm/estimate.hpp"

namespace tunesmith::lm {

class ArpaWriter {
 public:
  // Uses up the n-grams of `estimate`, which outlives the writer.
  explicit ArpaWriter(Estimate& estimate) : estimate_(estimate) {}

  // The next piece, about a megabyte; empty at the end. Floats are printed with as many digits as it takes to read
  // the same float back.
  std::string next();

 private:
  void begin_section(int order);

  Estimate& estimate_;
  std::string text_;
  int section_ = 0;
  bool ended_ = false;
};

// Appends the shortest decimal that is read back as `value`.
void append_float(std::string& text, float value);

}  // namespace tunesmith::lm
