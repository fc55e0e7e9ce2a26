// What features with very many possible values have in common: keys, names, numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tunesmith {

// Unweighted values by the feature's own keys; a key may come more than once, values then add up.
struct SparseValues {
  std::vector<std::uint64_t> keys;
  std::vector<float> values;

  void add(std::uint64_t key, float value) {
    keys.push_back(key);
    values.push_back(value);
  }
};

// Keys are the feature's own. They get numbers of the feature index between sentences, in the order of the
// sentences, so that numbers do not depend on threads.
class SparseNames {
 public:
  virtual ~SparseNames() = default;
  // The detail of a key in the name `template:detail`, and the key of a detail (nothing if no key has it).
  virtual std::string detail(std::uint64_t key) const = 0;
  virtual std::optional<std::uint64_t> key(std::string_view detail) const = 0;
  // Whether a key has this detail, or may get it; and its key, which is made where details are not known before
  // they are met. Not while sentences are decoded.
  virtual bool can_have(std::string_view detail) const { return key(detail).has_value(); }
  virtual std::optional<std::uint64_t> learn(std::string_view detail) { return key(detail); }
  // The sparse feature `key` has this number from now on; find_number is NumberTable::none where none was given.
  virtual void number(std::uint64_t key, std::uint32_t id) = 0;
  virtual std::uint32_t find_number(std::uint64_t key) const = 0;
};

}  // namespace tunesmith
