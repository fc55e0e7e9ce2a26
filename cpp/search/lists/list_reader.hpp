// What readers of candidate lists have in common: bytes in, block by block; parts of the lists out.
#pragma once

#include <string>
#include <string_view>

#include "base/line_splitter.hpp"
#include "search/lists/bad_lines.hpp"
#include "search/lists/list_builder.hpp"

namespace tunesmith {

// What belongs to a sentence and not to a candidate, as it stands in the file.
struct SentenceText {
  std::int64_t sentence = 0;
  bool reference = false;  // or the source
  std::string text;
};

class ListReader {
 public:
  virtual ~ListReader() = default;

  // The next bytes of the file. A line that cannot be used is a LineError, or is left out where that was asked
  // for.
  void add(std::string_view block) {
    splitter_.add(block, [&](std::string_view text) { line(text); });
  }
  // No bytes follow.
  virtual void finish() {
    splitter_.finish([&](std::string_view text) { line(text); });
    lists_.finish();
  }

  ListBuilder& lists() { return lists_; }
  const BadLineLog& bad() const { return bad_; }

 protected:
  ListReader(SentenceOrder order, bool skip_bad) : lists_(order), bad_(skip_bad) {
    if (skip_bad) splitter_.leave_out([this](std::int64_t at, const char* message) { bad_.add(at, message); });
  }
  ListReader(const ListReader&) = delete;
  ListReader& operator=(const ListReader&) = delete;

  // One line. Error if it cannot be used; nothing of it is kept then.
  virtual void line(std::string_view text) = 0;

  LineSplitter splitter_;
  ListBuilder lists_;
  BadLineLog bad_;
};

}  // namespace tunesmith
