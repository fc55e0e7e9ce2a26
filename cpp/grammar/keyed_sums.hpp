// Sums over everything that has the same key, for every row that asks for them; in bounded memory.
//
// Such as: the count of a target side over all rules, for every rule. Keys and rows come in any order. What is
// added is divided by key, each part is summed by a hash table of its own, and the sums are divided by row and
// written to a file in the order of rows. Sums are of whole numbers, so nothing depends on the order or on the
// number of parts.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "grammar/array_file.hpp"
#include "grammar/spilled_parts.hpp"

namespace tunesmith {

// A thing by 96 bits of hash: two of a hundred million different ones agree with probability 10^-13.
struct HashedKey {
  std::uint64_t high;
  std::uint32_t low;
  bool operator==(const HashedKey&) const = default;
};

// A row of the result. In which block of rows it is is known before it is known where blocks begin.
struct KeyedRow {
  std::uint32_t block, at;
};
inline constexpr KeyedRow no_row{0xFFFFFFFFu, 0xFFFFFFFFu};

// The steps from what was added to the file of sums.
class KeyedSteps {
 public:
  virtual ~KeyedSteps() = default;
  // When all is added: block i of rows begins at row `begins[i]`, the last entry is the number of rows.
  virtual void begin(std::vector<std::uint64_t> begins) = 0;
  // How many steps there are to do, in order, each once; then the sums can be read.
  virtual std::size_t steps() const = 0;
  virtual void run(std::size_t begin, std::size_t end) = 0;
  virtual std::uint64_t spilled_bytes() const = 0;
};

// Value: a struct of whole numbers with += and ==, all zero at first.
template <class Value>
class KeyedSums final : public KeyedSteps {
 public:
  // A value that is added to the sum of its key, and the row that wants that sum (`no_row`: none does).
  struct Record {
    HashedKey key;
    KeyedRow row;
    Value value;
  };

  // `records`: about as many will be added. Files are made in `folder` and begin with `name`.
  KeyedSums(std::uint64_t records, const std::string& folder, const std::string& name, std::size_t memory,
            int threads)
      : threads_(std::max(threads, 1)),
        part_bytes_(std::max(memory / share_of_parts / static_cast<std::size_t>(threads_), std::size_t{1} << 20)),
        held_bytes_(memory / share_held),
        path_(folder + "/" + name),
        parts_(part_count(records), path_ + "-keys-", held_bytes_) {}

  // For several threads. `records` is empty afterwards.
  void add(std::vector<Record>& records) {
    std::vector<std::size_t> sizes(parts_.size(), 0);
    for (const Record& record : records) ++sizes[part_of(record.key)];
    std::vector<std::vector<Record>> blocks(parts_.size());
    for (std::size_t part = 0; part < blocks.size(); ++part) blocks[part].reserve(sizes[part]);
    for (const Record& record : records) blocks[part_of(record.key)].push_back(record);
    for (std::size_t part = 0; part < blocks.size(); ++part) parts_.append(part, std::move(blocks[part]));
    records.clear();
  }

  void begin(std::vector<std::uint64_t> begins) override {
    if (sums_ || begins.empty()) throw Error("sums are begun once, with the number of rows");
    begins_ = std::move(begins);
    rows_ = begins_.back();
    rows_a_part_ = std::max<std::uint64_t>(part_bytes_ / sizeof(Row), rows_ / most_parts + 1);
    sums_.emplace(static_cast<std::size_t>((rows_ + rows_a_part_ - 1) / rows_a_part_), path_ + "-rows-",
                  held_bytes_);
    file_ = std::make_unique<ArrayPatch>(path_, static_cast<std::int64_t>(rows_ * sizeof(Value)));
  }

  std::size_t steps() const override { return parts_.size() + (sums_ ? sums_->size() : 0); }

  void run(std::size_t begin, std::size_t end) override {
    if (!sums_ || begin > end || end > steps()) throw Error("there are no such steps");
    // All parts are summed before the first rows are written.
    const std::size_t between = std::clamp(parts_.size(), begin, end);
    for_each(begin, between, [&](std::size_t at) { sum_part(at); });
    for_each(between, end, [&](std::size_t at) { write_rows(at - parts_.size()); });
  }

