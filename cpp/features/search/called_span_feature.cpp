#include "features/search/called_span_feature.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace tunesmith {

class CalledSpanFeature::Values final : public SpanValues {
 public:
  Values(const CalledSpanFeature& feature, const Sentence& sentence) : feature_(feature), sentence_(sentence) {}

  void open(std::span<const PlacedRule> rules) override {
    const Application& first = rules.front().application;
    SpanQuery query{{sentence_.text.data(), sentence_.size()}, first.begin, first.end, {}, {}};
    for (const PlacedRule& rule : rules) {
      const bool of_table = rule.application.rule < feature_.rules_.rules();
      query.rules.push_back(of_table ? static_cast<std::int64_t>(rule.application.rule) : -1);
      query.passed.push_back(of_table ? std::string() : text(rule.side));
    }
    const std::vector<FiredDetails> fired = feature_.call_(query);
    if (fired.size() != rules.size())
      throw Error(feature_.name_ + ": gave values of " + std::to_string(fired.size()) + " rules, expected " +
                  std::to_string(rules.size()));
    for (std::size_t i = 0; i < rules.size(); ++i) rows_[place(rules[i].application)] = feature_.row_of(fired[i]);
  }

  float score(const PlacedRule& rule) override {
    const auto found = rows_.find(place(rule.application));
    return found == rows_.end() ? 0.0f : found->second.score;
  }

  void list(const PlacedRule& rule, SparseValues& out) override {
    const auto found = rows_.find(place(rule.application));
    if (found == rows_.end()) return;
    const SparseValues& values = found->second.values;
    for (std::size_t i = 0; i < values.keys.size(); ++i) out.add(values.keys[i], values.values[i]);
  }

 private:
  // Rules that are not in the table have one number, but a span has at most one of them.
  static std::uint64_t place(const Application& application) {
    return std::uint64_t{application.rule} << 32 | std::uint64_t{application.begin} << 16 | application.end;
  }
  std::string text(const TargetSide& side) const {
    std::string out;
    for (const std::int32_t symbol : side.symbols) {
      if (symbol < 0) continue;
      if (!out.empty()) out += ' ';
      const auto word = static_cast<std::uint32_t>(symbol);
      out += word < side.vocabulary ? feature_.rules_.target_words->word(word)
                                    : sentence_.text[word - side.vocabulary];
    }
    return out;
  }

  const CalledSpanFeature& feature_;
  const Sentence& sentence_;
  std::unordered_map<std::uint64_t, Row> rows_;
};

std::unique_ptr<SpanValues> CalledSpanFeature::start(const Sentence& sentence) const {
  return std::make_unique<Values>(*this, sentence);
}

CalledSpanFeature::Row CalledSpanFeature::row_of(const FiredDetails& fired) const {
  Row row;
  double score = 0;
  for (const auto& [detail, number] : fired) {
    const auto value = static_cast<float>(number);
    if (!std::isfinite(value)) throw Error(name_ + ": the value of " + detail + " is not a finite number");
    const std::uint64_t key = add_key(detail);
    row.values.add(key, value);
    score += weight(key) * static_cast<double>(value);
  }
  row.score = static_cast<float>(std::clamp(score, -1e30, 1e30));  // search must be able to order sums of them
  return row;
}

std::string CalledSpanFeature::detail(std::uint64_t key) const {
  const std::lock_guard lock(mutex_);
  return *details_[key];
}

std::optional<std::uint64_t> CalledSpanFeature::key(std::string_view detail) const {
  const std::lock_guard lock(mutex_);
  const auto found = keys_.find(detail);
  return found == keys_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t CalledSpanFeature::add_key(std::string_view detail) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = keys_.find(detail); found != keys_.end()) return found->second;
  const auto added = keys_.emplace(detail, details_.size()).first;
  details_.push_back(&added->first);
  return added->second;
}

}  // namespace tunesmith
