// An estimated model as ARPA text, piece by piece.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lm/estimate.hpp"

namespace tunesmith::lm {

class ArpaWriter {
 public:
  // Uses up the n-grams of `estimate`, which outlives the writer. More than one thread make the next pieces while
  // the caller does something with those that it has.
  explicit ArpaWriter(Estimate& estimate, int threads = 1) : estimate_(estimate), threads_(threads) {}
  ~ArpaWriter();
  ArpaWriter(const ArpaWriter&) = delete;

  // The next piece, at most about half a megabyte; empty at the end. Floats are printed with as many digits as it
  // takes to read the same float back.
  std::string next();

 private:
  // N-grams of one order that follow each other, not yet as text.
  struct Block {
    std::string heading;
    int order = 0;
    std::vector<std::uint32_t> ngrams;  // each with its probability and its back-off
  };

  // Takes n-grams of one order from the estimate; false if there is nothing left.
  bool take(Block& block);
  std::string text_of(const Block& block) const;
  void begin_section(int order, std::string& text);
  void make_pieces();
  std::string next_made();

  Estimate& estimate_;
  int threads_, section_ = 0;
  bool has_held_ = false, ended_ = false;
  int held_order_ = 0;
  Estimate::Ngram held_{};  // the first of the next block

  std::mutex mutex_;  // of all before and after, once there are threads
  std::condition_variable changed_;
  std::deque<std::optional<std::string>> pieces_;  // those that were taken and not yet given, in order
  std::uint64_t taken_ = 0, given_ = 0;
  bool stop_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> makers_;
};

}  // namespace tunesmith::lm
