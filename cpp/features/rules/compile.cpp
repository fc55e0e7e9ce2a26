#include "features/rules/compile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace tunesmith {
namespace {

constexpr double least_log = -100;

// The empty detail makes the name of the template alone.
std::string full_name(const std::string& name, const std::string& detail) {
  return detail.empty() ? name : name + ':' + detail;
}

// Keys that one part of the rules shows, numbered as they come.
class NewKeys final : public KeyNumbers {
 public:
  explicit NewKeys(WordTable& keys) : keys_(keys) {}
  std::uint32_t number(std::string_view key) override { return static_cast<std::uint32_t>(keys_.add(key)); }

 private:
  WordTable& keys_;
};

// All keys, known by now.
class KnownKeys final : public KeyNumbers {
 public:
  explicit KnownKeys(const WordTable& keys) : keys_(keys) {}
  std::uint32_t number(std::string_view key) override { return static_cast<std::uint32_t>(keys_.find(key)); }

 private:
  const WordTable& keys_;
};

float log_score(const RuleArrays& rules, std::size_t column, std::size_t rule) {
  const auto score = static_cast<double>(rules.scores[rule * rules.score_columns + column]);
  if (std::isnan(score) || score < 0 || std::isinf(score))
    throw Error("the rule table is damaged: a score of rule " + std::to_string(rule) +
                " is not a number from 0 on");
  return score == 1 ? 0.0f : static_cast<float>(std::max(std::log(score), least_log));
}

// Writes one column of the rules [begin, end), whose rows have `width` values.
void write_column(const RuleArrays& rules, const DenseColumn& column, std::size_t begin, std::size_t end,
                  std::size_t width, float* out) {
  const auto each = [&](auto value) {
    for (std::size_t rule = begin; rule < end; ++rule, out += width) *out = value(rule);
  };
  switch (column.kind) {
    case DenseColumn::Kind::log_score:
      return each([&](std::size_t rule) { return log_score(rules, column.score, rule); });
    case DenseColumn::Kind::word_penalty:
      return each([&](std::size_t rule) {
        return -static_cast<float>(
            std::ranges::count_if(rules.target(rule), [](Symbol symbol) { return !is_gap(symbol); }));
      });
    case DenseColumn::Kind::log_count:
      return each([&](std::size_t rule) {
        return static_cast<float>(std::log(static_cast<double>(std::max(rules.occurrences[rule], 1u))));
      });
    case DenseColumn::Kind::singleton:
      return each([&](std::size_t rule) { return rules.occurrences[rule] == 1 ? 1.0f : 0.0f; });
    default:
      return each([](std::size_t) { return 1.0f; });
  }
}

class Compiler {
 public:
  Compiler(const RuleArrays& rules, const FeaturePlan& plan, int threads)
      : rules_(rules), plan_(plan), threads_(threads) {
    rules_.check();
    if (!plan_.on_demand || has_sparse_rules()) rules_.check_order();
    parts_.rows = rules_.rules() + static_cast<std::size_t>(SpecialRule::count);
    for (const DenseColumn& column : plan_.dense)
      if (column.kind == DenseColumn::Kind::log_score && column.score >= rules_.score_columns)
        throw Error("the table has no score number " + std::to_string(column.score));
    for (const GivenFeatures& given : plan_.given) check(given);
  }

  CompiledFeatures run() {
    number_columns();
    fill_dense();
    count_and_name_keys();
    write();
    parts_.columns = names_.size();
    if (plan_.identity) {
      parts_.identity_rows = rules_.rules();
      names_.add_rules(std::make_shared<RuleNames>(rules_));
    }
    return {FeatureMatrix(std::move(parts_)), std::move(names_)};
  }

 private:
  void check(const GivenFeatures& given) const {
    const auto& starts = given.starts;
    if (starts.size() != rules_.rules() + 1 || starts.front() != 0 || starts.back() != given.ids.size() ||
        given.values.size() != given.ids.size() || !std::ranges::is_sorted(starts))
      throw Error("features that are given must have starts that rise from 0 to the number of their values");
    for (const std::uint32_t id : given.ids)
      if (id >= given.names.size()) throw Error("a feature that is given has no name");
  }

