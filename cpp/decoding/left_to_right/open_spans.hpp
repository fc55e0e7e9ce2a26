// The source spans that a hypothesis of left-to-right search still has to translate, in the order of the target.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.hpp"
#include "base/probe.hpp"

namespace tunesmith {

// A stack of open spans by number; 0 is empty. Equal stacks have equal numbers.
using OpenSpansId = std::uint32_t;

// All stacks of one sentence. A stack is its top and a smaller stack, so that they share what they have in common.
class OpenSpans {
 public:
  static constexpr OpenSpansId empty = 0;

  // rest: what all spans of the stack are expected to score. glued: any number of parts may translate the span,
  // put together by glue; otherwise one rule covers it.
  struct Stack {
    OpenSpansId below;
    std::uint16_t begin, end;
    std::uint32_t depth;
    float rest;
    bool glued;
  };

  void clear() {
    stacks_.assign(1, {empty, 0, 0, 0, 0, false});
    slots_.assign(64, 0);
  }
  const Stack& operator[](OpenSpansId id) const { return stacks_[id]; }

  // The stack `below` with one more span on top; `rest` is what that span is expected to score.
  OpenSpansId push(OpenSpansId below, std::uint16_t begin, std::uint16_t end, float rest, bool glued) {
    const Stack stack{below, begin, end, stacks_[below].depth + 1, stacks_[below].rest + rest, glued};
    const std::size_t at = place(stack);
    if (slots_[at] != 0) return slots_[at];
    const auto id = static_cast<OpenSpansId>(stacks_.size());
    slots_[at] = id;
    stacks_.push_back(stack);
    if (2 * stacks_.size() > slots_.size()) grow();
    return id;
  }
  std::size_t bytes() const { return stacks_.size() * (sizeof(Stack) + 2 * sizeof(OpenSpansId)); }

 private:
  std::size_t place(const Stack& stack) const {
    const std::uint64_t span =
        static_cast<std::uint64_t>(stack.begin) << 17 | static_cast<std::uint64_t>(stack.end) << 1 | stack.glued;
    return probe(slots_, mix(span, stack.below), [&](OpenSpansId id) {
      const Stack& found = stacks_[id];
      return id == 0 || (found.below == stack.below && found.begin == stack.begin && found.end == stack.end &&
                         found.glued == stack.glued);
    });
  }
  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (OpenSpansId id = 1; id < stacks_.size(); ++id) slots_[place(stacks_[id])] = id;
  }

  std::vector<Stack> stacks_;
  std::vector<OpenSpansId> slots_;  // numbers by hash, 0: free
};

}  // namespace tunesmith
