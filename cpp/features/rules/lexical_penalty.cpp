#include "features/rules/lexical_penalty.hpp"

#include <algorithm>

#include "base/number_table.hpp"

namespace tunesmith {
namespace {

class LexicalPenalty final : public RuleTemplate {
 public:
  LexicalPenalty(PenalisedSide side, std::span<const std::uint64_t> good_pairs) : side_(side) {
    for (const std::uint64_t pair : good_pairs) good_.set(pair, 1);
  }
  std::size_t columns() const override { return 1; }

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    const bool of_target = side_ == PenalisedSide::target;
    const std::span<const Symbol> own = of_target ? rule.target : rule.source;
    const std::span<const Symbol> other = of_target ? rule.source : rule.target;
    const auto count = std::ranges::count_if(own, [&](Symbol word) {
      return !is_gap(word) && std::ranges::none_of(other, [&](Symbol partner) {
        return !is_gap(partner) && (of_target ? good(partner, word) : good(word, partner));
      });
    });
    if (count > 0) out.fire(0, static_cast<float>(count));
  }
  std::string detail(std::span<const std::int32_t>, const RuleArrays&) const override { return ""; }

 private:
  bool good(Symbol source, Symbol target) const {
    const auto key = static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(target);
    return good_.find(key) != NumberTable::none;
  }

  PenalisedSide side_;
  NumberTable good_;
};

}  // namespace

std::unique_ptr<RuleTemplate> lexical_penalty(PenalisedSide side, std::span<const std::uint64_t> good_pairs) {
  return std::make_unique<LexicalPenalty>(side, good_pairs);
}

}  // namespace tunesmith
