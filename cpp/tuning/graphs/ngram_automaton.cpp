#include "tuning/graphs/ngram_automaton.hpp"

#include <algorithm>

#include "base/narrow.hpp"

namespace tunesmith {
namespace {

std::uint64_t key(std::uint32_t state, std::int32_t word) {
  return static_cast<std::uint64_t>(state) << 32 | static_cast<std::uint32_t>(word);
}

}  // namespace

NgramAutomaton::NgramAutomaton(const std::vector<std::vector<std::int32_t>>& references, int order)
    : nodes_{{0, 0, -1, 0}} {
  // N-grams by ascending length, so that the end of an n-gram has its node first.
  for (std::size_t length = 1; length <= static_cast<std::size_t>(order); ++length)
    for (const std::vector<std::int32_t>& reference : references)
      for (std::size_t begin = 0; begin + length <= reference.size(); ++begin) {
        std::uint32_t state = 0;
        for (std::size_t i = begin; state != none && i + 1 < begin + length; ++i)
          state = child(state, reference[i]);
        const std::int32_t last = reference[begin + length - 1];
        if (state == none || last < 0 || child(state, last) != none) continue;
        const std::uint32_t suffix = length == 1 ? 0 : next(nodes_[state].suffix, last);
        child_.emplace(key(state, last), narrow<std::uint32_t>(nodes_.size()));
        nodes_.push_back({state, suffix, last, static_cast<std::uint32_t>(length)});
      }
}

std::uint32_t NgramAutomaton::child(std::uint32_t state, std::int32_t word) const {
  const auto found = word < 0 ? child_.end() : child_.find(key(state, word));
  return found == child_.end() ? none : found->second;
}

std::uint32_t NgramAutomaton::next(std::uint32_t state, std::int32_t word) const {
  while (true) {
    if (const std::uint32_t found = child(state, word); found != none) return found;
    if (state == 0) return 0;
    state = nodes_[state].suffix;
  }
}

void NgramAutomaton::words(std::uint32_t state, std::vector<std::int32_t>& out) const {
  out.clear();
  for (; state != 0; state = nodes_[state].parent) out.push_back(nodes_[state].word);
  std::reverse(out.begin(), out.end());
}

}  // namespace tunesmith
