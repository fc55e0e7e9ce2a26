#include "lm/chart_state.hpp"

#include <algorithm>

namespace tunesmith::lm {

void PieceScorer::add_piece(const ChartState& piece, float score) {
  score_ += score;
  State& right = out_.right;
  if (piece.left_length == 0) {
    // No word of the piece wants a left context, but words forgotten on its left owe their back-offs to it.
    if (!piece.left_full) return;  // an empty piece
    charge(right.backoffs, right.length);
    left_done_ = true;
    right = piece.right;
    return;
  }
  if (right.length == 0) {  // nothing on the left that the piece could see
    if (!left_done_) {
      if (out_.left_length > 0) {
        left_done_ = true;
      } else {
        out_.set_left(piece);
        left_done_ = piece.left_full;
      }
    }
    right = piece.right;
    return;
  }

  // The left words of the piece get our last words as context, one after the other. `in_use` is how many of those
  // the next word can still see, `backoffs` what they owe if it does not.
  float first[max_order], second[max_order];
  const float* backoffs = right.backoffs;
  float* next_backoffs = first;
  std::uint32_t in_use = right.length;
  for (std::uint32_t length = 1; length <= piece.left_length; ++length) {
    const std::uint32_t count = in_use;
    account(model_.extend(right.words, count, backoffs, piece.keys[length - 1], length,
                          piece.probabilities[length - 1], next_backoffs, in_use));
    if (in_use != right.length) left_done_ = true;
    if (in_use == 0) {
      right = piece.right;
      return;
    }
    backoffs = next_backoffs;
    next_backoffs = next_backoffs == first ? second : first;
  }
  if (piece.left_full) {
    charge(backoffs, in_use);
    left_done_ = true;
    right = piece.right;
    return;
  }
  if (piece.right.length < piece.left_length) {  // its last word sees none of our words
    right = piece.right;
    return;
  }
  // The whole piece is part of the state: its words, then our words that are in use.
  const std::uint32_t own = piece.right.length;
  std::copy_backward(right.words, right.words + in_use, right.words + in_use + own);
  std::copy(piece.right.words, piece.right.words + own, right.words);
  std::copy(backoffs, backoffs + in_use, right.backoffs + own);
  std::copy(piece.right.backoffs, piece.right.backoffs + own, right.backoffs);
  right.length = own + in_use;
}

}  // namespace tunesmith::lm