  std::uint64_t spilled_bytes() const override {
    return parts_.spilled_bytes() + (sums_ ? sums_->spilled_bytes() : 0);
  }
  // How many different keys have a sum that is not zero.
  std::uint64_t keys() const { return keys_; }
  // The sums for rows [begin, end); zero for those that did not ask.
  std::vector<Value> read(std::uint64_t begin, std::uint64_t end) const { return file_->read<Value>(begin, end); }

 private:
  struct Row {
    std::uint64_t row;
    Value sum;
  };
  static constexpr std::uint32_t empty = 0xFFFFFFFFu;
  struct Slot {
    std::uint64_t high;
    std::uint32_t low, sum;
    bool has(const HashedKey& key) const { return high == key.high && low == key.low; }
  };
  // The parts that all threads work on together are a sixteenth of the memory, and the tables of their sums need
  // three times as much. An eighth is held of records by key, another of sums by row, before they go to disk.
  static constexpr std::size_t share_of_parts = 16, share_held = 8, most_parts = 4096;

  std::size_t part_count(std::uint64_t records) const {
    // Also where memory is large: a table of sums that fits in the cache is faster.
    const std::uint64_t parts = std::max<std::uint64_t>(records * sizeof(Record) / part_bytes_, records >> 17);
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(parts, 1, most_parts));
  }
  // The upper half of the key chooses the part, the lower half the slot of its table.
  std::size_t part_of(const HashedKey& key) const {
    return static_cast<std::size_t>((key.high >> 32) * parts_.size() >> 32);
  }

  template <class Step>
  void for_each(std::size_t begin, std::size_t end, Step step) {
    std::atomic<std::size_t> next = begin;
    parallel_ranges(static_cast<std::size_t>(threads_), threads_, [&](std::size_t, std::size_t) {
      for (std::size_t at = next++; at < end; at = next++) step(at);
    });
  }

  void sum_part(std::size_t part) {
    const std::vector<Record> records = parts_.take(part);
    std::vector<Slot> slots(std::bit_ceil(records.size() + records.size() / 2 + 2), Slot{0, 0, empty});
    std::vector<Value> sums;
    std::vector<std::uint32_t> sum_of(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Record& record = records[i];
      std::size_t at = record.key.high & (slots.size() - 1);
      while (slots[at].sum != empty && !slots[at].has(record.key)) at = (at + 1) & (slots.size() - 1);
      if (slots[at].sum == empty) {
        slots[at] = {record.key.high, record.key.low, static_cast<std::uint32_t>(sums.size())};
        sums.push_back({});
      }
      sum_of[i] = slots[at].sum;
      sums[sum_of[i]] += record.value;
    }
    slots = {};
    keys_ += sums.size() - static_cast<std::size_t>(std::count(sums.begin(), sums.end(), Value{}));
    std::vector<std::vector<Row>> blocks(sums_->size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      const KeyedRow row = records[i].row;
      if (row.block == no_row.block) continue;
      const std::uint64_t place = begins_.at(row.block) + row.at;
      if (place >= rows_) throw Error("row " + std::to_string(place) + " of " + std::to_string(rows_));
      blocks[place / rows_a_part_].push_back({place, sums[sum_of[i]]});
    }
    for (std::size_t at = 0; at < blocks.size(); ++at) {
      blocks[at].shrink_to_fit();
      sums_->append(at, std::move(blocks[at]));
    }
  }

  void write_rows(std::size_t part) {
    const std::uint64_t begin = part * rows_a_part_, end = std::min(begin + rows_a_part_, rows_);
    std::vector<Value> dense(static_cast<std::size_t>(end - begin));
    for (const Row& row : sums_->take(part)) dense[row.row - begin] = row.sum;
    file_->write(begin, dense);
  }

  int threads_;
  std::size_t part_bytes_, held_bytes_;
  std::string path_;
  SpilledParts<Record> parts_;  // by key
  std::vector<std::uint64_t> begins_;
  std::uint64_t rows_ = 0, rows_a_part_ = 1;
  std::optional<SpilledParts<Row>> sums_;  // by row
  std::unique_ptr<ArrayPatch> file_;
  std::atomic<std::uint64_t> keys_ = 0;
};

}  // namespace tunesmith
