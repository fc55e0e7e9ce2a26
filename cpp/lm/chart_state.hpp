// Language-model states and scores of pieces whose left context is not known yet (chart search).
#pragma once

#include <cstdint>

#include "lm/model.hpp"
#include "lm/state.hpp"

namespace tunesmith::lm {

// What a piece of a sentence shows to the words around it. Left: its first words, as long as words further to the
// left could still change their probability. Right: the state after its last word.
struct ChartState {
  // keys[i]: of the n-gram of the first i + 1 words. The last one stands for all of them.
  Key keys[max_order - 1];
  float probabilities[max_order - 1];  // log10, of the last word of the n-gram; they follow from the keys
  std::uint32_t left_length = 0;
  bool left_full = false;  // whether the probability of further words, left to right, is final
  State right;

  friend bool operator==(const ChartState& a, const ChartState& b) {
    return a.left_length == b.left_length && a.left_full == b.left_full &&
           (a.left_length == 0 || a.keys[a.left_length - 1] == b.keys[b.left_length - 1]) && a.right == b.right;
  }
  std::uint64_t hash(std::uint64_t seed = 0) const {
    return right.hash(mix(mix(seed, 2 * left_length + left_full), left_length == 0 ? 0 : keys[left_length - 1]));
  }

  void set_left(const ChartState& other) {
    left_length = other.left_length;
    left_full = other.left_full;
    std::copy(other.keys, other.keys + left_length, keys);
    std::copy(other.probabilities, other.probabilities + left_length, probabilities);
  }
};

// A piece that is not finished: its first words, scored once for all pieces that begin with them.
struct PieceStart {
  ChartState state;
  float score = 0;
  bool left_done = false;
  std::uint32_t words = 0;
};

// Puts a piece together from left to right out of words and smaller pieces. The score of a word with unknown left
// context is the estimate of the words that are there (p(w) for the first word, p(w | first) for the second …),
// and is put right when the piece gets a left neighbour: the scores of a whole sentence are those of
// `Model::score`, whatever the way it was put together (the method of KenLM's left.hh; Heafield et al. 2011).
//
//   PieceScorer scorer(model, out);   scorer.add_begin();  scorer.add_word(w);  scorer.add_piece(state, score);
//   float log10 = scorer.finish();    // out is complete now
class PieceScorer {
 public:
  PieceScorer(const Model& model, ChartState& out) : model_(model), out_(out) {
    out_.left_length = 0;
    out_.left_full = false;
    out_.right.length = 0;
  }

  // Continues after `start`.
  PieceScorer(const Model& model, const PieceStart& start, ChartState& out)
      : model_(model), out_(out), score_(start.score), left_done_(start.left_done) {
    out_ = start.state;
  }
  // Writes what the constructor above needs; start.state is the `out` of this scorer.
  void interrupt(PieceStart& start) const {
    start.score = score_;
    start.left_done = left_done_;
  }

  // <s>, as the very first.
  void add_begin() {
    out_.right = model_.begin();
    left_done_ = true;
  }
  void add_word(std::uint32_t word) {
    const State before = out_.right;
    account(model_.score(before, word, out_.right));
    // A state that forgot a word: what comes next cannot see the left border any more.
    if (out_.right.length != before.length + 1) left_done_ = true;
  }
  // `score` is what finish() returned for `piece`.
  void add_piece(const ChartState& piece, float score);

  float finish() {
    const auto longest = static_cast<std::uint32_t>(model_.order()) - 1;
    out_.left_full = left_done_ || out_.left_length == longest;
    return score_;
  }

 private:
  // Adds the score of the next word; the word joins the left words if more of them could change it.
  void account(const Scored& scored) {
    score_ += scored.probability;
    if (left_done_) return;
    if (scored.extends_left) {
      out_.probabilities[out_.left_length] = scored.own;
      out_.keys[out_.left_length++] = scored.key;
    } else {
      left_done_ = true;
    }
  }
  void charge(const float* backoffs, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) score_ += backoffs[i];
  }

  const Model& model_;
  ChartState& out_;
  float score_ = 0;
  bool left_done_ = false;
};

}  // namespace tunesmith::lm
