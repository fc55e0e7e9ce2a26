#include "decoding/phrase/future_cost.hpp"

#include <algorithm>
#include <limits>

namespace tunesmith {

void FutureCost::compute(const PhraseSpans& spans, std::size_t words, std::size_t window) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  words_ = words;
  window_ = std::min(window, words);
  inner_.assign(words_ * (window_ + 1), none);
  rest_.assign(words_ + 1, none);
  rest_[words_] = 0;
  // Goes from the last word to the first: a part is its first phrase and what follows.
  for (std::size_t begin = words_; begin-- > 0;) {
    float* const own = inner_.data() + begin * (window_ + 1);
    own[0] = 0;
    for (const PhraseSpan& span : spans.from(begin)) {
      const float best = span.options[0].estimate;
      const std::size_t length = span.end - begin;
      rest_[begin] = std::max(rest_[begin], best + rest_[span.end]);
      if (length > window_) continue;
      own[length] = std::max(own[length], best);
      if (span.end == words_) continue;
      const float* const behind = inner_.data() + span.end * (window_ + 1);
      const std::size_t last = std::min(window_, words_ - begin);
      for (std::size_t whole = length + 1; whole <= last; ++whole)
        own[whole] = std::max(own[whole], best + behind[whole - length]);
    }
  }
}

}  // namespace tunesmith