  std::uint32_t add_column(const std::string& name) {
    const std::size_t before = names_.size();
    const std::uint32_t id = names_.add(name);
    if (names_.size() == before) throw Error("two features are called " + name);
    return id;
  }

  // Whether a template of the core may fire a feature of this name.
  bool is_of_template(const std::string& name) const {
    return std::ranges::any_of(plan_.templates,
                               [&](const auto& each) { return name.starts_with(each.first + ':'); });
  }
  void add_special(const SpecialValue& special) {
    special_[{special_rule(rules_.rules(), special.rule), names_.add(special.name)}] += special.value;
  }

  // Dense, given, those of special rules only, then what templates number themselves.
  void number_columns() {
    for (const DenseColumn& column : plan_.dense) add_column(column.name);
    parts_.dense_columns = names_.size();
    for (const GivenFeatures& given : plan_.given) {
      given_first_.push_back(names_.size());
      for (const std::string& name : given.names) add_column(name);
    }
    for (const SpecialValue& special : plan_.special)
      if (!is_of_template(special.name)) add_special(special);
    for (const auto& [name, rule_template] : plan_.templates) {
      template_first_.push_back(names_.size());
      const std::size_t columns = rule_template->columns();
      for (std::size_t column = 0; column < columns; ++column) {
        const auto key = static_cast<std::int32_t>(column);
        add_column(full_name(name, rule_template->detail({&key, 1}, rules_)));
      }
    }
    open_first_ = names_.size();
  }

  // Writes the dense columns of rows.
  DenseRows::Fill dense_row() const {
    std::map<std::size_t, std::vector<float>> special;
    for (const auto& [place, value] : special_)
      if (place.second < plan_.dense.size()) {
        std::vector<float>& row = special[place.first];
        row.resize(plan_.dense.size());
        row[place.second] = value;
        if (!std::isfinite(value)) throw Error("a feature value is not finite");
      }
    RuleArrays rules = rules_;
    rules.source_words = rules.target_words = nullptr;  // ignored here, and not held by the owner
    return [rules, columns = plan_.dense, special, owner = plan_.owner](std::size_t begin, std::size_t end,
                                                                        float* out) {
      const std::size_t width = columns.size(), last = std::min(end, rules.rules());
      if (begin < last)
        for (std::size_t i = 0; i < width; ++i) write_column(rules, columns[i], begin, last, width, out + i);
      for (std::size_t row = std::max(begin, last); row < end; ++row) {
        float* const of_row = out + (row - begin) * width;
        if (const auto found = special.find(row); found != special.end())
          std::copy(found->second.begin(), found->second.end(), of_row);
        else
          std::fill(of_row, of_row + width, 0.0F);
      }
    };
  }

  void fill_dense() {
    const std::size_t width = parts_.dense_columns;
    const DenseRows::Fill fill = dense_row();
    if (plan_.on_demand) {
      parts_.on_demand = std::make_shared<DenseRows>(parts_.rows, width, fill);
      return;
    }
    parts_.dense.resize(parts_.rows * width);
    parallel_ranges(parts_.rows, threads_, [&](std::size_t begin, std::size_t end) {
      fill(begin, end, parts_.dense.data() + begin * width);
    });
  }

  // Calls `visit(row, entries)` for the sparse features of the rules [begin, end).
  template <class Visit>
  void fire(std::size_t begin, std::size_t end, KeyNumbers& keys, Visit visit) const {
    FiredFeatures fired(keys, open_first_);
    rules_.for_each(begin, end, [&](const RuleEntry& rule) {
      fired.clear();
      for (std::size_t i = 0; i < plan_.given.size(); ++i) {
        const GivenFeatures& given = plan_.given[i];
        fired.begin_template(given_first_[i], 0);
        for (std::uint64_t at = given.starts[rule.id]; at < given.starts[rule.id + 1]; ++at)
          fired.fire(given.ids[at], given.values[at]);
      }
      for (std::size_t i = 0; i < plan_.templates.size(); ++i) {
        fired.begin_template(template_first_[i], static_cast<std::int32_t>(i));
        plan_.templates[i].second->fire(rule, fired);
      }
      visit(rule.id, fired.finish());
    });
  }

