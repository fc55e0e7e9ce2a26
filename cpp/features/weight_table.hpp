// Named weights: reading and writing of weights.tsv.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/word_table.hpp"

namespace tunesmith {

// Different names in the order they came, each with a finite value.
class WeightTable {
 public:
  // Lines `name TAB value`. Lines at the top that begin with # and hold no tab are the header; empty lines are
  // nothing. Throws LineError for anything else, for a name that comes twice, and for text that is not UTF-8.
  static WeightTable parse(std::string_view text);

  // Throws Error for a name that is there already or cannot be written, and for a value that is not finite.
  void add(std::string_view name, double value);

  std::size_t size() const { return values_.size(); }
  const std::string& header() const { return header_; }  // without #, lines joined by newlines
  std::string_view name(std::size_t at) const { return names_.word(static_cast<WordId>(at)); }
  const std::vector<double>& values() const { return values_; }
  // The position of a name, or WordTable::none.
  WordId find(std::string_view name) const { return names_.find(name); }

  // The lines without a header; each value with as many digits as are needed to read the same one.
  std::string format() const;

 private:
  std::string header_;
  WordTable names_;
  std::vector<double> values_;
};

}  // namespace tunesmith
