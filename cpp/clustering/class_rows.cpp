#include "clustering/class_rows.hpp"

#include <algorithm>

namespace tunesmith {

ClassRows::ClassRows(std::span<const std::size_t> widths, std::size_t class_count) : class_count_(class_count) {
  std::size_t cells = 0, counts = 0;
  for (const std::size_t width : widths) {
    const bool is_wide = 2 * width >= class_count;
    rows_.push_back(is_wide ? Row{counts, dense} : Row{cells, 0});
    (is_wide ? counts : cells) += is_wide ? class_count : width;
  }
  cells_.resize(cells);
  counts_.resize(counts);
}

std::uint32_t ClassRows::count(std::size_t row, ClassId name) const {
  if (is_dense(row)) return counts(row)[static_cast<std::size_t>(name)];
  for (const Cell& cell : cells(row))
    if (cell.name == name) return cell.count;
  return 0;
}

void ClassRows::add(std::size_t row, ClassId name, std::uint32_t more) {
  Row& at = rows_[row];
  if (at.size == dense) {
    counts_[at.begin + static_cast<std::size_t>(name)] += more;
    return;
  }
  Cell* const begin = cells_.data() + at.begin;
  Cell* const end = begin + at.size;
  Cell* const found = std::find_if(begin, end, [&](const Cell& cell) { return cell.name == name; });
  if (found == end) {
    *found = {name, more};
    ++at.size;
  } else {
    found->count += more;
  }
}

void ClassRows::subtract(std::size_t row, ClassId name, std::uint32_t less) {
  Row& at = rows_[row];
  if (at.size == dense) {
    counts_[at.begin + static_cast<std::size_t>(name)] -= less;
    return;
  }
  Cell* const begin = cells_.data() + at.begin;
  Cell* const end = begin + at.size;
  Cell* const found = std::find_if(begin, end, [&](const Cell& cell) { return cell.name == name; });
  found->count -= less;
  if (found->count == 0) {
    *found = *(end - 1);
    --at.size;
  }
}

std::pair<std::uint32_t, std::uint32_t> ClassRows::find(std::size_t row, ClassId from, ClassId to) const {
  const Row& at = rows_[row];
  if (at.size == dense) return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)};
  std::pair<std::uint32_t, std::uint32_t> places{at.size, at.size};
  const Cell* const cells = cells_.data() + at.begin;
  for (std::uint32_t place = 0; place < at.size; ++place) {
    if (cells[place].name == from) places.first = place;
    if (cells[place].name == to) places.second = place;
  }
  return places;
}

void ClassRows::move(std::size_t row, std::pair<std::uint32_t, std::uint32_t> places, ClassId to,
                     std::uint32_t count) {
  Row& at = rows_[row];
  const auto [from, there] = places;
  if (at.size == dense) {
    counts_[at.begin + from] -= count;
    counts_[at.begin + there] += count;
    return;
  }
  Cell* const cells = cells_.data() + at.begin;
  const bool is_new = there == at.size;
  cells[from].count -= count;
  if (!is_new) cells[there].count += count;
  if (cells[from].count > 0) {
    if (is_new) cells[at.size++] = {to, count};
  } else if (is_new) {
    cells[from] = {to, count};
  } else {
    cells[from] = cells[--at.size];
  }
}

}  // namespace tunesmith
