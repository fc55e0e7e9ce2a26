#include "bind/decoding/python_span_feature.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace tunesmith::bind {

class PythonSpanFeature::Values final : public SpanValues {
 public:
  Values(const PythonSpanFeature& feature, const Sentence& sentence) : feature_(feature), sentence_(sentence) {}

  void open(std::span<const PlacedRule> rules) override {
    std::vector<std::int64_t> numbers;
    std::vector<std::string> passed;
    for (const PlacedRule& rule : rules) {
      const bool of_table = rule.application.rule < feature_.rules_.rules();
      numbers.push_back(of_table ? static_cast<std::int64_t>(rule.application.rule) : -1);
      passed.push_back(of_table ? std::string() : text(rule.side));
    }
    const Application& first = rules.front().application;
    const nb::gil_scoped_acquire acquire;
    try {
      const nb::object fired = feature_.call_(words(), first.begin, first.end, numbers, passed);
      std::size_t at = 0;
      for (const nb::handle of_rule : fired)
        if (at < rules.size()) rows_[place(rules[at++].application)] = feature_.read_row(of_rule);
      if (at != rules.size()) throw Error("rows are missing");
    } catch (nb::python_error& error) {
      throw Error(nb::str(error.value()).c_str());
    }
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
  std::vector<std::string> words() const {
    const auto end = sentence_.text.begin() + static_cast<std::ptrdiff_t>(sentence_.size());
    return {sentence_.text.begin(), end};
  }

  const PythonSpanFeature& feature_;
  const Sentence& sentence_;
  std::unordered_map<std::uint64_t, Row> rows_;
};

PythonSpanFeature::~PythonSpanFeature() {
  const nb::gil_scoped_acquire acquire;
  call_.reset();
}

std::unique_ptr<SpanValues> PythonSpanFeature::start(const Sentence& sentence) const {
  return std::make_unique<Values>(*this, sentence);
}

PythonSpanFeature::Row PythonSpanFeature::read_row(nb::handle fired) const {
  Row row;
  double score = 0;
  for (const nb::handle pair : fired) {
    const auto detail = nb::cast<std::string>(pair[0]);
    const auto value = static_cast<float>(nb::cast<double>(pair[1]));
    if (!std::isfinite(value)) throw Error(name_ + ": the value of " + detail + " is not a finite number");
    const std::uint64_t key = *this->key(detail);
    row.values.add(key, value);
    score += weight(key) * static_cast<double>(value);
  }
  row.score = static_cast<float>(std::clamp(score, -1e30, 1e30));  // search must be able to order sums of them
  return row;
}

std::string PythonSpanFeature::detail(std::uint64_t key) const {
  const std::lock_guard lock(mutex_);
  return *details_[key];
}

std::optional<std::uint64_t> PythonSpanFeature::key(std::string_view detail) const {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = keys_.try_emplace(std::string(detail), details_.size());
  if (is_new) details_.push_back(&found->first);
  return found->second;
}

}  // namespace tunesmith::bind
