#include "search/graphs/ngram_information.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

std::uint64_t key(std::uint32_t node, std::int32_t word) {
  return static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint32_t>(word);
}

}  // namespace

NgramInformation::NgramInformation(const std::vector<std::vector<std::vector<std::int32_t>>>& references,
                                   int order)
    : order_(order) {
  if (order < 1 || order > 9) throw Error("n-gram order " + std::to_string(order) + " is not between 1 and 9");
  const auto longest = static_cast<std::size_t>(order);
  for (const std::vector<std::vector<std::int32_t>>& sentence : references)
    for (auto text = sentence.begin(); text != sentence.end(); ++text) {
      if (std::find(sentence.begin(), text, *text) != text) continue;
      counts_[0] += text->size();
      for (std::size_t begin = 0; begin < text->size(); ++begin) {
        std::uint32_t node = 0;
        for (std::size_t i = begin; i < std::min(begin + longest, text->size()) && (*text)[i] >= 0; ++i) {
          const auto next = narrow<std::uint32_t>(counts_.size());
          node = child_.try_emplace(key(node, (*text)[i]), next).first->second;
          if (node == next) counts_.push_back(0);
          ++counts_[node];
        }
      }
    }
}

double NgramInformation::of(std::span<const std::int32_t> ngram) const {
  std::uint32_t before = 0, node = 0;
  for (const std::int32_t word : ngram) {
    const auto found = word < 0 ? child_.end() : child_.find(key(node, word));
    if (found == child_.end()) return 0;
    before = node;
    node = found->second;
  }
  return std::log2(static_cast<double>(counts_[before]) / static_cast<double>(counts_[node]));
}

}  // namespace tunesmith
