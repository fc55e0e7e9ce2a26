// What a feature template in C++ is: it looks at one rule and fires features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/rule_arrays.hpp"

namespace tunesmith {

// Gives a number to every different key.
class KeyNumbers {
 public:
  virtual ~KeyNumbers() = default;
  virtual std::uint32_t number(std::string_view key) = 0;
};

// The features of one rule while templates fire them.
class FiredFeatures {
 public:
  using Entry = std::pair<std::uint32_t, float>;

  // `open_first`: the column of the key with number 0.
  FiredFeatures(KeyNumbers& keys, std::size_t open_first) : keys_(keys), open_first_(open_first) {}

  void clear() { entries_.clear(); }
  // What the next template fires is its own: fixed columns count from `first`, keys belong to template `number`.
  void begin_template(std::size_t first, std::int32_t number) {
    first_ = first;
    template_ = number;
  }

  // A column of a template that numbers its columns.
  void fire(std::size_t column, float value = 1) {
    entries_.emplace_back(static_cast<std::uint32_t>(first_ + column), value);
  }
  // A feature of a template whose columns are those keys that occur.
  void fire_key(std::span<const std::int32_t> key, float value = 1) {
    key_.assign(1, template_);
    key_.insert(key_.end(), key.begin(), key.end());
    const std::string_view bytes(reinterpret_cast<const char*>(key_.data()), key_.size() * sizeof(std::int32_t));
    entries_.emplace_back(static_cast<std::uint32_t>(open_first_ + keys_.number(bytes)), value);
  }

  // Everything fired since `clear`: columns ascending, each once (values added), none that is zero.
  std::span<const Entry> finish() {
    sort();
    std::size_t size = 0;
    for (std::size_t i = 0; i < entries_.size();) {
      Entry sum = entries_[i++];
      while (i < entries_.size() && entries_[i].first == sum.first) sum.second += entries_[i++].second;
      if (sum.second != 0) entries_[size++] = sum;
    }
    entries_.resize(size);
    return entries_;
  }

 private:
  // Equal columns stay in the order in which they were fired.
  void sort() {
    if (entries_.size() > 64) {
      std::ranges::stable_sort(entries_, {}, &Entry::first);
      return;
    }
    // Few, and nearly in order, since templates fire one after the other.
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      const Entry entry = entries_[i];
      std::size_t at = i;
      for (; at > 0 && entry.first < entries_[at - 1].first; --at) entries_[at] = entries_[at - 1];
      entries_[at] = entry;
    }
  }

  KeyNumbers& keys_;
  std::size_t open_first_, first_ = 0;
  std::int32_t template_ = 0;
  std::vector<std::int32_t> key_;
  std::vector<Entry> entries_;
};

class RuleTemplate {
 public:
  virtual ~RuleTemplate() = default;
  // How many columns it numbers itself; 0 if its columns are the keys that occur.
  virtual std::size_t columns() const { return 0; }
  // Called from several threads at once.
  virtual void fire(const RuleEntry& rule, FiredFeatures& out) const = 0;
  // The name of a feature after `template:`. The key is one column number where columns are numbered.
  virtual std::string detail(std::span<const std::int32_t> key, const RuleArrays& rules) const = 0;
};

}  // namespace tunesmith
