// A span feature that is computed by a Python function.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/number_table.hpp"
#include "bind/convert.hpp"
#include "bind/grammar/held_rules.hpp"
#include "features/rule_arrays.hpp"
#include "features/search/span_feature.hpp"

namespace tunesmith::bind {

// call(words, begin, end, rules, passed) gives, for each of the rules, a list of (detail, value). A rule that is
// not in the table has the number -1; `passed` is its target side, empty for the others. It is called once for all
// rules that may cover a span of a sentence, never for a hypothesis.
class PythonSpanFeature final : public SpanFeature {
 public:
  // The arrays outlive the feature.
  PythonSpanFeature(std::string name, nb::object call, const RuleArrays& rules)
      : name_(std::move(name)), call_(std::move(call)), rules_(rules) {}
  ~PythonSpanFeature() override;

  std::string_view name() const override { return name_; }
  std::unique_ptr<SpanValues> start(const Sentence& sentence) const override;
  void set_weights(std::span<const double> weights) override { weights_ = weights; }

  std::string detail(std::uint64_t key) const override;
  std::optional<std::uint64_t> key(std::string_view detail) const override;
  void number(std::uint64_t key, std::uint32_t id) override { ids_.set(key, id); }
  std::uint32_t find_number(std::uint64_t key) const override { return ids_.find(key); }

 private:
  class Values;
  struct Row {
    SparseValues values;
    float score = 0;
  };
  // Needs the interpreter lock; throws Error for what is no list of details and numbers.
  Row read_row(nb::handle fired) const;
  double weight(std::uint64_t key) const {
    const std::uint32_t id = ids_.find(key);
    return id < weights_.size() ? weights_[id] : 0.0;
  }

  std::string name_;
  nb::object call_;
  const RuleArrays& rules_;
  NumberTable ids_;
  std::span<const double> weights_;
  // Details by key, in the order of first use; any thread adds to them.
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::uint64_t> keys_;
  mutable std::vector<const std::string*> details_;
};

}  // namespace tunesmith::bind
