// Sums over everything that has the same key, for every row that asks for them; in bounded memory.
//
// Such as: the count of a target side over all rules, for every rule. Keys and rows come in any order. What is
// added is divided by key, each part is summed by a hash table of its own, and the sums are divided by row and
// written to a file in the order of rows. Sums are of whole numbers, so nothing depends on the order or on the
// number of parts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grammar/collection/spilled_parts.hpp"
#include "grammar/rule.hpp"
#include "grammar/tables/array_file.hpp"

namespace tunesmith {

// A side of a rule by 96 bits of hash: two of a hundred million different sides agree with probability 10^-13.
struct SideKey {
  std::uint64_t high;
  std::uint32_t low;
};
// Gaps are alike here: conditioned on a target side, source sides differ by which gap is filled from where.
SideKey side_key(std::span<const Symbol> side);
// Whether the second gap of the source side comes first in the target side.
bool is_swapped(std::span<const Symbol> target);

// How many records with a key are of each kind.
using Kinds = std::array<std::uint32_t, 3>;

// A row of the result. It is known in which block it is before it is known where blocks begin.
struct KeyedRow {
  std::uint32_t block, at;
};
inline constexpr KeyedRow no_row{0xFFFFFFFFu, 0xFFFFFFFFu};

// One thing that is added to the sums of its key, and the row that wants them (`no_row`: none does).
struct KeyedRecord {
  std::uint64_t key;
  std::int64_t count;
  KeyedRow row;
  std::uint32_t check;
  std::int32_t kind;  // 0, 1, 2; -1: none
};

struct KeyedSum {
  std::int64_t count = 0;
  Kinds kinds = {};
  std::uint32_t unused = 0;
};

class KeyedSums {
 public:
  // `records`: about as many will be added. Files are made in `folder` and begin with `name`.
  KeyedSums(std::uint64_t records, const std::string& folder, const std::string& name, std::size_t memory,
            int threads);

  // For several threads. Reorders `records`.
  void add(std::vector<KeyedRecord>& records);

  // When all is added: block i of rows begins at row `begins[i]`, the last entry is the number of rows.
  void begin_sums(std::vector<std::uint64_t> begins);
  // How many steps there are to do, in order, each once; then the sums can be read.
  std::size_t steps() const { return parts_.size() + (sums_ ? sums_->size() : 0); }
  void run_steps(std::size_t begin, std::size_t end);
  // How many different keys a record with a kind was added for.
  std::uint64_t keys() const { return keys_; }
  // Rows [begin, end).
  std::vector<KeyedSum> read(std::uint64_t begin, std::uint64_t end) const {
    return file_->read<KeyedSum>(begin, end);
  }
  std::uint64_t spilled_bytes() const { return parts_.spilled_bytes() + (sums_ ? sums_->spilled_bytes() : 0); }

 private:
  struct Row {
    std::uint64_t row;
    KeyedSum sum;
  };
  void sum_part(std::size_t part);
  void write_rows(std::size_t part);

  std::size_t memory_;
  int threads_;
  std::string path_;
  SpilledParts<KeyedRecord> parts_;  // by key
  std::vector<std::uint64_t> begins_;
  std::uint64_t rows_ = 0, rows_a_part_ = 1;
  std::optional<SpilledParts<Row>> sums_;  // by row
  std::unique_ptr<ArrayPatch> file_;
  std::atomic<std::uint64_t> keys_ = 0;
};

}  // namespace tunesmith
