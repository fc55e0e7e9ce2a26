// A span feature whose values a function gives, such as one written in Python.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/number_table.hpp"
#include "features/rule_arrays.hpp"
#include "features/search/span_feature.hpp"

namespace tunesmith {

// The rules that may cover the source words [begin, end) of a sentence, each once. A rule that is not in the table
// has the number -1; `passed` is its target side, empty for the others.
struct SpanQuery {
  std::span<const std::string_view> words;  // of the source sentence
  std::size_t begin, end;
  std::vector<std::int64_t> rules;
  std::vector<std::string> passed;
};

// Details and values that a rule fires; a detail may come more than once.
using FiredDetails = std::vector<std::pair<std::string, double>>;

// The function is called once for a span of a sentence, never for a hypothesis; from several threads at once, each
// with sentences of its own. It gives what each of the rules fires, in their order.
class CalledSpanFeature final : public SpanFeature {
 public:
  using Call = std::function<std::vector<FiredDetails>(const SpanQuery& query)>;

  // The arrays outlive the feature.
  CalledSpanFeature(std::string name, Call call, const RuleArrays& rules)
      : name_(std::move(name)), call_(std::move(call)), rules_(rules) {}

  std::string_view name() const override { return name_; }
  std::unique_ptr<SpanValues> start(const Sentence& sentence) const override;
  void set_weights(std::span<const double> weights) override { weights_ = weights; }

  std::string detail(std::uint64_t key) const override;
  std::optional<std::uint64_t> key(std::string_view detail) const override;
  // Any detail may be fired some day.
  bool can_have(std::string_view) const override { return true; }
  std::optional<std::uint64_t> learn(std::string_view detail) override { return add_key(detail); }
  void number(std::uint64_t key, std::uint32_t id) override { ids_.set(key, id); }
  std::uint32_t find_number(std::uint64_t key) const override { return ids_.find(key); }

 private:
  class Values;
  struct Row {
    SparseValues values;
    float score = 0;
  };
  // Throws Error for a value that is not a finite number.
  Row row_of(const FiredDetails& fired) const;
  // The key of a detail, new or not.
  std::uint64_t add_key(std::string_view detail) const;
  double weight(std::uint64_t key) const {
    const std::uint32_t id = ids_.find(key);
    return id < weights_.size() ? weights_[id] : 0.0;
  }

  std::string name_;
  Call call_;
  const RuleArrays& rules_;
  NumberTable ids_;
  std::span<const double> weights_;
  // Details by key, in the order of first use; any thread adds to them.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> keys_;
  mutable std::vector<const std::string*> details_;
};

}  // namespace tunesmith
