// Lines that a reader left out instead of ending.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace tunesmith {

// A line that was left out, and why.
struct BadLine {
  std::int64_t line = 0;
  std::string message;
};

// skip: bad lines are left out; otherwise the first one ends the reading.
class BadLineLog {
 public:
  static constexpr std::size_t most_listed = 1000;  // all are counted

  explicit BadLineLog(bool skip) : skip_(skip) {}

  // A line that cannot be used. Throws LineError where bad lines are not left out.
  void add(std::int64_t line, std::string message) {
    if (!skip_) throw LineError(line, message);
    if (lines_.size() < most_listed) lines_.push_back({line, std::move(message)});
    ++count_;
  }

  const std::vector<BadLine>& lines() const { return lines_; }
  std::int64_t count() const { return count_; }

 private:
  bool skip_;
  std::vector<BadLine> lines_;
  std::int64_t count_ = 0;
};

}  // namespace tunesmith
