#include "features/rules/shape_features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "base/narrow.hpp"

namespace tunesmith {
namespace {

std::int32_t count_words(std::span<const Symbol> symbols) {
  return static_cast<std::int32_t>(std::ranges::count_if(symbols, [](Symbol symbol) { return !is_gap(symbol); }));
}

class DimensionTemplate final : public RuleTemplate {
 public:
  explicit DimensionTemplate(Dimension which) : which_(which) {}

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    const std::int32_t source = count_words(rule.source), target = count_words(rule.target);
    const auto source_gaps = narrow<std::int32_t>(rule.source.size()) - source;
    const auto target_gaps = narrow<std::int32_t>(rule.target.size()) - target;
    if (which_ == Dimension::source)
      out.fire_key(std::array{source, source_gaps});
    else if (which_ == Dimension::target)
      out.fire_key(std::array{target, target_gaps});
    else
      out.fire_key(std::array{source, source_gaps, target, target_gaps});
  }
  std::string detail(std::span<const std::int32_t> key, const RuleArrays&) const override {
    std::string out;
    for (std::size_t i = 0; i < key.size(); i += 2) {
      if (i != 0) out += '_';
      out += std::to_string(key[i]);
      if (key[i + 1] != 0) out += '+' + std::to_string(key[i + 1]);
    }
    return out;
  }

 private:
  Dimension which_;
};

class LengthBin final : public RuleTemplate {
 public:
  explicit LengthBin(std::size_t longest) : longest_(longest) {
    if (longest < 1 || longest > longest_side) throw Error("length_bin: longest must be between 1 and 255");
  }
  std::size_t columns() const override { return longest_ * (longest_ + 2); }

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    const auto length = [&](std::span<const Symbol> side) {
      return std::min(static_cast<std::size_t>(count_words(side)), longest_);
    };
    const std::size_t source = length(rule.source), target = length(rule.target);
    if (source != 0) out.fire(source - 1);
    if (target != 0) out.fire(longest_ + target - 1);
    if (source != 0 && target != 0) out.fire(2 * longest_ + (source - 1) * longest_ + target - 1);
  }
  std::string detail(std::span<const std::int32_t> key, const RuleArrays&) const override {
    const auto column = static_cast<std::size_t>(key[0]);
    if (column < longest_) return "source_" + std::to_string(column + 1);
    if (column < 2 * longest_) return "target_" + std::to_string(column - longest_ + 1);
    const std::size_t pair = column - 2 * longest_;
    return std::to_string(pair / longest_ + 1) + "_" + std::to_string(pair % longest_ + 1);
  }

 private:
  std::size_t longest_;
};

class CountBin final : public RuleTemplate {
 public:
  explicit CountBin(std::vector<std::uint32_t> bounds) : bounds_(std::move(bounds)) {
    if (!std::ranges::is_sorted(bounds_, std::less_equal<>())) throw Error("count_bin: bounds must rise");
  }
  std::size_t columns() const override { return bounds_.empty() ? 0 : bounds_.size() + 1; }

  void fire(const RuleEntry& rule, FiredFeatures& out) const override {
    if (rule.occurrences == 0) return;
    if (bounds_.empty())
      out.fire_key(std::array{std::bit_cast<std::int32_t>(rule.occurrences)});
    else
      out.fire(static_cast<std::size_t>(std::ranges::lower_bound(bounds_, rule.occurrences) - bounds_.begin()));
  }
  std::string detail(std::span<const std::int32_t> key, const RuleArrays&) const override {
    if (bounds_.empty()) return std::to_string(std::bit_cast<std::uint32_t>(key[0]));
    const auto column = static_cast<std::size_t>(key[0]);
    return column < bounds_.size() ? std::to_string(bounds_[column]) : "inf";
  }

 private:
  std::vector<std::uint32_t> bounds_;
};

}  // namespace

std::unique_ptr<RuleTemplate> dimension(Dimension which) {
  return std::make_unique<DimensionTemplate>(which);
}

std::unique_ptr<RuleTemplate> length_bin(std::size_t longest) {
  return std::make_unique<LengthBin>(longest);
}

std::unique_ptr<RuleTemplate> count_bin(std::vector<std::uint32_t> bounds) {
  return std::make_unique<CountBin>(std::move(bounds));
}

}  // namespace tunesmith