  bool has_sparse_rules() const { return !plan_.templates.empty() || !plan_.given.empty(); }
  std::uint64_t& start_of(std::size_t row) { return parts_.starts[row - parts_.plain_rows]; }

  void count_and_name_keys() {
    if (!has_sparse_rules()) parts_.plain_rows = rules_.rules();
    parts_.starts.assign(parts_.rows - parts_.plain_rows + 1, 0);
    if (has_sparse_rules()) find_keys();
    name_keys();
    for (const SpecialValue& special : plan_.special)  // after the columns of rules, which they may share
      if (is_of_template(special.name)) add_special(special);
    for (const auto& [place, value] : special_)
      if (place.second >= parts_.dense_columns && value != 0) ++start_of(place.first + 1);
    for (std::size_t row = parts_.plain_rows; row < parts_.rows; ++row) start_of(row + 1) += start_of(row);
  }

  void find_keys() {
    std::map<std::size_t, WordTable> keys_of_part;  // by the first rule of the part
    std::mutex mutex;
    parallel_ranges(rules_.rules(), threads_, [&](std::size_t begin, std::size_t end) {
      WordTable keys;
      NewKeys numbers(keys);
      fire(begin, end, numbers, [&](std::size_t row, auto entries) { parts_.starts[row + 1] = entries.size(); });
      const std::lock_guard lock(mutex);
      keys_of_part.emplace(begin, std::move(keys));
    });
    for (auto& [begin, keys] : keys_of_part) {
      if (keys_.size() == 0) {
        keys_ = std::move(keys);
        continue;
      }
      for (std::size_t i = 0; i < keys.size(); ++i) keys_.add(keys.word(static_cast<WordId>(i)));
      keys = WordTable();
    }
  }

  void name_keys() {
    std::vector<std::int32_t> key;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::string_view bytes = keys_.word(static_cast<WordId>(i));
      key.resize(bytes.size() / sizeof(std::int32_t));
      std::memcpy(key.data(), bytes.data(), bytes.size());
      const auto& [name, rule_template] = plan_.templates[static_cast<std::size_t>(key[0])];
      add_column(full_name(name, rule_template->detail(std::span(key).subspan(1), rules_)));
    }
  }

  void write() {
    parts_.ids.resize(parts_.starts.back());
    parts_.values.resize(parts_.starts.back());
    if (has_sparse_rules())
      parallel_ranges(rules_.rules(), threads_, [&](std::size_t begin, std::size_t end) {
        KnownKeys numbers(keys_);
        fire(begin, end, numbers, [&](std::size_t row, auto entries) {
          std::uint64_t at = parts_.starts[row];
          for (const auto& [id, value] : entries) {
            parts_.ids[at] = id;
            parts_.values[at++] = value;
          }
        });
      });
    std::uint64_t at = start_of(rules_.rules());
    for (const auto& [place, value] : special_) {
      if (place.second < parts_.dense_columns || value == 0) continue;
      parts_.ids[at] = place.second;
      parts_.values[at++] = value;
    }
  }

  RuleArrays rules_;
  const FeaturePlan& plan_;
  int threads_;
  FeatureMatrix::Parts parts_;
  FeatureIndex names_;
  WordTable keys_;
  std::vector<std::size_t> given_first_, template_first_;
  std::map<std::pair<std::size_t, std::uint32_t>, float> special_;  // by row and column; fired twice, they add up
  std::size_t open_first_ = 0;
};

}  // namespace

CompiledFeatures compile_features(const RuleArrays& rules, const FeaturePlan& plan, int threads) {
  return Compiler(rules, plan, threads).run();
}

}  // namespace tunesmith
