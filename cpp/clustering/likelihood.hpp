// Log-likelihoods of a text under word classes, with parameters estimated on the text itself.
#pragma once

#include <span>

#include "clustering/bigrams.hpp"
#include "clustering/class_objective.hpp"

namespace tunesmith {

// Natural logarithms. forward: Σ ln p(w|c) p(c|v), v the word before; backward: the same with the word after;
// two_sided: Σ ln p(w|c) p(c|c'), c' the class before. The sentence boundary is a word in its own class.
struct ClassLikelihood {
  double forward = 0, backward = 0, two_sided = 0;
};

// classes[i] is the class of word i of the bigrams; every word must have one.
ClassLikelihood class_likelihood(const Bigrams& bigrams, std::span<const ClassId> classes);

}  // namespace tunesmith
