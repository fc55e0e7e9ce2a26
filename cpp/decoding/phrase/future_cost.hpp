// What the words that are not translated yet will score at best (Koehn et al. 2003, section 4).
#pragma once

#include <cstdint>
#include <vector>

#include "decoding/phrase/phrase_spans.hpp"

namespace tunesmith {

// Estimates of the best phrases, without context and without reordering.
class FutureCost {
 public:
  // window: the longest part of the sentence, but for its rest, that is asked for. O(words × window × longest).
  void compute(const PhraseSpans& spans, std::size_t words, std::size_t window);

  // Future cost of words [begin, end): up to the end of the sentence, or not longer than the window.
  float of(std::size_t begin, std::size_t end) const {
    return end == words_ ? rest_[begin] : inner_[begin * (window_ + 1) + (end - begin)];
  }
  std::size_t bytes() const { return (inner_.size() + rest_.size()) * sizeof(float); }

 private:
  std::size_t words_ = 0, window_ = 0;
  std::vector<float> inner_;  // by begin and length
  std::vector<float> rest_;   // from each word to the end
};

}  // namespace tunesmith
