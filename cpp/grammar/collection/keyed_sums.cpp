#include "grammar/collection/keyed_sums.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/narrow.hpp"
#include "base/parallel.hpp"
#include "base/probe.hpp"

namespace tunesmith {
namespace {

// The parts that all threads work on together are this share of the memory; the tables of their sums need three
// times as much.
constexpr std::size_t share_of_parts = 16, most_parts = 4096;
// Share of the memory for what is kept of records by key, and of sums by row, before it goes to disk.
constexpr std::size_t share_of_records = 8;

std::size_t bytes_of_part(std::size_t memory, int threads) {
  return std::max(memory / share_of_parts / static_cast<std::size_t>(std::max(threads, 1)), std::size_t{1} << 20);
}

std::size_t part_count(std::uint64_t records, std::size_t memory, int threads) {
  // Also where memory is large: a table of sums that fits in the cache is faster.
  const std::uint64_t parts =
      std::max<std::uint64_t>(records * sizeof(KeyedRecord) / bytes_of_part(memory, threads), records >> 17);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(parts, 1, most_parts));
}

}  // namespace

SideKey side_key(std::span<const Symbol> side) {
  std::uint64_t high = side.size(), low = 0x5851F42D4C957F2Du;
  for (const Symbol symbol : side) {
    const auto value = static_cast<std::uint64_t>(static_cast<std::uint32_t>(is_gap(symbol) ? first_gap : symbol));
    high = mix(high, value);
    low = mix(low ^ value, 0xA0761D6478BD642Fu);
  }
  return {high, static_cast<std::uint32_t>(low)};
}

bool is_swapped(std::span<const Symbol> target) {
  const auto gap = std::find_if(target.begin(), target.end(), is_gap);
  return gap != target.end() && *gap == second_gap;
}

KeyedSums::KeyedSums(std::uint64_t records, const std::string& folder, const std::string& name, std::size_t memory,
                     int threads)
    : memory_(memory),
      threads_(std::max(threads, 1)),
      path_(folder + "/" + name),
      parts_(part_count(records, memory, threads), path_ + "-keys-", memory / share_of_records) {}

void KeyedSums::add(std::vector<KeyedRecord>& records) {
  // The upper half of the key chooses the part, the lower half the slot of its table.
  const auto part_of = [&](const KeyedRecord& record) {
    return static_cast<std::size_t>((record.key >> 32) * parts_.size() >> 32);
  };
  std::vector<std::size_t> sizes(parts_.size(), 0);
  for (const KeyedRecord& record : records) ++sizes[part_of(record)];
  std::vector<std::vector<KeyedRecord>> blocks(parts_.size());
  for (std::size_t part = 0; part < blocks.size(); ++part) blocks[part].reserve(sizes[part]);
  for (const KeyedRecord& record : records) blocks[part_of(record)].push_back(record);
  for (std::size_t part = 0; part < blocks.size(); ++part) parts_.append(part, std::move(blocks[part]));
  records.clear();
}

void KeyedSums::begin_sums(std::vector<std::uint64_t> begins) {
  if (sums_ || begins.empty()) throw Error("sums are begun once, with the number of rows");
  begins_ = std::move(begins);
  rows_ = begins_.back();
  const std::size_t fits = bytes_of_part(memory_, threads_) / sizeof(Row);
  rows_a_part_ = std::max<std::uint64_t>(std::min(fits, std::size_t{1} << 20), rows_ / most_parts + 1);
  sums_.emplace(static_cast<std::size_t>((rows_ + rows_a_part_ - 1) / rows_a_part_), path_ + "-rows-",
                memory_ / share_of_records);
  file_ = std::make_unique<ArrayPatch>(path_, static_cast<std::int64_t>(rows_ * sizeof(KeyedSum)));
}

void KeyedSums::run_steps(std::size_t begin, std::size_t end) {
  if (!sums_ || begin > end || end > steps()) throw Error("there are no such steps");
  // All parts are summed before the first rows are written.
  const std::size_t between = std::clamp(parts_.size(), begin, end);
  const auto run = [&](std::size_t from, std::size_t to, auto&& step) {
    std::atomic<std::size_t> next = from;
    parallel_ranges(static_cast<std::size_t>(threads_), threads_, [&](std::size_t, std::size_t) {
      for (std::size_t at = next++; at < to; at = next++) step(at);
    });
  };
  run(begin, between, [&](std::size_t at) { sum_part(at); });
  run(between, end, [&](std::size_t at) { write_rows(at - parts_.size()); });
}

void KeyedSums::sum_part(std::size_t part) {
  const std::vector<KeyedRecord> records = parts_.take(part);
  struct Slot {
    std::uint64_t key;
    std::uint32_t check, sum;
  };
  constexpr std::uint32_t empty = 0xFFFFFFFFu;
  std::vector<Slot> slots(std::bit_ceil(records.size() + records.size() / 2 + 2), Slot{0, 0, empty});
  std::vector<KeyedSum> sums;
  std::vector<std::uint32_t> sum_of(records.size());
  std::uint64_t keys = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const KeyedRecord& record = records[i];
    const std::size_t at = probe(slots, record.key, [&](const Slot& slot) {
      return slot.sum == empty || (slot.key == record.key && slot.check == record.check);
    });
    if (slots[at].sum == empty) {
      slots[at] = {record.key, record.check, narrow<std::uint32_t>(sums.size())};
      sums.push_back({});
    }
    sum_of[i] = slots[at].sum;
    KeyedSum& sum = sums[slots[at].sum];
    sum.count += record.count;
    if (record.kind < 0) continue;
    if (sum.kinds == Kinds{}) ++keys;
    ++sum.kinds[static_cast<std::size_t>(record.kind)];
  }
  keys_ += keys;
  slots = {};
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

void KeyedSums::write_rows(std::size_t part) {
  const std::uint64_t begin = part * rows_a_part_, end = std::min(begin + rows_a_part_, rows_);
  std::vector<KeyedSum> dense(static_cast<std::size_t>(end - begin));
  for (const Row& row : sums_->take(part)) dense[row.row - begin] = row.sum;
  file_->write(begin, dense);
}

}  // namespace tunesmith
