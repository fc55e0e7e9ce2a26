// Decoded lines as flat arrays: what sets of candidates are made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decoding/decoded.hpp"

namespace tunesmith {

// Candidates of line i: [sentences[i], sentences[i + 1]). Arrays with offsets are per candidate.
struct CandidateArrays {
  std::vector<std::int64_t> sentences{0};
  std::vector<double> scores;
  std::vector<std::int64_t> rule_offsets{0};  // rules of the model, ascending, as often as they are used
  std::vector<std::uint32_t> rules;
  std::vector<std::uint32_t> state_ids;  // dense features across rules, unweighted: candidates × state_ids
  std::vector<float> states;
  std::vector<std::int64_t> pair_offsets{0};  // sparse ones; they must have numbers already
  std::vector<std::uint32_t> pair_ids;
  std::vector<float> pair_values;
  std::vector<std::int64_t> word_offsets{0};  // words of the target vocabulary, then of new_words
  std::vector<std::uint32_t> words;
  std::vector<std::string> new_words;
  std::vector<std::uint8_t> limited;  // of each line: whether a limit cut its search
};

CandidateArrays candidate_arrays(std::span<const Decoded> results, const DecoderModel& model);

}  // namespace tunesmith
