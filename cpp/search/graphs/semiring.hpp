// Values that the edges of a graph are multiplied and derivations are added in.
//
// A semiring is a type with zero(), one(), add(x) and multiply(x). MERT's envelope is one as well: add merges two
// envelopes, multiply adds up their lines.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace tunesmith {

// Largest sum: Viterbi scores, and with outside values max-marginals.
struct Best {
  double score;

  static Best zero() { return {-std::numeric_limits<double>::infinity()}; }
  static Best one() { return {0}; }
  static Best of(double score) { return {score}; }
  void add(const Best& x) { score = std::max(score, x.score); }
  void multiply(const Best& x) { score += x.score; }
};

// Numbers of derivations, exact up to 2^53; infinite beyond 1e308 (Log with scores 0 counts those).
struct Count {
  double number;

  static Count zero() { return {0}; }
  static Count one() { return {1}; }
  void add(const Count& x) { number += x.number; }
  void multiply(const Count& x) { number *= x.number; }
};

// Sums of exponentials, as scaled numbers: the value is scale × e^shift. Adding costs one exponential and
// multiplying none; a logarithm is taken when one is asked for, or to keep the scale in range.
struct Log {
  double shift, scale;

  static Log zero() { return {-std::numeric_limits<double>::infinity(), 0}; }
  static Log one() { return {0, 1}; }
  static Log of(double score) { return {score, 1}; }
  double log() const { return shift + std::log(scale); }

  void add(const Log& x) {
    if (x.scale == 0) return;
    if (x.shift == shift) {  // infinite ones too
      scale += x.scale;
    } else if (x.shift > shift) {
      scale = x.scale + scale * std::exp(shift - x.shift);
      shift = x.shift;
    } else {
      scale += x.scale * std::exp(x.shift - shift);
    }
    keep_in_range();
  }
  void multiply(const Log& x) {
    shift += x.shift;
    scale *= x.scale;
    keep_in_range();
  }

 private:
  void keep_in_range() {
    if (scale > 1e100 || (scale < 1e-100 && scale > 0)) {
      shift += std::log(scale);
      scale = 1;
    }
  }
};

}  // namespace tunesmith
