// What the rows of a sentence score for the options of one place, remembered.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "decoding/chart/arena.hpp"
#include "decoding/sentence_rows.hpp"

namespace tunesmith {

// One score for each option, computed when it is first asked for. Searches ask for it with every hypothesis.
class RowScores {
 public:
  // 0 for each option.
  RowScores() = default;
  // Of sentences without rows nothing is taken from `arena`.
  RowScores(const SentenceRows& rows, std::size_t options, Arena& arena) {
    if (rows.features() == 0) return;
    scores_ = reinterpret_cast<float*>(arena.take(options * sizeof(float)));
    std::fill_n(scores_, options, std::numeric_limits<float>::quiet_NaN());
  }

  // number: of the option among those of the place.
  float of(SentenceRows& rows, const Application& application, const TargetOption& option,
           std::uint32_t number) const {
    if (scores_ == nullptr) return 0;
    float& score = scores_[number];
    if (std::isnan(score)) score = rows.score(application, option);
    return score;
  }

 private:
  float* scores_ = nullptr;
};

}  // namespace tunesmith
