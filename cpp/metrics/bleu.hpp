// BLEU from its sufficient statistics: the corpus score with its smoothings, and the sentence scores of the field.
//
// A row is laid out as in ngram_statistics.hpp. All scores lie between 0 and 1.
#pragma once

#include <cstddef>
#include <span>

namespace tunesmith {

// What stands for an order without matches (Chen and Cherry 2014): nothing; a small count; one more match and one
// more n-gram from order 2 on (Lin and Och 2004); or 1/2, 1/4, … of a match (mteval-v13a).
enum class Smoothing { none, floor, add_k, exp };

struct BleuOptions {
  Smoothing smoothing = Smoothing::exp;
  double value = 0;              // the count of `floor`, the k of `add_k`
  bool effective_order = false;  // leave out orders longer than the hypothesis
};

// Corpus BLEU (Papineni et al. 2002) of one row of summed statistics.
double bleu(const double* row, int order, const BleuOptions& options);

struct BleuPlusOneOptions {
  // Extensions of Nakov et al. 2012, "Optimizing for Sentence-Level BLEU+1 Yields Short Translations".
  bool smooth_unigrams = false;  // add one at order 1 too, as at all others
  bool smooth_brevity = false;   // the reference is one word longer: the brevity penalty is smoothed as well
  bool grounded = false;         // subtract what no match at all would get, so that no match scores 0
};

// BLEU+1 (Lin and Och 2004) of one sentence: one match and one n-gram are added from order 2 on.
double bleu_plus_one(const double* row, int order, const BleuPlusOneOptions& options);

// Interpolated sentence BLEU: Σ_n BLEU_n / 2^(order-n+1), with BLEU_n the unsmoothed BLEU up to order n
// (Liang et al. 2006, section 4). Its maximum is 1 - 2^-order.
double bleu_interpolated(const double* row, int order);

}  // namespace tunesmith
