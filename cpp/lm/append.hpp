// Appending a phrase to a translation that grows from left to right.
#pragma once

#include "lm/chart_state.hpp"

namespace tunesmith::lm {

// How much more (log10) the words of `piece` score after `before` than alone, and the state after them.
// The same as PieceScorer finds, with nothing remembered of the left border. `before` and `after` differ.
inline float append(const Model& model, const State& before, const ChartState& piece, State& after) {
  const auto owed = [](const float* backoffs, std::uint32_t count) {
    float sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) sum += backoffs[i];
    return sum;
  };
  if (piece.left_length == 0) {
    if (!piece.left_full) {  // no words
      after = before;
      return 0;
    }
    after = piece.right;
    return owed(before.backoffs, before.length);
  }
  if (before.length == 0) {
    after = piece.right;
    return 0;
  }
  // The first words of the piece get ours as context, one after the other; see PieceScorer::add_piece.
  float first[max_order], second[max_order];
  const float* backoffs = before.backoffs;
  float* next_backoffs = first;
  std::uint32_t in_use = before.length;
  float score = 0;
  for (std::uint32_t length = 1; length <= piece.left_length; ++length) {
    const std::uint32_t count = in_use;
    score += model
                 .extend(before.words, count, backoffs, piece.keys[length - 1], length,
                         piece.probabilities[length - 1], next_backoffs, in_use)
                 .probability;
    if (in_use == 0) {
      after = piece.right;
      return score;
    }
    backoffs = next_backoffs;
    next_backoffs = next_backoffs == first ? second : first;
  }
  after = piece.right;
  if (piece.left_full) return score + owed(backoffs, in_use);
  const std::uint32_t own = piece.right.length;
  if (own < piece.left_length) return score;  // its last word sees none of our words
  std::copy(before.words, before.words + in_use, after.words + own);
  std::copy(backoffs, backoffs + in_use, after.backoffs + own);
  after.length = own + in_use;
  return score;
}

}  // namespace tunesmith::lm
