// Counts N(v, c) of a context v followed by words of class c, with memory for what can be non-zero.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "clustering/class_objective.hpp"

namespace tunesmith {

// A row of few cells is a list of the non-zero ones; a row that most classes may occur in is an array of all.
// Which it is depends on how many different words stand next to the context, so memory is within twice the
// bigrams.
class ClassRows {
 public:
  struct Cell {
    ClassId name;
    std::uint32_t count;
  };

  // widths[v]: how many different words stand next to context v, an upper bound of its non-zero cells.
  ClassRows(std::span<const std::size_t> widths, std::size_t class_count);

  bool is_dense(std::size_t row) const { return rows_[row].size == dense; }
  // All counts of a dense row.
  std::span<const std::uint32_t> counts(std::size_t row) const {
    return {counts_.data() + rows_[row].begin, class_count_};
  }
  // The non-zero cells of another row, in no order that means anything.
  std::span<const Cell> cells(std::size_t row) const {
    return {cells_.data() + rows_[row].begin, rows_[row].size};
  }

  std::uint32_t count(std::size_t row, ClassId name) const;
  void add(std::size_t row, ClassId name, std::uint32_t more);
  void subtract(std::size_t row, ClassId name, std::uint32_t less);

  // Where the counts of two classes are in a row; a class without a cell has the place after the last one.
  std::pair<std::uint32_t, std::uint32_t> find(std::size_t row, ClassId from, ClassId to) const;
  std::uint32_t count_at(std::size_t row, std::uint32_t place) const {
    const Row& at = rows_[row];
    if (at.size == dense) return counts_[at.begin + place];
    return place < at.size ? cells_[at.begin + place].count : 0;
  }
  // Subtracts from the first of these classes and adds to the second one, `to`.
  void move(std::size_t row, std::pair<std::uint32_t, std::uint32_t> places, ClassId to, std::uint32_t count);

 private:
  static constexpr std::uint32_t dense = 0xFFFFFFFFu;
  struct Row {
    std::size_t begin;
    std::uint32_t size;
  };
  std::size_t class_count_;
  std::vector<Row> rows_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace tunesmith
